// The commonest packet in one go: Ethernet, IPv4 without options or fragments, TCP with no option
// but time stamps. Two thirds less work than going through it layer by layer, which is what every
// other packet gets, and which this one would give the same (tests/decode/plain_test.cpp).
#include <array>
#include <bit>
#include <cstddef>
#include <cstring>

#include "capture/decode/layers.h"

namespace rwin::capture {
namespace {

constexpr std::uint32_t kEthernetHeader = 14, kIpHeader = 20,
                        kTcpHeader = 20;  // bytes of the headers
constexpr std::uint32_t kStampList = 12;  // NOP, NOP, time stamps (RFC 7323 A)

// All 16 bytes in one store: read back at once in larger pieces than they were written, they would
// hold the processor up.
void set_ipv4(analysis::Address& address, const std::uint8_t* from) {
  std::uint32_t four = 0;
  std::memcpy(&four, from, sizeof four);
  const std::array<std::uint64_t, 2> halves = {
      std::endian::native == std::endian::little ? four : std::uint64_t{four} << 32, 0};
  address.bytes = std::bit_cast<std::array<std::uint8_t, 16>>(halves);
}

}  // namespace

bool decode_plain(const RawPacket& packet, analysis::Segment& out) {
  Fields<kEthernetHeader + kIpHeader + kTcpHeader> header;
  SpanReader reader(packet.data, packet.captured, packet.original);
  if (!reader.read(header)) return false;
  const std::uint32_t total = header.be16<kEthernetHeader + 2>();
  const std::uint16_t fragment = header.be16<kEthernetHeader + 6>();
  constexpr std::uint16_t kIpv4 = 0x0800;
  const bool plain_ip = header.be16<12>() == kIpv4 && header.u8<kEthernetHeader>() == 0x45 &&
                        header.u8<kEthernetHeader + 9>() == 6 && (fragment & 0x3fff) == 0;
  constexpr std::size_t kAt = kEthernetHeader + kIpHeader;
  const std::uint8_t flags = header.u8<kAt + 13>();
  const unsigned words = header.u8<kAt + 12>() >> 4;
  const bool stamped = words == 8;
  const std::uint32_t headers = kIpHeader + kTcpHeader + (stamped ? kStampList : 0);
  if (!plain_ip || (words != 5 && !stamped) || (flags & analysis::flag::kSyn) != 0 ||
      total < headers)
    return false;
  std::memcpy(static_cast<void*>(&out), &kBlankSegment, offsetof(analysis::Segment, sack));
  if (stamped) {
    Fields<kStampList> list;
    if (!reader.read(list) || list.be32<0>() != 0x0101080a) return false;
    out.tsval = list.be32<4>();
    out.tsecr = list.be32<8>();
  }
  out.timestamps = stamped ? analysis::Presence::known : analysis::Presence::absent;
  out.time_ns = packet.time_ns;
  out.record = packet.record;
  out.source.address.family = out.destination.address.family = 4;
  set_ipv4(out.source.address, packet.data + kEthernetHeader + 12);
  set_ipv4(out.destination.address, packet.data + kEthernetHeader + 16);
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
