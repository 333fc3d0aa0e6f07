// Inside of the decoder: one function per layer, each reads its header and calls the next. Nobody
// outside capture/decode includes this.
#pragma once

#include <cstdint>

#include "analysis/segment.h"
#include "capture/decode/decode.h"
#include "capture/decode/fragments.h"
#include "capture/decode/span_reader.h"

namespace rwin::capture {

// What travels down the layers of one record. Each layer writes what it knows into `out`, which
// starts blank; an inner IP header overwrites what an outer one wrote.
struct Context {
  analysis::Segment* out;
  int layers_left = 16;            // bounds tags, labels and tunnels inside each other
  Fragments* fragments = nullptr;  // where parts of TCP headers wait for the others
  FragmentPlace place{};           // of the innermost IP packet

  // One more layer inside another; false: too many, the packet is nonsense or an attack.
  [[nodiscard]] bool enter() { return --layers_left >= 0; }
  // The layers inside are in `tunnel`, unless one further out gave its name already.
  [[nodiscard]] bool enter(analysis::Tunnel tunnel) {
    if (out->tunnel == analysis::Tunnel::none) {
      out->tunnel = tunnel;
      out->outer_source = out->source.address;
      out->outer_destination = out->destination.address;
    }
    return enter();
  }
};

// Copying a blank is a dozen vector moves; clearing in place became a slow string instruction (g++
// 12).
inline constexpr analysis::Segment kBlankSegment{};

// plain.cpp: false for a packet that is not of the commonest kind; `out` is undefined then.
bool decode_plain(const RawPacket& packet, analysis::Segment& out);

// A header of `need` bytes did not fit: cut by the capture, or too short on the wire.
[[nodiscard]] inline DecodeStatus short_read(const SpanReader& reader, std::size_t need,
                                             DecodeStatus cut, DecodeStatus malformed) {
  return reader.wire_left() >= need ? cut : malformed;
}
[[nodiscard]] inline DecodeStatus short_link(const SpanReader& reader, std::size_t need) {
  return short_read(reader, need, DecodeStatus::cut_link, DecodeStatus::malformed_link);
}
[[nodiscard]] inline DecodeStatus short_ip(const SpanReader& reader, std::size_t need) {
  return short_read(reader, need, DecodeStatus::cut_ip, DecodeStatus::malformed_ip);
}

// link.cpp
DecodeStatus decode_link(Context& context, std::uint32_t link_type, SpanReader reader);
DecodeStatus decode_ethernet(Context& context, SpanReader reader);
DecodeStatus decode_ether_type(Context& context, std::uint16_t type, SpanReader reader);
DecodeStatus decode_llc(Context& context, SpanReader reader);

// ppp.cpp
DecodeStatus decode_ppp(Context& context, SpanReader reader);  // address and control bytes optional
DecodeStatus decode_pppoe(Context& context, SpanReader reader);  // from the PPPoE header on
DecodeStatus decode_cisco_hdlc(Context& context, SpanReader reader);

// pseudo.cpp: headers that capturing systems put in front
DecodeStatus decode_cooked(Context& context, SpanReader reader);     // Linux cooked v1
DecodeStatus decode_cooked_v2(Context& context, SpanReader reader);  // Linux cooked v2
DecodeStatus decode_bsd_null(Context& context, SpanReader reader, bool network_order);
DecodeStatus decode_enc(Context& context, SpanReader reader);
DecodeStatus decode_pktap(Context& context, SpanReader reader);
DecodeStatus decode_ppi(Context& context, SpanReader reader);
DecodeStatus decode_nflog(Context& context, SpanReader reader);

// ip.cpp
DecodeStatus decode_ip(Context& context, SpanReader reader);  // 4 or 6 by the version field
DecodeStatus decode_ipv4(Context& context, SpanReader reader);
DecodeStatus decode_ipv6(Context& context, SpanReader reader);
DecodeStatus decode_mpls(Context& context, SpanReader reader);

// tunnel.cpp: from the header of the tunnel on
DecodeStatus decode_gre(Context& context, SpanReader reader);
DecodeStatus decode_etherip(Context& context, SpanReader reader);
DecodeStatus decode_l2tp3(Context& context, SpanReader reader);  // over IP
DecodeStatus decode_mpls_in_ip(Context& context, SpanReader reader);
DecodeStatus decode_udp(Context& context, SpanReader reader);  // a tunnel where the port says so

// tcp.cpp
DecodeStatus decode_tcp(Context& context, SpanReader reader);

// tcp_options.cpp: fills the option fields of `out`, whose flags are set already. `options` is the
// whole list as the data offset gives it. `whole` false: the list goes on outside this packet
// (fragment).
void read_tcp_options(SpanReader options, bool whole, analysis::Segment& out);

}  // namespace rwin::capture
