// TCP options: RFC 9293 3.2, 7323 (scale, timestamps), 2018 and 2883 (SACK), 7413 (fast open), 8684
// (multipath). What a cut or malformed list does not show stays unknown; only a list read to its
// end makes an option absent.
#include "capture/decode/layers.h"

namespace rwin::capture {
namespace {

using analysis::Presence;
using analysis::Segment;
using analysis::Tri;
namespace flag = analysis::flag;

constexpr std::uint8_t kEnd = 0;
constexpr std::uint8_t kNop = 1;
constexpr std::uint8_t kMss = 2;
constexpr std::uint8_t kWindowScale = 3;
constexpr std::uint8_t kSackPermitted = 4;
constexpr std::uint8_t kSack = 5;
constexpr std::uint8_t kTimestamps = 8;
constexpr std::uint8_t kMultipath = 30;
constexpr std::uint8_t kFastOpen = 34;
constexpr std::uint8_t kExperiment1 = 253;  // RFC 4727, 6994
constexpr std::uint8_t kExperiment2 = 254;
constexpr std::uint16_t kFastOpenExperiment = 0xf989;

enum class Walk : std::uint8_t { more, end, broken };

void note_kind(std::uint8_t kind, Segment& out) {
  if (out.has(flag::kSyn) && out.option_kind_count < analysis::kMaxOptionKinds) {
    out.option_kinds[out.option_kind_count++] = kind;
  }
}

// Whole blocks only; a cut option still gives those that were captured.
bool read_sack(SpanReader body, Segment& out) {
  if (body.wire_left() == 0 || body.wire_left() % 8 != 0) return false;
  Fields<8> block{};
  while (body.read(block)) {
    if (out.sack_count < analysis::kMaxSackBlocks) {
      out.sack[out.sack_count++] = {block.be32<0>(), block.be32<4>()};
    }
  }
  return body.wire_left() == 0;
}

bool read_timestamps(SpanReader body, Segment& out) {
  Fields<8> values{};
  if (body.wire_left() != 8 || !body.read(values)) return false;
  out.timestamps = Presence::known;
  out.tsval = values.be32<0>();
  out.tsecr = values.be32<4>();
  return true;
}

bool read_experiment(SpanReader body, Segment& out) {
  Fields<2> id{};
  if (body.wire_left() < 2) return true;  // no identifier: nobody's business
  if (!body.read(id)) return false;
  if (id.be16<0>() == kFastOpenExperiment) out.fast_open = true;
  return true;
}

// Options that mean something on a SYN only: elsewhere a receiver ignores them (RFC 7323 1.3,
// 9293 3.7.1, 2018 2).
bool read_syn_option(std::uint8_t kind, SpanReader body, Segment& out) {
  Fields<2> two{};
  std::uint8_t one = 0;
  switch (kind) {
    case kMss:
      if (body.wire_left() != 2 || !body.read(two)) return false;
      out.mss = Tri<std::uint16_t>::of(two.be16<0>());
      return true;
    case kWindowScale:
      if (body.wire_left() != 1 || !body.read_u8(one)) return false;
      out.window_scale = Tri<std::uint8_t>::of(one);
      return true;
    default:
      if (body.wire_left() != 0) return false;
      out.sack_permitted = Tri<bool>::of(true);
      return true;
  }
}

// False: the option has a length that it cannot have, or was not captured whole.
bool read_body(std::uint8_t kind, SpanReader body, Segment& out) {
  switch (kind) {
    case kTimestamps:
      return read_timestamps(body, out);
    case kSack:
      return read_sack(body, out);
    case kMss:
    case kWindowScale:
    case kSackPermitted:
      return !out.has(flag::kSyn) || read_syn_option(kind, body, out);
    case kMultipath:
      out.multipath = true;
      return true;
    case kFastOpen:
      out.fast_open = true;
      return true;
    case kExperiment1:
    case kExperiment2:
      return read_experiment(body, out);
    default:
      return true;
  }
}

// `whole` false: a fragment boundary stands inside the list and is no end of it.
Walk next_option(SpanReader& options, bool whole, Segment& out) {
  if (options.wire_left() == 0) return whole ? Walk::end : Walk::broken;
  std::uint8_t kind = kEnd;
  if (!options.read_u8(kind)) return Walk::broken;
  note_kind(kind, out);
  if (kind == kEnd) return Walk::end;
  if (kind == kNop) return Walk::more;
  std::uint8_t length = 0;  // of the option with its kind and length bytes
  if (!options.read_u8(length) || length < 2) return Walk::broken;
  const std::size_t body_length = length - std::size_t{2};
  if (body_length > options.wire_left()) return Walk::broken;
  const SpanReader body = options.take(body_length);
  if (!read_body(kind, body, out)) return Walk::broken;
  return body.left() < body.wire_left() ? Walk::broken : Walk::more;
}

// The list that nearly every data segment of a modern system carries: NOP, NOP, timestamps. Going
// through it option by option would be a quarter of the decoder's instructions.
bool read_only_timestamps(const SpanReader& options, Segment& out) {
  constexpr std::uint32_t kPadded = 0x0101080a;
  Fields<12> list{};
  if (options.wire_left() != 12 || out.has(flag::kSyn) || !options.peek(list)) return false;
  if (list.be32<0>() != kPadded) return false;
  out.timestamps = Presence::known;
  out.tsval = list.be32<4>();
  out.tsecr = list.be32<8>();
  return true;
}

template <class T>
void absent_if_not_seen(Tri<T>& fact) {
  if (fact.state == Presence::unknown) fact = Tri<T>::none();
}

}  // namespace

void read_tcp_options(SpanReader options, bool whole, Segment& out) {
  if (read_only_timestamps(options, out)) return;
  Walk walk = Walk::more;
  while (walk == Walk::more) walk = next_option(options, whole, out);
  out.options_cut = walk == Walk::broken;
  if (out.options_cut) return;
  if (out.timestamps == Presence::unknown) out.timestamps = Presence::absent;
  if (!out.has(flag::kSyn)) return;
  absent_if_not_seen(out.mss);
  absent_if_not_seen(out.window_scale);
  absent_if_not_seen(out.sack_permitted);
}

}  // namespace rwin::capture
