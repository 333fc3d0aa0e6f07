// IPv4 (RFC 791), IPv6 (RFC 8200) with its extension headers, MPLS labels (RFC 3032), and IP inside
// IP.
#include <cstddef>

#include "capture/decode/layers.h"

namespace rwin::capture {
namespace {

// Protocol numbers (IANA), the same for IPv4 and IPv6.
constexpr std::uint8_t kHopByHop = 0;
constexpr std::uint8_t kIcmp = 1;
constexpr std::uint8_t kIpv4InIp = 4;
constexpr std::uint8_t kTcp = 6;
constexpr std::uint8_t kUdp = 17;
constexpr std::uint8_t kIpv6InIp = 41;
constexpr std::uint8_t kRouting = 43;
constexpr std::uint8_t kFragment = 44;
constexpr std::uint8_t kGre = 47;
constexpr std::uint8_t kEsp = 50;
constexpr std::uint8_t kAuthentication = 51;
constexpr std::uint8_t kIcmp6 = 58;
constexpr std::uint8_t kNoNext = 59;
constexpr std::uint8_t kDestination = 60;
constexpr std::uint8_t kEtherIp = 97;
constexpr std::uint8_t kL2tp3 = 115;
constexpr std::uint8_t kMobility = 135;
constexpr std::uint8_t kMplsInIp = 137;  // RFC 4023
constexpr std::uint8_t kHostIdentity = 139;
constexpr std::uint8_t kShim6 = 140;

constexpr int kMaxExtensions = 16;
constexpr std::uint32_t kLeastJumbo = 65536;  // RFC 2675 3: a jumbo length must exceed 65535

DecodeStatus decode_inner(Context& context, std::uint8_t protocol, SpanReader reader) {
  if (!context.enter(analysis::Tunnel::ip_in_ip)) return DecodeStatus::malformed_ip;
  return protocol == kIpv4InIp ? decode_ipv4(context, reader) : decode_ipv6(context, reader);
}

// A fragment that is not the first: its bytes are the middle of something. Tells what, where the
// header says so.
DecodeStatus later_fragment(std::uint8_t protocol) {
  switch (protocol) {
    case kTcp:
    case kUdp:  // perhaps a tunnel
    case kGre:
    case kEtherIp:
    case kMplsInIp:
    case kIpv4InIp:
    case kIpv6InIp:
    case kAuthentication:
    case kHopByHop:
    case kRouting:
    case kDestination:
      return DecodeStatus::later_fragment;
    case kIcmp:
    case kIcmp6:
      return DecodeStatus::icmp;
    case kEsp:
      return DecodeStatus::encrypted;
    default:
      return DecodeStatus::not_tcp;
  }
}

// Skips an authentication header (RFC 4302): its length field counts words of 4 bytes, minus 2.
DecodeStatus skip_authentication(SpanReader& reader, std::uint8_t& next) {
  Fields<2> start{};
  if (!reader.peek(start)) return short_ip(reader, 2);
  const std::size_t length = (start.u8<1>() + std::size_t{2}) * 4;
  if (!reader.skip(length)) return short_ip(reader, length);
  next = start.u8<0>();
  return DecodeStatus::ok;
}

// A fragment of a TCP segment. Nearly always the first one holds the whole header.
DecodeStatus decode_tcp_fragment(Context& context, SpanReader reader) {
  const FragmentPlace& place = context.place;
  if (place.offset == 0) {
    Fields<20> header{};
    const bool cut = reader.left() < reader.wire_left();
    const bool whole =
        reader.peek(header) && (header.u8<12>() >> 4) * std::size_t{4} <= reader.wire_left();
    if (cut || whole || context.fragments == nullptr) return decode_tcp(context, reader);
  }
  if (context.fragments == nullptr) return DecodeStatus::later_fragment;
  const analysis::Segment& out = *context.out;
  const auto joined = context.fragments->add(out.time_ns, out.source.address,
                                             out.destination.address, place, reader);
  return joined ? decode_tcp(context, *joined) : DecodeStatus::later_fragment;
}

DecodeStatus decode_protocol(Context& context, std::uint8_t protocol, SpanReader reader) {
  for (int i = 0; i < kMaxExtensions && protocol == kAuthentication; ++i) {
    const DecodeStatus status = skip_authentication(reader, protocol);
    if (status != DecodeStatus::ok) return status;
  }
  switch (protocol) {
    case kTcp:
      return decode_tcp(context, reader);
    case kIcmp:
    case kIcmp6:
      return DecodeStatus::icmp;
    case kIpv4InIp:
    case kIpv6InIp:
      return decode_inner(context, protocol, reader);
    case kUdp:
      return decode_udp(context, reader);
    case kGre:
      return decode_gre(context, reader);
    case kEtherIp:
      return decode_etherip(context, reader);
    case kL2tp3:
      return decode_l2tp3(context, reader);
    case kMplsInIp:
      return decode_mpls_in_ip(context, reader);
    case kEsp:
      return DecodeStatus::encrypted;
    default:
      return DecodeStatus::not_tcp;
  }
}

// The jumbo payload option (RFC 2675) of a hop-by-hop header's body; 0: none.
DecodeStatus find_jumbo(SpanReader options, std::uint32_t& length) {
  constexpr std::uint8_t kPad1 = 0;
  constexpr std::uint8_t kJumbo = 0xc2;
  while (options.wire_left() > 0) {
    std::uint8_t type = 0;
    std::uint8_t size = 0;
    if (!options.read_u8(type)) return short_ip(options, 1);
    if (type == kPad1) continue;
    if (!options.read_u8(size)) return short_ip(options, 1);
    Fields<4> value{};
    if (type == kJumbo && size == 4) {
      if (!options.read(value)) return short_ip(options, 4);
      length = value.be32<0>();
      return length >= kLeastJumbo ? DecodeStatus::ok : DecodeStatus::malformed_ip;
    }
    if (!options.skip(size)) return short_ip(options, size);
  }
  return DecodeStatus::ok;
}

// Walks the extension headers up to the one that is not skipped; `next` becomes its number.
class Ipv6Extensions {
 public:
  Ipv6Extensions(Context& context, bool length_is_zero)
      : context_(context), length_is_zero_(length_is_zero) {}

