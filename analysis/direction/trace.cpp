#include "analysis/direction/trace.h"

#include <algorithm>

namespace rwin::analysis {
namespace {

constexpr std::size_t kOldAcks = 512;  // kept for look-ups across the border of two stretches

}  // namespace

void Trace::leave(TraceTail& tail) const {
  const std::size_t kept = std::min(kOldAcks, acks.size());
  tail.acks.assign(acks.end() - static_cast<std::ptrdiff_t>(kept), acks.end());
  tail.highest_sent = highest_sent;
}

void Trace::begin(const TraceTail& tail) {
  acks.assign(tail.acks.begin(), tail.acks.end());
  highest_sent = tail.highest_sent;
  old_acks = acks.size();
  for (AckPoint& a : acks) a.data_before = 0;
  data.clear();
}

void Trace::rescale(std::uint8_t shift) {
  for (AckPoint& a : acks) {
    a.window = (a.flags & event::kUnscaled) != 0 ? a.field : std::int64_t{a.field} << shift;
  }
}

void PermissionHistory::on_ack(const AckPoint& a) {
  const std::int64_t window_before = now_.window();
  const std::int64_t largest_before = now_.largest();
  if (!now_.on_ack(a)) return;
  const std::int64_t edge = now_.edge();
  if (edges_.empty()) {
    edges_.push_back({a.t, edge, 0, 0});
    first_edge_ = edge;
    return;
  }
  Edge next{a.t, edge, window_before, largest_before};
  // Moved left, or not at all: that much was permitted before.
  while (!edges_.empty() && edges_.back().edge >= edge) {
    next.t = edges_.back().t;
    next.window_before = edges_.back().window_before;
    next.largest_before = edges_.back().largest_before;
    edges_.pop_back();
  }
  if (edges_.empty()) first_edge_ = edge;
  edges_.push_back(next);
  if (edges_.size() > most_) prune();
}

// Nobody asks for what is acknowledged already. Where that is too little, the older half goes.
void PermissionHistory::prune() {
  auto cut = std::lower_bound(edges_.begin(), edges_.end() - 1, now_.acked(),
                              [](const Edge& e, std::int64_t v) { return e.edge < v; });
  const auto half = edges_.begin() + static_cast<std::ptrdiff_t>(edges_.size() / 2);
  if (edges_.size() > kMost) cut = std::max(cut, half);
  most_ = std::clamp(2 * static_cast<std::size_t>(edges_.end() - cut), kFew, kMost);
  if (cut == edges_.begin()) return;
  first_edge_ = (cut - 1)->edge;
  hint_ -= std::min(hint_, static_cast<std::size_t>(cut - edges_.begin()));
  edges_.erase(edges_.begin(), cut);
}

PermissionHistory::Answer PermissionHistory::since(std::int64_t end) {
  if (edges_.empty() || end <= first_edge_) return {};
  if (edges_.back().edge < end) return {kNever, now_.window(), now_.largest()};
  const Edge* const edges = edges_.data();
  std::size_t i = std::min(hint_, edges_.size() - 1);
  while (edges[i].edge < end) ++i;  // the last one is not
  while (i > 0 && edges[i - 1].edge >= end) --i;
  hint_ = i;
  return {edges[i].t, edges[i].window_before, edges[i].largest_before};
}

}  // namespace rwin::analysis
