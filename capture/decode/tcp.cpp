// The fixed TCP header (RFC 9293 3.1).
#include <algorithm>
#include <cstddef>

#include "capture/decode/layers.h"

namespace rwin::capture {
namespace {

// No window is larger (RFC 7323 2.3), so no segment is: a record that claims more lies about its
// length.
constexpr std::size_t kMostPayload = std::size_t{1} << 30;

}  // namespace

DecodeStatus decode_tcp(Context& context, SpanReader reader) {
  constexpr std::size_t kFixed = 20;
  Fields<kFixed> header{};
  if (!reader.read(header)) {
    // A first fragment may hold less than the header: the rest travels in the next one.
    if (context.place.is_fragment) return DecodeStatus::cut_tcp;
    return short_read(reader, kFixed, DecodeStatus::cut_tcp, DecodeStatus::malformed_tcp);
  }
  const std::size_t length = (header.u8<12>() >> 4) * std::size_t{4};
  if (length < kFixed) return DecodeStatus::malformed_tcp;
  const std::size_t options_length = length - kFixed;
  const bool options_whole = options_length <= reader.wire_left();
  if (!options_whole && !context.place.is_fragment) return DecodeStatus::malformed_tcp;

  const std::size_t payload = reader.wire_left() - std::min(options_length, reader.wire_left());
  if (payload > kMostPayload) return DecodeStatus::malformed_tcp;

  analysis::Segment& out = *context.out;
  out.source.port = header.be16<0>();
  out.destination.port = header.be16<2>();
  out.seq = header.be32<4>();
  out.ack = header.be32<8>();
  out.flags = header.u8<13>();
  out.window = header.be16<14>();

  const SpanReader options = reader.take(options_length);
  read_tcp_options(options, options_whole, out);
  out.payload = static_cast<std::uint32_t>(payload);
  out.cut = options.left() < options.wire_left() || reader.left() < reader.wire_left();
  return DecodeStatus::ok;
}

}  // namespace rwin::capture
