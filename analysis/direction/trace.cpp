#include "analysis/direction/trace.h"

#include <algorithm>
#include <limits>

namespace rwin::analysis {

void Trace::clear() {
  data.clear();
  acks.clear();
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
  for (AckPoint& a : acks) {
    a.window = (a.flags & event::kUnscaled) != 0 ? a.field : std::int64_t{a.field} << shift;
  }
}

void PermissionHistory::on_ack(const AckPoint& a) {
  const std::int64_t edge = a.edge();
  if (edges_.empty()) {
    edges_.push_back({a.t, edge});
    first_edge_ = edge;
    acked_ = a.ack;
    unscaled_ = (a.flags & event::kUnscaled) != 0;
    return;
  }
  const bool newer = a.ack > acked_ || (a.ack == acked_ && (unscaled_ || (a.flags & event::kCarriesData) != 0));
  if (a.ack < acked_ || (!newer && edge <= edges_.back().edge)) return;
  acked_ = a.ack;
  unscaled_ = (a.flags & event::kUnscaled) != 0;
  std::int64_t since = a.t;
  while (!edges_.empty() && edges_.back().edge >= edge) {  // moved left, or not at all: that much was permitted before
    since = edges_.back().t;
    edges_.pop_back();
  }
  if (edges_.empty()) first_edge_ = edge;
  edges_.push_back({since, edge});
}

std::int64_t PermissionHistory::since(std::int64_t end) const {
  if (edges_.empty() || end <= first_edge_) return kBefore;
  const auto it = std::lower_bound(edges_.begin(), edges_.end(), end,
                                   [](const Edge& e, std::int64_t v) { return e.edge < v; });
  return it == edges_.end() ? kNever : it->t;
}

std::size_t Trace::acks_until(std::int64_t when) const {
  const auto it = std::upper_bound(acks.begin(), acks.end(), when,
                                   [](std::int64_t v, const AckPoint& a) { return v < a.t; });
  return static_cast<std::size_t>(it - acks.begin());
}

}  // namespace rwin::analysis
