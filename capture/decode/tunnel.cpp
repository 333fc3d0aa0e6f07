// Tunnels that carry packets in packets: GRE (RFC 2784, 2890, 2637, 7637) with ERSPAN, EtherIP
// (RFC 3378), and over UDP VXLAN (RFC 7348, draft-ietf-nvo3-vxlan-gpe), GENEVE (RFC 8926), GTP-U
// (3GPP TS 29.281), Teredo (RFC 4380), L2TP (RFC 2661, 3931) and MPLS (RFC 7510). IP in IP: ip.cpp.
#include <cstddef>

#include "capture/decode/layers.h"

namespace rwin::capture {
namespace {

using analysis::Tunnel;

constexpr std::uint16_t kBridgedEthernet = 0x6558;
constexpr std::uint16_t kErspan = 0x88be;  // types I and II
constexpr std::uint16_t kErspan3 = 0x22eb;

// What stands in a tunnel is IP's payload, its link layers too.
DecodeStatus inside(DecodeStatus status) {
  if (status == DecodeStatus::cut_link) return DecodeStatus::cut_ip;
  return status == DecodeStatus::malformed_link ? DecodeStatus::malformed_ip : status;
}

DecodeStatus decode_bridged(Context& context, std::uint16_t type, SpanReader reader) {
  constexpr std::uint16_t kLeast =
      0x0600;  // below: lengths of 802.3; here keep-alives and the like
  if (type < kLeast) return DecodeStatus::not_tcp;
  return type == kBridgedEthernet ? decode_ethernet(context, reader)
                                  : decode_ether_type(context, type, reader);
}

DecodeStatus decode_erspan3(Context& context, SpanReader reader) {
  // version, VLAN, session; time stamp; group tag; frame type (5 bits from bit 10), optional part
  Fields<12> header{};
  if (!reader.read(header)) return short_ip(reader, 12);
  const std::uint16_t last = header.be16<10>();
  if ((last & 1) != 0 && !reader.skip(8)) return short_ip(reader, 8);
  switch ((last >> 10) & 0x1f) {
    case 0:
      return decode_ethernet(context, reader);
    case 2:
      return decode_ip(context, reader);
    default:
      return DecodeStatus::not_ip;
  }
}

// Each decoder of a UDP tunnel stands behind the UDP header.

DecodeStatus decode_vxlan(Context& context, SpanReader reader) {
  constexpr std::uint8_t kNextProtocol = 0x04;
  constexpr std::uint8_t kNetwork = 0x08;
  Fields<8> header{};  // flags, reserved, next protocol, network, reserved
  if (!reader.read(header)) return short_ip(reader, 8);
  if ((header.u8<0>() & kNetwork) == 0) return DecodeStatus::malformed_ip;
  if ((header.u8<0>() & kNextProtocol) == 0) return decode_ethernet(context, reader);
  switch (header.u8<3>()) {
    case 1:
      return decode_ipv4(context, reader);
    case 2:
      return decode_ipv6(context, reader);
    case 3:
      return decode_ethernet(context, reader);
    default:
      return DecodeStatus::not_ip;
  }
}

DecodeStatus decode_geneve(Context& context, SpanReader reader) {
  Fields<8> header{};  // version and length of the options, flags, EtherType, network
  if (!reader.read(header)) return short_ip(reader, 8);
  if (header.u8<0>() >> 6 != 0) return DecodeStatus::malformed_ip;
  const std::size_t options = (header.u8<0>() & 0x3fU) * std::size_t{4};
  if (!reader.skip(options)) return short_ip(reader, options);
  return decode_bridged(context, header.be16<2>(), reader);
}

DecodeStatus decode_gtp(Context& context, SpanReader reader) {
  constexpr std::uint8_t kUserData = 255;
  constexpr std::uint8_t kOptional = 0x07;  // extension, sequence number, N-PDU number
  constexpr int kMostExtensions = 8;
  Fields<8> header{};  // version and flags, message type, length, tunnel
  if (!reader.read(header)) return short_ip(reader, 8);
  if (header.u8<0>() >> 4 != 3) return DecodeStatus::malformed_ip;  // version 1, GTP (not GTP')
  if (header.u8<1>() != kUserData) return DecodeStatus::not_tcp;
  if ((header.u8<0>() & kOptional) != 0) {
    Fields<4> more{};  // sequence number, N-PDU number, type of the next extension
    if (!reader.read(more)) return short_ip(reader, 4);
    std::uint8_t next = (header.u8<0>() & 0x04) != 0 ? more.u8<3>() : 0;
    for (int i = 0; next != 0; ++i) {
      Fields<1> length{};  // in words of 4 bytes; the last byte is the next type
      if (!reader.peek(length)) return short_ip(reader, 1);
      const std::size_t size = length.u8<0>() * std::size_t{4};
      if (size == 0 || i == kMostExtensions) return DecodeStatus::malformed_ip;
      if (!reader.skip(size - 1)) return short_ip(reader, size - 1);
      if (!reader.read_u8(next)) return short_ip(reader, 1);
    }
  }
  return decode_ip(context, reader);
}

DecodeStatus decode_teredo(Context& context, SpanReader reader) {
  constexpr std::uint16_t kAuthentication = 1;
  constexpr std::uint16_t kOrigin = 0;
  Fields<4> start{};
  if (!reader.peek(start)) return short_ip(reader, 4);
  if (start.be16<0>() == kAuthentication) {
    // lengths of client identifier and value; then a nonce of 8 bytes and a confirmation byte
    const std::size_t size = 4 + start.u8<2>() + start.u8<3>() + std::size_t{9};
    if (!reader.skip(size)) return short_ip(reader, size);
    if (!reader.peek(start)) return short_ip(reader, 4);
  }
  if (start.be16<0>() == kOrigin && !reader.skip(8)) return short_ip(reader, 8);
  return decode_ipv6(context, reader);
}

// Version 3 (RFC 3931) from the session on. How long its cookie is (0, 4 or 8 bytes) and whether a
// sublayer follows (4) was agreed before: an Ethernet frame is looked for behind each.
DecodeStatus decode_l2tp3_session(Context& context, SpanReader reader) {
  constexpr std::size_t kFrame = 15;  // with the version of IP
  constexpr int kMostWords = 3;
  Fields<4> session{};
  if (!reader.read(session)) return short_ip(reader, 4);
  if (session.be32<0>() == 0) return DecodeStatus::not_tcp;  // control message
  for (int words = 0;; ++words) {
    Fields<kFrame> frame{};
    if (reader.wire_left() < kFrame) return DecodeStatus::not_tcp;
    if (!reader.peek(frame)) return DecodeStatus::cut_ip;
    const std::uint16_t type = frame.be16<12>();
    const int version = frame.u8<14>() >> 4;
    const bool tagged = type == 0x8100 || type == 0x88a8;
    if (tagged || (type == 0x0800 && version == 4) || (type == 0x86dd && version == 6))
      return decode_ethernet(context, reader);
    if (words == kMostWords || !reader.skip(4)) return DecodeStatus::not_tcp;
  }
}

DecodeStatus decode_l2tp(Context& context, SpanReader reader) {
  Fields<2> flags{};
  if (!reader.read(flags)) return short_ip(reader, 2);
  const std::uint16_t bits = flags.be16<0>();
  if ((bits & 0x0f) == 3) {
    if ((bits & 0x8000) != 0) return DecodeStatus::not_tcp;  // control message
    return reader.skip(2) ? decode_l2tp3_session(context, reader) : short_ip(reader, 2);
  }
  if ((bits & 0x0f) != 2) return DecodeStatus::malformed_ip;
  if ((bits & 0x8000) != 0) return DecodeStatus::not_tcp;  // control message
  std::size_t size = 4;                                    // tunnel, session
  if ((bits & 0x4000) != 0) size += 2;                     // length
  if ((bits & 0x0800) != 0) size += 4;                     // sequence numbers
  if (!reader.skip(size)) return short_ip(reader, size);
  if ((bits & 0x0200) != 0) {
    Fields<2> offset{};
    if (!reader.read(offset)) return short_ip(reader, 2);
    if (!reader.skip(offset.be16<0>())) return short_ip(reader, offset.be16<0>());
  }
  return decode_ppp(context, reader);
}

struct UdpTunnel {
  std::uint16_t port;
  bool both_ways;  // answers come from the port; else each side sends to it
  Tunnel tunnel;
  DecodeStatus (*decode)(Context&, SpanReader);
};
constexpr UdpTunnel kUdpTunnels[] = {
    {4789, false, Tunnel::vxlan, decode_vxlan},
    {8472, false, Tunnel::vxlan, decode_vxlan},  // Linux's first choice, flannel
    {4790, false, Tunnel::vxlan, decode_vxlan},  // with a next protocol
    {6081, false, Tunnel::geneve, decode_geneve},
    {2152, false, Tunnel::gtp, decode_gtp},
    {3544, true, Tunnel::teredo, decode_teredo},
    {1701, true, Tunnel::l2tp, decode_l2tp},
    {6635, false, Tunnel::mpls, decode_mpls},
};
constexpr std::uint16_t kIpsec = 4500;  // ESP in UDP (RFC 3948)

}  // namespace

DecodeStatus decode_gre(Context& context, SpanReader reader) {
  constexpr std::uint16_t kChecksum = 0x8000, kRouting = 0x4000, kKey = 0x2000, kSequence = 0x1000,
                          kAcknowledgement = 0x0080;
  Fields<4> header{};  // flags and version, EtherType
  if (!reader.read(header)) return short_ip(reader, 4);
  const std::uint16_t flags = header.be16<0>();
  const std::uint16_t version = flags & 7;
  const std::uint16_t type = header.be16<2>();
  if (version > 1) return DecodeStatus::malformed_ip;
  if ((flags & kRouting) != 0) return DecodeStatus::not_tcp;  // source routes (RFC 1701): unused
  std::size_t size = 0;
  for (const std::uint16_t field : {kChecksum, kKey, kSequence})
    if ((flags & field) != 0) size += 4;
  if (version == 1 && (flags & kAcknowledgement) != 0) size += 4;
  if (!reader.skip(size)) return short_ip(reader, size);
  if (version == 1 && (flags & kSequence) == 0) return DecodeStatus::not_tcp;  // no payload
  const bool mirrored = type == kErspan || type == kErspan3;
  if (!context.enter(mirrored ? Tunnel::erspan : Tunnel::gre)) return DecodeStatus::malformed_ip;
  if (type == kErspan3) return inside(decode_erspan3(context, reader));
  if (type != kErspan) return inside(decode_bridged(context, type, reader));
  // Type I has no header of its own; type II has one, and sequence numbers.
  if ((flags & kSequence) != 0 && !reader.skip(8)) return short_ip(reader, 8);
  return inside(decode_ethernet(context, reader));
}

DecodeStatus decode_etherip(Context& context, SpanReader reader) {
  Fields<2> header{};  // version 3, reserved
  if (!reader.read(header)) return short_ip(reader, 2);
  if (header.u8<0>() >> 4 != 3) return DecodeStatus::not_tcp;
  if (!context.enter(Tunnel::etherip)) return DecodeStatus::malformed_ip;
  return inside(decode_ethernet(context, reader));
}

DecodeStatus decode_l2tp3(Context& context, SpanReader reader) {
  if (!context.enter(Tunnel::l2tp)) return DecodeStatus::malformed_ip;
  return inside(decode_l2tp3_session(context, reader));
}

DecodeStatus decode_mpls_in_ip(Context& context, SpanReader reader) {
  if (!context.enter(Tunnel::mpls)) return DecodeStatus::malformed_ip;
  return inside(decode_mpls(context, reader));
}

DecodeStatus decode_udp(Context& context, SpanReader reader) {
  Fields<8> header{};  // ports, length with this header, checksum
  if (!reader.read(header)) return short_ip(reader, 8);
  const std::uint16_t source = header.be16<0>();
  const std::uint16_t destination = header.be16<2>();
  for (const UdpTunnel& one : kUdpTunnels) {
    if (destination != one.port && !(one.both_ways && source == one.port)) continue;
    if (!context.enter(one.tunnel)) return DecodeStatus::malformed_ip;
    const DecodeStatus status = inside(one.decode(context, reader));
    // A port is only a hint: what makes no sense inside is somebody else's datagram.
    return is_malformed(status) || status == DecodeStatus::not_ip ? DecodeStatus::not_tcp : status;
  }
  if (destination == kIpsec || source == kIpsec) {
    Fields<4> index{};  // 0: key exchange
    return reader.peek(index) && index.be32<0>() != 0 ? DecodeStatus::encrypted
                                                      : DecodeStatus::not_tcp;
  }
  return DecodeStatus::not_tcp;
}

}  // namespace rwin::capture
