#include "tests/reference/conversation.h"

#include <algorithm>
#include <map>
#include <utility>

namespace rwin::reference {
namespace {

using analysis::Segment;

constexpr std::int64_t kDisorderNs = 10'000'000;

bool same_packet(const Segment& a, const Segment& b) {
  if (a.sack_count != b.sack_count) return false;
  for (std::uint8_t i = 0; i < a.sack_count; ++i) {
    if (!(a.sack[i] == b.sack[i])) return false;
  }
  return a.seq == b.seq && a.ack == b.ack && a.flags == b.flags && a.payload == b.payload &&
         a.window == b.window && a.tsval == b.tsval && a.tsecr == b.tsecr && a.ip_id == b.ip_id;
}

// Recorded again: within a millisecond, or later by a router (another TTL). Pure ACKs without an
// IP identification may be two that look alike.
bool recorded_again(const Line& earlier, const Line& l) {
  if (earlier.side != l.side || !same_packet(*earlier.s, *l.s)) return false;
  const bool tells = l.s->ip_id != 0 || l.s->payload > 0 || l.s->has(analysis::flag::kSyn);
  const bool routed = l.s->ip_id != 0 && earlier.s->ttl != l.s->ttl;
  return tells && l.t - earlier.t <= (routed ? 100'000 : 1'000);
}

}  // namespace

Conversation read(const std::vector<Segment>& packets) {
  Conversation out;
  std::vector<Line> all;
  std::int64_t set_back = 0;
  std::int64_t latest = packets.empty() ? 0 : packets[0].time_ns;
  for (const Segment& s : packets) {
    // A little back is disorder of the capture and takes no time; more is a clock that was set
    // back.
    if (latest - s.time_ns - set_back > kDisorderNs) set_back = latest - s.time_ns;
    latest = std::max(latest, s.time_ns + set_back);
    all.push_back(
        {(latest - packets[0].time_ns) / 1000, &s,
         s.source == packets[0].source && s.destination == packets[0].destination ? 0 : 1});
    bool again = false;
    for (std::size_t i = all.size() - 1; i-- > 0 && all.back().t - all[i].t <= 100'000;)
      again = again || recorded_again(all[i], all.back());
    if (again)
      ++out.duplicates;
    else
      out.lines.push_back(all.back());
  }
  return out;
}

std::vector<std::vector<Segment>> by_connection(const std::vector<Segment>& packets) {
  std::vector<std::vector<Segment>> out;
  std::map<std::pair<analysis::Endpoint, analysis::Endpoint>, std::size_t> index;
  for (const Segment& s : packets) {
    const auto key = std::minmax(s.source, s.destination);
    const auto [it, fresh] = index.try_emplace({key.first, key.second}, out.size());
    if (fresh) out.emplace_back();
    out[it->second].push_back(s);
  }
  return out;
}

}  // namespace rwin::reference
