#include "analysis/direction/trace.h"

#include <algorithm>
#include <limits>

namespace rwin::analysis {

void Trace::clear() {
  data.clear();
  acks.clear();
  edges.clear();
}

void Trace::build(const std::vector<Event>& events, std::uint8_t shift) {
  clear();
  std::int64_t highest = std::numeric_limits<std::int64_t>::min();
  for (const Event& e : events) {
    if ((e.flags & event::kAck) != 0) {
      AckPoint a;
      a.t = e.time_us;
      a.ack = e.seq;
      a.field = e.amount;
      a.flags = e.flags;
      a.echo_us = e.sample_us;
      a.data_before = static_cast<std::uint32_t>(data.size());
      acks.push_back(a);
    } else {
      DataPoint d;
      d.t = e.time_us;
      d.end = e.seq;
      d.length = e.amount;
      d.flags = e.flags;
      d.echo_us = e.sample_us;
      d.acks_before = static_cast<std::uint32_t>(acks.size());
      d.sent_before = highest == std::numeric_limits<std::int64_t>::min() ? e.seq - e.amount : highest;
      highest = std::max(highest, d.end);
      data.push_back(d);
    }
  }
  rescale(shift);
}

void Trace::rescale(std::uint8_t shift) {
  edges.clear();
  std::int64_t furthest = std::numeric_limits<std::int64_t>::min();
  for (AckPoint& a : acks) {
    a.window = (a.flags & event::kUnscaled) != 0 ? a.field : std::int64_t{a.field} << shift;
    if (a.edge() > furthest) {
      furthest = a.edge();
      edges.push_back({a.t, furthest});
    }
  }
}

std::int64_t Trace::permitted_at(std::int64_t end) const {
  const auto it = std::lower_bound(edges.begin(), edges.end(), end,
                                   [](const Edge& e, std::int64_t v) { return e.edge < v; });
  if (it == edges.end()) return std::numeric_limits<std::int64_t>::max();
  if (it == edges.begin()) return -1;
  return it->t;
}

std::size_t Trace::acks_until(std::int64_t when) const {
  const auto it = std::upper_bound(acks.begin(), acks.end(), when,
                                   [](std::int64_t v, const AckPoint& a) { return v < a.t; });
  return static_cast<std::size_t>(it - acks.begin());
}

}  // namespace rwin::analysis
