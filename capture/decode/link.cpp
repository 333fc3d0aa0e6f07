// Link layers that carry an EtherType or an LLC header, and the choice of decoder by link type.
#include "capture/decode/dot11.h"
#include "capture/decode/layers.h"

namespace rwin::capture {
namespace {

// EtherTypes (IEEE 802 numbers).
constexpr std::uint16_t kLastLength = 1500;  // up to here the field is an 802.3 length
constexpr std::uint16_t kIpv4 = 0x0800;
constexpr std::uint16_t kIpv6 = 0x86dd;
constexpr std::uint16_t kVlan = 0x8100;         // 802.1Q
constexpr std::uint16_t kServiceVlan = 0x88a8;  // 802.1ad
constexpr std::uint16_t kOldVlan1 = 0x9100;     // QinQ before 802.1ad
constexpr std::uint16_t kOldVlan2 = 0x9200;
constexpr std::uint16_t kOldVlan3 = 0x9300;
constexpr std::uint16_t kMplsUnicast = 0x8847;
constexpr std::uint16_t kMplsMulticast = 0x8848;
constexpr std::uint16_t kPpp = 0x880b;
constexpr std::uint16_t kPppoeSession = 0x8864;
constexpr std::uint16_t kJumboLlc = 0x8870;  // LLC in frames above 1500 bytes
constexpr std::uint16_t kMacsec = 0x88e5;

constexpr std::uint32_t kOuiEthernet = 0x000000;  // SNAP: an EtherType follows (RFC 1042)
constexpr std::uint32_t kOuiTunnel = 0x0000f8;    // the same, bridge-tunnel encapsulation (802.1H)

// ISO network layer protocol identifiers, after LLC FE FE 03 (RFC 2684 5.1)
constexpr std::uint8_t kNlpidIpv4 = 0xcc;
constexpr std::uint8_t kNlpidIpv6 = 0x8e;

DecodeStatus decode_vlan(Context& context, SpanReader reader) {
  Fields<4> tag{};  // priority and VLAN number, then the next EtherType
  if (!context.enter()) return DecodeStatus::malformed_link;
  if (!reader.read(tag)) return short_link(reader, 4);
  return decode_ether_type(context, tag.be16<2>(), reader);
}

DecodeStatus decode_snap(Context& context, SpanReader reader) {
  Fields<5> snap{};
  if (!reader.read(snap)) return short_link(reader, 5);
  const std::uint32_t oui = snap.be32<0>() >> 8;
  if (oui != kOuiEthernet && oui != kOuiTunnel) return DecodeStatus::not_ip;
  return decode_ether_type(context, snap.be16<3>(), reader);
}

}  // namespace

DecodeStatus decode_ethernet(Context& context, SpanReader reader) {
  Fields<14> header{};  // two addresses, EtherType or length
  if (!reader.read(header)) return short_link(reader, 14);
  const std::uint16_t type = header.be16<12>();
  if (type == kIpv4) return decode_ipv4(context, reader);
  return decode_ether_type(context, type, reader);
}

DecodeStatus decode_ether_type(Context& context, std::uint16_t type, SpanReader reader) {
  switch (type) {
    case kIpv4:
      return decode_ipv4(context, reader);
    case kIpv6:
      return decode_ipv6(context, reader);
    case kVlan:
    case kServiceVlan:
    case kOldVlan1:
    case kOldVlan2:
    case kOldVlan3:
      return decode_vlan(context, reader);
    case kPppoeSession:
      return decode_pppoe(context, reader);
    case kPpp:
      return decode_ppp(context, reader);
    case kMplsUnicast:
    case kMplsMulticast:
      return decode_mpls(context, reader);
    case kJumboLlc:
      return decode_llc(context, reader);
    case kMacsec:
      return DecodeStatus::encrypted;
    default:
      return type <= kLastLength ? decode_llc(context, reader) : DecodeStatus::not_ip;
  }
}

DecodeStatus decode_llc(Context& context, SpanReader reader) {
  Fields<3> llc{};  // destination and source access point, control (unnumbered information: 03)
  if (!context.enter()) return DecodeStatus::malformed_link;
  if (!reader.read(llc)) return short_link(reader, 3);
  if (llc.u8<2>() != 0x03 || llc.u8<0>() != llc.u8<1>()) return DecodeStatus::not_ip;
  switch (llc.u8<0>()) {
    case 0xaa:
      return decode_snap(context, reader);
    case 0x06:  // IP directly over LLC (RFC 948)
      return decode_ipv4(context, reader);
    case 0xfe: {
      std::uint8_t protocol = 0;
      if (!reader.read_u8(protocol)) return short_link(reader, 1);
      if (protocol == kNlpidIpv4) return decode_ipv4(context, reader);
      if (protocol == kNlpidIpv6) return decode_ipv6(context, reader);
      return DecodeStatus::not_ip;
    }
    default:
      return DecodeStatus::not_ip;
  }
}

// The numbers are libpcap's (pcap/dlt.h) and the LINKTYPE_ values that pcapng stores; where the two
// differ, both are here. See link_types.cpp for the names.
DecodeStatus decode_link(Context& context, std::uint32_t link_type, SpanReader reader) {
  switch (link_type) {
    case 0:
      return decode_bsd_null(context, reader, false);
    case 1:
      return decode_ethernet(context, reader);
    case 9:
    case 50:
    case 166:
      return decode_ppp(context, reader);
    case 51:
      return decode_pppoe(context, reader);
    case 11:
    case 100:
      return decode_llc(context, reader);
    case 12:
    case 14:
    case 101:
      return decode_ip(context, reader);
    case 104:
      return decode_cisco_hdlc(context, reader);
    case 105:
    case 127:
      return decode_dot11(context, link_type, reader);
    case 108:
      return decode_bsd_null(context, reader, true);
    case 109:
      return decode_enc(context, reader);
    case 113:
      return decode_cooked(context, reader);
    case 149:
    case 258:
      return decode_pktap(context, reader);
    case 192:
      return decode_ppi(context, reader);
    case 204: {
      std::uint8_t direction = 0;
      if (!reader.read_u8(direction)) return short_link(reader, 1);
      return decode_ppp(context, reader);
    }
    case 219:
      return decode_mpls(context, reader);
    case 228:
      return decode_ipv4(context, reader);
    case 229:
      return decode_ipv6(context, reader);
    case 239:
      return decode_nflog(context, reader);
    case 276:
      return decode_cooked_v2(context, reader);
    default:
      return DecodeStatus::unsupported_link;
  }
}

}  // namespace rwin::capture
