// The fixed TCP header (RFC 9293 3.1).
#include "capture/decode/layers.h"

namespace rwin::capture {

DecodeStatus decode_tcp(Context& context, const IpFacts& ip, SpanReader reader) {
  constexpr std::size_t kFixed = 20;
  Fields<kFixed> header{};
  if (!reader.read(header)) {
    // A first fragment may hold less than the header: the rest travels in the next one.
    if (ip.first_fragment) return DecodeStatus::cut_tcp;
    return short_read(reader, kFixed, DecodeStatus::cut_tcp, DecodeStatus::malformed_tcp);
  }
  const std::size_t length = (header.u8<12>() >> 4) * std::size_t{4};
  if (length < kFixed) return DecodeStatus::malformed_tcp;
  const std::size_t options_length = length - kFixed;
  const bool options_whole = options_length <= reader.wire_left();
  if (!options_whole && !ip.first_fragment) return DecodeStatus::malformed_tcp;

  analysis::Segment& out = *context.out;
  out = analysis::Segment{};
  out.time_ns = context.packet->time_ns;
  out.record = context.packet->record;
  out.source.address = ip.source;
  out.destination.address = ip.destination;
  out.source.port = header.be16<0>();
  out.destination.port = header.be16<2>();
  out.seq = header.be32<4>();
  out.ack = header.be32<8>();
  out.flags = header.u8<13>();
  out.window = header.be16<14>();
  out.ttl = ip.ttl;
  out.ip_id = ip.id;
  out.dont_fragment = ip.dont_fragment;
  out.tunnelled = context.tunnelled;

  const SpanReader options = reader.take(options_length);
  read_tcp_options(options, options_whole, out);
  out.payload = static_cast<std::uint32_t>(reader.wire_left());
  out.cut = options.left() < options.wire_left() || reader.left() < reader.wire_left();
  return DecodeStatus::ok;
}

}  // namespace rwin::capture