  // `ok`: go on with `next`. Anything else is the record's status.
  DecodeStatus walk(SpanReader& reader, std::uint8_t& next) {
    for (int i = 0; i < kMaxExtensions; ++i) {
      DecodeStatus status = DecodeStatus::ok;
      switch (next) {
        case kHopByHop:
        case kRouting:
        case kDestination:
        case kMobility:
        case kHostIdentity:
        case kShim6:
          status = skip_options(reader, next);
          break;
        case kFragment:
          status = read_fragment(reader, next);
          break;
        case kAuthentication:
          status = skip_authentication(reader, next);
          break;
        default:
          return DecodeStatus::ok;
      }
      if (status != DecodeStatus::ok) return status;
    }
    return DecodeStatus::malformed_ip;
  }

 private:
  DecodeStatus skip_options(SpanReader& reader, std::uint8_t& next) {
    Fields<2> start{};  // next header, length in words of 8 bytes without the first
    if (!reader.peek(start)) return short_ip(reader, 2);
    const std::uint32_t length = (start.u8<1>() + 1U) * 8U;
    if (reader.wire_left() < length) return DecodeStatus::malformed_ip;
    if (next == kHopByHop && length_is_zero_) {
      SpanReader body = reader;
      body.set_length(length);
      std::uint32_t jumbo = 0;
      if (!body.skip(2)) return short_ip(body, 2);
      const DecodeStatus status = find_jumbo(body, jumbo);
      if (status != DecodeStatus::ok) return status;
      // The length counts everything behind the fixed header, so this one too (it is the first: RFC
      // 8200 4.1).
      if (jumbo > 0) reader.set_length(jumbo);
    }
    if (!reader.skip(length)) return short_ip(reader, length);
    next = start.u8<0>();
    return DecodeStatus::ok;
  }

  DecodeStatus read_fragment(SpanReader& reader, std::uint8_t& next) {
    Fields<8>
        header{};  // next header, reserved, offset (13 bits) and "more" (1 bit), identification
    if (!reader.read(header)) return short_ip(reader, 8);
    next = header.u8<0>();
    const std::uint16_t where = header.be16<2>();
    // Neither an offset nor more: an atomic fragment (RFC 6946), a whole packet.
    context_.place = {header.be32<4>(), where & ~7U, (where & 1) != 0, (where & ~6U) != 0};
    if (where >> 3 != 0 && next != kTcp) return later_fragment(next);
    return DecodeStatus::ok;
  }

