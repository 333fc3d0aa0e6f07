#include "fuzz/flow_reader.h"

namespace rwin::fuzz {
namespace {

using analysis::Presence;
using analysis::Segment;
namespace flag = analysis::flag;

// The high half is an exponent, the low half a factor: nothing to nine minutes. 0xf0 and above step
// back.
std::int64_t step_ns(std::uint8_t b) {
  const std::int64_t factor = b & 0x0f;
  const int exponent = b >> 4;
  return exponent == 15 ? -factor * 30'000'000'000 : (factor * 1'000) << (2 * exponent);
}

// As it should be (0), half a segment's steps around it, or half the space away (0x80).
std::uint32_t moved(std::uint32_t number, std::uint8_t b) {
  if (b == 0x80) return number + 0x80000000U;
  return number + static_cast<std::uint32_t>(static_cast<std::int8_t>(b) * 730);
}

std::uint32_t payload_of(std::uint8_t b) {
  if (b < 64) return b;
  return b < 240 ? 1460U : 1460U * (b - 239U);
}

}  // namespace

Segment FlowReader::next() {
  const std::uint8_t what = reader_.u8();
  time_ns_ += step_ns(reader_.u8());
  const std::uint8_t payload = reader_.u8(), seq = reader_.u8(), ack = reader_.u8(),
                     window = reader_.u8(), more = reader_.u8();
  auto& pair = sides_[what & 3U];
  Side& own = pair[(what >> 2U) & 1U];
  const Side& peer = pair[1 - ((what >> 2U) & 1U)];
  Segment s;
  s.time_ns = time_ns_;
  s.record = ++record_;
  s.source.address = {{10, 0, 0, static_cast<std::uint8_t>(what & 7U)}, 4};
  s.destination.address = {{10, 0, 0, static_cast<std::uint8_t>((what & 7U) ^ 4U)}, 4};
  s.source.port = s.destination.port = 443;
  if ((what & 4U) != 0) s.source.port = 40'000;
  if ((what & 4U) == 0) s.destination.port = 40'000;
  s.flags = flag::kAck;
  if ((what & 8U) != 0) s.flags |= flag::kSyn;
  if ((what & 0x18U) == 0x18U) s.flags = flag::kSyn;
  if ((what & 0xf0U) == 0x10U) s.flags |= flag::kFin;
  if ((what & 0xf0U) == 0x20U) s.flags |= flag::kRst;
  if ((what & 0x40U) != 0) s.flags |= flag::kPsh;
  s.payload = s.has(flag::kSyn) ? 0 : payload_of(payload);
  s.seq = moved(own.next_seq, seq);
  s.ack = moved(peer.next_seq, ack);
  s.window = static_cast<std::uint16_t>(window << 8U | (window & 0x0fU));
  s.ttl = static_cast<std::uint8_t>(60 + ((more >> 6U) & 1U));
  s.ip_id = static_cast<std::uint16_t>((what & 0x80U) != 0 ? record_ : 0);
  s.options_cut = (more & 4U) != 0;
  s.timestamps = (more & 1U) != 0 ? Presence::known
                 : s.options_cut  ? Presence::unknown
                                  : Presence::absent;
  if (s.timestamps == Presence::known) {
    own.stamp += (more >> 7U);
    s.tsval = own.stamp;
    s.tsecr = peer.stamp;
  }
  if ((more & 2U) != 0 && !s.has(flag::kSyn)) {
    s.sack_count = 1;
    s.sack[0] = {s.ack + 1460U, s.ack + 1460U * (1U + (more >> 4U))};
  }
  if (s.has(flag::kSyn) && !s.options_cut) {
    s.mss = (more & 2U) != 0 ? analysis::Tri<std::uint16_t>::of(1460)
                             : analysis::Tri<std::uint16_t>::none();
    s.window_scale = (more & 8U) != 0
                         ? analysis::Tri<std::uint8_t>::of(static_cast<std::uint8_t>(more >> 4U))
                         : analysis::Tri<std::uint8_t>::none();
    s.sack_permitted = analysis::Tri<bool>::none();
  }
  const std::uint32_t end = s.seq + s.sequence_length();
  if (static_cast<std::int32_t>(end - own.next_seq) > 0 || s.has(flag::kSyn)) own.next_seq = end;
  return s;
}

}  // namespace rwin::fuzz
