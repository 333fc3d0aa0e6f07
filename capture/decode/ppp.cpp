// PPP (RFC 1661, 1662), PPPoE (RFC 2516) and Cisco HDLC.
#include "capture/decode/layers.h"

namespace rwin::capture {
namespace {

// PPP protocol numbers (IANA).
constexpr std::uint16_t kPppIpv4 = 0x0021;
constexpr std::uint16_t kPppIpv6 = 0x0057;
constexpr std::uint16_t kEncrypted = 0x0053;
constexpr std::uint16_t kEncryptedLink = 0x0055;
constexpr std::uint16_t kCompressed = 0x00fd;  // in practice MPPE, the encryption of PPTP
constexpr std::uint16_t kPppMplsUnicast = 0x0281;
constexpr std::uint16_t kPppMplsMulticast = 0x0283;

constexpr std::uint8_t kControl = 0x03;  // unnumbered information
constexpr std::uint8_t kAllStations = 0xff;
constexpr std::uint8_t kCiscoUnicast = 0x0f;
constexpr std::uint8_t kCiscoMulticast = 0x8f;

// Protocol field compression (RFC 1661 6.5): an odd first byte is the whole field.
DecodeStatus decode_protocol(Context& context, SpanReader reader) {
  std::uint8_t high = 0;
  if (!reader.read_u8(high)) return short_link(reader, 1);
  std::uint16_t protocol = high;
  if ((high & 1) == 0) {
    std::uint8_t low = 0;
    if (!reader.read_u8(low)) return short_link(reader, 1);
    protocol = static_cast<std::uint16_t>(high << 8 | low);
  }
  switch (protocol) {
    case kPppIpv4:
      return decode_ipv4(context, reader);
    case kPppIpv6:
      return decode_ipv6(context, reader);
    case kPppMplsUnicast:
    case kPppMplsMulticast:
      return decode_mpls(context, reader);
    case kEncrypted:
    case kEncryptedLink:
    case kCompressed:
      return DecodeStatus::encrypted;
    default:
      return DecodeStatus::not_ip;
  }
}

}  // namespace

DecodeStatus decode_ppp(Context& context, SpanReader reader) {
  Fields<2> start{};
  if (!context.enter()) return DecodeStatus::malformed_link;
  if (!reader.peek(start)) return short_link(reader, 2);
  const std::uint8_t address = start.u8<0>();
  if (address == kCiscoUnicast || address == kCiscoMulticast) {
    return decode_cisco_hdlc(context, reader);
  }
  // pppd writes the direction (0 in, 1 out) over the address byte.
  const bool framed = address == kAllStations || address == 0x00 || address == 0x01;
  if (framed && start.u8<1>() == kControl && !reader.skip(2)) return short_link(reader, 2);
  return decode_protocol(context, reader);
}

DecodeStatus decode_pppoe(Context& context, SpanReader reader) {
  Fields<6> header{};  // version and type, code, session, length
  if (!context.enter()) return DecodeStatus::malformed_link;
  if (!reader.read(header)) return short_link(reader, 6);
  if (header.u8<0>() != 0x11) return DecodeStatus::malformed_link;
  if (header.u8<1>() != 0) return DecodeStatus::not_ip;  // discovery
  return decode_protocol(context, reader);
}

DecodeStatus decode_cisco_hdlc(Context& context, SpanReader reader) {
  Fields<4> header{};  // address, control 0, EtherType
  if (!reader.read(header)) return short_link(reader, 4);
  const std::uint8_t address = header.u8<0>();
  if (address != kCiscoUnicast && address != kCiscoMulticast) {
    // The same interface may speak PPP in HDLC framing.
    if (address != kAllStations || header.u8<1>() != kControl) return DecodeStatus::not_ip;
    const std::uint16_t protocol = header.be16<2>();
    if (protocol == kPppIpv4) return decode_ipv4(context, reader);
    return protocol == kPppIpv6 ? decode_ipv6(context, reader) : DecodeStatus::not_ip;
  }
  return decode_ether_type(context, header.be16<2>(), reader);
}

}  // namespace rwin::capture
