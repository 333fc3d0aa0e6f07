// Headers that a capturing system writes in place of, or in front of, the real link layer.
// Formats: the LINKTYPE_ list of tcpdump.org, linux/if_arp.h, Apple's bsd/net/pktap.h, the PPI
// specification, linux/netfilter/nfnetlink_log.h.
#include <cstddef>

#include "capture/decode/layers.h"

namespace rwin::capture {
namespace {

constexpr std::uint16_t kArphrdRadiotap = 803;
constexpr std::uint16_t kArphrdNetlink = 824;
constexpr std::uint16_t kCookedLlc = 0x0004;  // ETH_P_802_2: an LLC header follows
constexpr std::uint16_t kCookedRaw = 0x0001;  // ETH_P_802_3: Novell's frames, no IP
constexpr std::uint32_t kDltRadiotap = 127;

DecodeStatus decode_cooked_payload(Context& context, std::uint16_t hardware, std::uint16_t protocol,
                                   SpanReader reader) {
  if (hardware == kArphrdNetlink) return DecodeStatus::not_ip;
  if (hardware == kArphrdRadiotap) return decode_link(context, kDltRadiotap, reader);
  if (protocol == kCookedLlc) return decode_llc(context, reader);
  if (protocol == kCookedRaw) return DecodeStatus::not_ip;
  return decode_ether_type(context, protocol, reader);
}

// Address families: IPv4 is 2 everywhere; IPv6 is 10 on Linux, 23 on Windows, 24 on NetBSD and
// OpenBSD, 28 on FreeBSD, 30 on macOS.
DecodeStatus decode_family(Context& context, std::uint32_t family, SpanReader reader) {
  switch (family) {
    case 2:
      return decode_ipv4(context, reader);
    case 10:
    case 23:
    case 24:
    case 28:
    case 30:
      return decode_ipv6(context, reader);
    default:
      return DecodeStatus::not_ip;
  }
}

// A family in the byte order of the machine that captured: families are small, so the wrong order
// shows.
std::uint32_t family_of_either_order(std::uint32_t little, std::uint32_t big) {
  return little > 0xffff ? big : little;
}

}  // namespace

DecodeStatus decode_cooked(Context& context, SpanReader reader) {
  Fields<16> header{};  // packet type, hardware type, address length, address (8), protocol
  if (!reader.read(header)) return short_link(reader, 16);
  return decode_cooked_payload(context, header.be16<2>(), header.be16<14>(), reader);
}

DecodeStatus decode_cooked_v2(Context& context, SpanReader reader) {
  // protocol, reserved, interface (4), hardware type, packet type, address length, address (8)
  Fields<20> header{};
  if (!reader.read(header)) return short_link(reader, 20);
  return decode_cooked_payload(context, header.be16<8>(), header.be16<0>(), reader);
}

DecodeStatus decode_bsd_null(Context& context, SpanReader reader, bool network_order) {
  Fields<4> header{};
  if (!reader.read(header)) return short_link(reader, 4);
  const std::uint32_t family =
      network_order ? header.be32<0>() : family_of_either_order(header.le32<0>(), header.be32<0>());
  return decode_family(context, family, reader);
}

DecodeStatus decode_enc(Context& context, SpanReader reader) {
  Fields<12>
      header{};  // family, security parameter index, flags; the packet behind it is in the clear
  if (!reader.read(header)) return short_link(reader, 12);
  return decode_family(context, family_of_either_order(header.le32<0>(), header.be32<0>()), reader);
}

DecodeStatus decode_pktap(Context& context, SpanReader reader) {
  constexpr std::uint32_t kLeastHeader = 108;
  constexpr std::uint32_t kMostHeader = 4096;
  Fields<12> header{};  // header length, type, link type of what follows; all little-endian
  if (!context.enter()) return DecodeStatus::malformed_link;
  if (!reader.peek(header)) return short_link(reader, 12);
  const std::uint32_t length = header.le32<0>();
  if (length < kLeastHeader || length > kMostHeader) return DecodeStatus::malformed_link;
  if (!reader.skip(length)) return short_link(reader, length);
  return decode_link(context, header.le32<8>(), reader);
}

DecodeStatus decode_ppi(Context& context, SpanReader reader) {
  Fields<8> header{};  // version, flags, length of all PPI fields, link type; little-endian
  if (!context.enter()) return DecodeStatus::malformed_link;
  if (!reader.peek(header)) return short_link(reader, 8);
  const std::uint16_t length = header.le16<2>();
  if (header.u8<0>() != 0 || length < 8) return DecodeStatus::malformed_link;
  if (!reader.skip(length)) return short_link(reader, length);
  return decode_link(context, header.le32<4>(), reader);
}

DecodeStatus decode_nflog(Context& context, SpanReader reader) {
  constexpr std::uint16_t kPayload = 9;  // NFULA_PAYLOAD
  constexpr std::size_t kMostAttributes = 64;
  Fields<4> header{};  // address family, version, resource
  if (!reader.read(header)) return short_link(reader, 4);
  for (std::size_t i = 0; i < kMostAttributes; ++i) {
    Fields<4>
        attribute{};  // length with this header, type; in the byte order of the capturing machine
    if (!reader.read(attribute)) return short_link(reader, 4);
    std::uint16_t length = attribute.le16<0>();
    std::uint16_t type = attribute.le16<2>() & 0x7fff;
    if (type > 0xff) {
      length = attribute.be16<0>();
      type = attribute.be16<2>() & 0x7fff;
    }
    if (length < 4) return DecodeStatus::malformed_link;
    const std::size_t body = length - std::size_t{4};
    if (type == kPayload) {
      return decode_family(context, header.u8<0>(), reader);
    }
    const std::size_t padded = (body + 3) / 4 * 4;
    if (!reader.skip(padded)) return short_link(reader, padded);
  }
  return DecodeStatus::malformed_link;
}

}  // namespace rwin::capture
