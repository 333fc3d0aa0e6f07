#include "capture/decode/decode.h"

#include <cstddef>

#include "capture/decode/layers.h"

namespace rwin::capture {

std::string_view word(DecodeStatus status) {
  switch (status) {
    case DecodeStatus::ok:
      return "ok";
    case DecodeStatus::not_ip:
      return "not_ip";
    case DecodeStatus::not_tcp:
      return "not_tcp";
    case DecodeStatus::icmp:
      return "icmp";
    case DecodeStatus::later_fragment:
      return "later_fragment";
    case DecodeStatus::cut_link:
      return "cut_link";
    case DecodeStatus::cut_ip:
      return "cut_ip";
    case DecodeStatus::cut_tcp:
      return "cut_tcp";
    case DecodeStatus::malformed_link:
      return "malformed_link";
    case DecodeStatus::malformed_ip:
      return "malformed_ip";
    case DecodeStatus::malformed_tcp:
      return "malformed_tcp";
    case DecodeStatus::unsupported_link:
      return "unsupported_link";
    case DecodeStatus::encrypted:
      return "encrypted";
  }
  return "unknown";
}

bool is_malformed(DecodeStatus status) {
  return status == DecodeStatus::malformed_link || status == DecodeStatus::malformed_ip ||
         status == DecodeStatus::malformed_tcp;
}

DecodeStatus decode(const RawPacket& packet, analysis::Segment& out, Fragments* fragments) {
  if (packet.link_type == 1 && decode_plain(packet, out)) return DecodeStatus::ok;
  out = kBlankSegment;
  out.time_ns = packet.time_ns;
  out.record = packet.record;
  Context context{.out = &out, .fragments = fragments};
  const SpanReader reader(packet.data, packet.captured, packet.original);
  if (packet.link_type == 1) return decode_ethernet(context, reader);
  return decode_link(context, packet.link_type, reader);
}

}  // namespace rwin::capture
