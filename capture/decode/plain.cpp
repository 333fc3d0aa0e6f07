// The commonest packet in one go: Ethernet, IPv4 without options or fragments, TCP with no option
// but time stamps. Less than half the work of going through it layer by layer, which is what every
// other packet gets, and which this one would give the same (tests/decode/plain_test.cpp).
#include <array>
#include <bit>
#include <cstddef>

#include "capture/decode/layers.h"

namespace rwin::capture {
namespace {

constexpr std::uint32_t kEthernetHeader = 14, kIpHeader = 20,
                        kTcpHeader = 20;  // bytes of the headers
constexpr std::uint32_t kStampList = 12;  // NOP, NOP, time stamps (RFC 7323 A)

// All 16 bytes at once: read back in larger pieces than they were written, they would hold the
// processor up.
void set_ipv4(analysis::Address& address, std::uint32_t four) {
  const std::array<std::uint64_t, 2> halves = {
      std::endian::native == std::endian::little ? four : std::uint64_t{four} << 32, 0};
  address.bytes = std::bit_cast<std::array<std::uint8_t, 16>>(halves);
  address.family = 4;
}

// What such a packet does not have.
void set_absent(analysis::Segment& out) {
  out.tunnel = analysis::Tunnel::none;
  out.options_cut = out.fast_open = out.multipath = false;
  out.mss = {};
  out.window_scale = {};
  out.sack_permitted = {};
  out.sack_count = out.option_kind_count = 0;
}

}  // namespace

bool decode_plain(const RawPacket& packet, analysis::Segment& out) {
  const SpanReader reader(packet.data, packet.captured, packet.original);
  const auto* const view = reader.view<kEthernetHeader + kIpHeader + kTcpHeader>();
  if (view == nullptr) return false;
  const auto& header = *view;
  constexpr std::uint16_t kEtherTypeIpv4 = 0x0800;
  constexpr std::size_t kAt = kEthernetHeader + kIpHeader;
  const std::uint32_t total = header.be16<kEthernetHeader + 2>();
  const std::uint16_t fragment = header.be16<kEthernetHeader + 6>();
  const std::uint8_t flags = header.u8<kAt + 13>();
  if (header.be16<12>() != kEtherTypeIpv4 || header.u8<kEthernetHeader>() != 0x45 ||
      header.u8<kEthernetHeader + 9>() != 6 || (fragment & 0x3fff) != 0 ||
      (flags & analysis::flag::kSyn) != 0)
    return false;
  std::uint32_t headers = kIpHeader + kTcpHeader;
  switch (header.u8<kAt + 12>() >> 4) {
    case 5:
      out.timestamps = analysis::Presence::absent;
      out.tsval = out.tsecr = 0;
      break;
    case 8: {
      const auto* const whole = reader.view<kAt + kTcpHeader + kStampList>();
      if (whole == nullptr || whole->be32<kAt + kTcpHeader>() != 0x0101080a) return false;
      out.timestamps = analysis::Presence::known;
      out.tsval = whole->be32<kAt + kTcpHeader + 4>();
      out.tsecr = whole->be32<kAt + kTcpHeader + 8>();
      headers += kStampList;
      break;
    }
    default:
      return false;
  }
  if (total < headers) return false;
  set_absent(out);
  out.time_ns = packet.time_ns;
  out.record = packet.record;
  set_ipv4(out.source.address, header.raw32<kEthernetHeader + 12>());
  set_ipv4(out.destination.address, header.raw32<kEthernetHeader + 16>());
  out.source.port = header.be16<kAt>();
  out.destination.port = header.be16<kAt + 2>();
  out.seq = header.be32<kAt + 4>();
  out.ack = header.be32<kAt + 8>();
  out.flags = flags;
  out.window = header.be16<kAt + 14>();
  out.ttl = header.u8<kEthernetHeader + 8>();
  out.ip_id = header.be16<kEthernetHeader + 4>();
  out.dont_fragment = (fragment & 0x4000) != 0;
  out.payload = total - headers;
  out.cut = packet.captured < kEthernetHeader + total;
  return true;
}

}  // namespace rwin::capture