  Context& context_;
  bool length_is_zero_;
};

}  // namespace

DecodeStatus decode_ip(Context& context, SpanReader reader) {
  Fields<1> first{};
  if (!reader.peek(first)) return short_ip(reader, 1);
  switch (first.u8<0>() >> 4) {
    case 4:
      return decode_ipv4(context, reader);
    case 6:
      return decode_ipv6(context, reader);
    default:
      return DecodeStatus::malformed_ip;
  }
}

DecodeStatus decode_ipv4(Context& context, SpanReader reader) {
  constexpr std::size_t kFixed = 20;
  Fields<kFixed> header{};
  if (!reader.read(header)) return short_ip(reader, kFixed);
  const std::size_t length = (header.u8<0>() & 0x0fU) * std::size_t{4};
  if (header.u8<0>() >> 4 != 4 || length < kFixed) return DecodeStatus::malformed_ip;
  // Total length 0: an offload super-packet, seen before the network card cut it; what the record
  // held on the wire counts then (Linux BIG TCP, segmentation offload).
  const std::uint16_t total = header.be16<2>();
  if (total != 0) {
    if (total < length) return DecodeStatus::malformed_ip;
    reader.set_length(static_cast<std::uint32_t>(total - kFixed));
  }
  if (!reader.skip(length - kFixed)) return short_ip(reader, length - kFixed);

  const std::uint16_t fragment = header.be16<6>();
  const std::uint8_t protocol = header.u8<9>();
  analysis::Segment& out = *context.out;
  if (out.tunnel != analysis::Tunnel::none) out.source.address = out.destination.address = {};
  out.source.address.family = out.destination.address.family = 4;
  header.copy<12, 4>(out.source.address.bytes.data());
  header.copy<16, 4>(out.destination.address.bytes.data());
  out.ip_id = header.be16<4>();
  out.ttl = header.u8<8>();
  out.dont_fragment = (fragment & 0x4000) != 0;
  context.place = {};
  if ((fragment & 0x3fff) != 0) {
    context.place = {out.ip_id, (fragment & 0x1fffU) * 8, (fragment & 0x2000) != 0, true};
    if (protocol == kTcp) return decode_tcp_fragment(context, reader);
    if (context.place.offset != 0) return later_fragment(protocol);
  }
  if (protocol == kTcp) return decode_tcp(context, reader);
  return decode_protocol(context, protocol, reader);
}

DecodeStatus decode_ipv6(Context& context, SpanReader reader) {
  constexpr std::size_t kFixed = 40;
  Fields<kFixed> header{};
  if (!reader.read(header)) return short_ip(reader, kFixed);
  if (header.u8<0>() >> 4 != 6) return DecodeStatus::malformed_ip;
  const std::uint16_t length = header.be16<4>();
  std::uint8_t next = header.u8<6>();
  // Length 0 with something behind the header: a jumbo payload or, without that option, a
  // super-packet as in IPv4.
  if (length != 0) {
    reader.set_length(length);
  } else if (next == kNoNext) {
    return DecodeStatus::not_tcp;
  }
  analysis::Segment& out = *context.out;
  out.source.address.family = out.destination.address.family = 6;
  header.copy<8, 16>(out.source.address.bytes.data());
  header.copy<24, 16>(out.destination.address.bytes.data());
  out.ip_id = 0;
  out.ttl = header.u8<7>();
  out.dont_fragment = true;
  context.place = {};
  const DecodeStatus status = Ipv6Extensions(context, length == 0).walk(reader, next);
  if (status != DecodeStatus::ok) return status;
  if (next == kTcp && context.place.is_fragment) return decode_tcp_fragment(context, reader);
  return decode_protocol(context, next, reader);
}

DecodeStatus decode_mpls(Context& context, SpanReader reader) {
  Fields<4> label{};  // label, class, bottom of stack (bit 8), time to live
  do {
    if (!context.enter()) return DecodeStatus::malformed_link;
    if (!reader.read(label)) return short_link(reader, 4);
  } while ((label.be32<0>() & 0x100) == 0);
  // Labels do not tell what they carry; the first four bits do (RFC 4928, RFC 4385).
  Fields<1> first{};
  if (!reader.peek(first)) return short_link(reader, 1);
  switch (first.u8<0>() >> 4) {
    case 4:
      return decode_ipv4(context, reader);
    case 6:
      return decode_ipv6(context, reader);
    case 0:  // pseudowire control word, then an Ethernet frame
      if (!reader.skip(4)) return short_link(reader, 4);
      return decode_ethernet(context, reader);
    default:
      return DecodeStatus::not_ip;
  }
}

}  // namespace rwin::capture
