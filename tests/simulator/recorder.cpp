#include "tests/simulator/recorder.h"

#include <algorithm>

namespace rwin::sim {
namespace {

using analysis::Segment;
using analysis::Tri;

constexpr std::int64_t kEpochNs = 1'790'000'000'000'000'000;
constexpr Time kJoin = 40 * kUs;  // packets of a super-segment follow each other this closely
constexpr std::int64_t kLargestSuper = 65'000;

analysis::Endpoint endpoint(std::uint8_t last, std::uint16_t port) {
  analysis::Endpoint e;
  e.address.family = 4;
  e.address.bytes = {192, 0, 2, last};
  e.port = port;
  return e;
}

void add_options(const Spec& spec, const Packet& p, std::uint32_t peer_isn, Segment& s) {
  if (p.syn) {
    s.mss = Tri<std::uint16_t>::of(spec.mss);
    s.window_scale = p.scale ? Tri<std::uint8_t>::of(*p.scale) : Tri<std::uint8_t>::none();
    s.sack_permitted = spec.sack ? Tri<bool>::of(true) : Tri<bool>::none();
  }
  s.timestamps = spec.timestamps ? analysis::Presence::known : analysis::Presence::absent;
  if (spec.timestamps) {
    s.tsval = p.tsval;
    s.tsecr = p.has_ack ? p.tsecr : 0;
  }
  s.sack_count = p.sack_count;
  for (std::uint8_t i = 0; i < p.sack_count; ++i)
    s.sack[i] = {peer_isn + static_cast<std::uint32_t>(p.sack[i].left),
                 peer_isn + static_cast<std::uint32_t>(p.sack[i].right)};
}

}  // namespace

std::vector<Recorder::Seen> Recorder::joined(const std::vector<Seen>& seen) {
  std::vector<Seen> out;
  for (const Seen& s : seen) {
    if (!out.empty() && s.p.length > 0 && s.p.from_sender) {
      Seen& last = out.back();
      const bool follows = last.p.from_sender && last.p.length > 0 && !last.p.push &&
                           last.p.seq + last.p.length == s.p.seq && last.p.ack == s.p.ack &&
                           last.p.tsval == s.p.tsval && last.p.tsecr == s.p.tsecr;
      if (follows && s.at - last.at <= kJoin && last.p.length + s.p.length <= kLargestSuper) {
        last.p.length += s.p.length;
        last.p.push = s.p.push;
        last.at = s.at;
        continue;
      }
    }
    out.push_back(s);
  }
  return out;
}

std::vector<Segment> Recorder::segments(const Spec& spec, bool offload) const {
  Random random(spec.seed ^ 0x5eed);
  const auto isn_sender = static_cast<std::uint32_t>(random.next());
  const auto isn_receiver = static_cast<std::uint32_t>(random.next());
  const auto tick_sender = static_cast<std::uint32_t>(random.next());
  const auto tick_receiver = static_cast<std::uint32_t>(random.next());
  const analysis::Endpoint sender = endpoint(10, spec.upload ? 51'544 : 443);
  const analysis::Endpoint receiver = endpoint(20, spec.upload ? 443 : 51'544);
  std::vector<Segment> out;
  std::int64_t last = 0;
  std::int64_t passed = 0;  // data segments
  for (const Seen& seen : offload ? joined(seen_) : seen_) {
    const Packet& p = seen.p;
    if (p.from_sender && p.length > 0) ++passed;
    // A recording that begins in the middle begins after some round trips.
    if (spec.recording.cut_handshake && passed < 30) continue;
    const std::uint32_t own = p.from_sender ? isn_sender : isn_receiver;
    const std::uint32_t peer = p.from_sender ? isn_receiver : isn_sender;
    Segment s;
    std::int64_t at = seen.at;
    if (spec.recording.jitter > 0) at += random.whole(0, spec.recording.jitter);
    last = at = std::max(at, last);
    s.time_ns = kEpochNs + at;
    s.record = out.size() + 1;
    s.source = p.from_sender ? sender : receiver;
    s.destination = p.from_sender ? receiver : sender;
    s.seq = own + static_cast<std::uint32_t>(p.seq);
    s.ack = p.has_ack ? peer + static_cast<std::uint32_t>(p.ack) : 0;
    s.payload = static_cast<std::uint32_t>(p.length);
    s.window = p.window;
    s.flags = static_cast<std::uint8_t>(
        (p.has_ack ? analysis::flag::kAck : 0U) | (p.syn ? analysis::flag::kSyn : 0U) |
        (p.fin ? analysis::flag::kFin : 0U) | (p.push ? analysis::flag::kPsh : 0U));
    s.ttl = 64;
    s.dont_fragment = true;
    s.ip_id = p.ip_id;
    Packet shifted = p;
    shifted.tsval += p.from_sender ? tick_sender : tick_receiver;
    shifted.tsecr += p.from_sender ? tick_receiver : tick_sender;
    add_options(spec, shifted, peer, s);
    out.push_back(s);
  }
  return out;
}

}  // namespace rwin::sim
