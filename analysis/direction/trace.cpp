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

void Trace::add(const Event& e) {
  if ((e.flags & event::kAck) != 0) {
    AckPoint& a = acks.emplace_back();
    a.t = e.time_us;
    a.ack = e.seq;
    a.highest = acks.size() > 1 ? std::max(acks[acks.size() - 2].highest, e.seq) : e.seq;
    a.field = e.amount;
    a.flags = e.flags;
    a.echo_us = e.sample_us;
    a.data_before = static_cast<std::uint32_t>(data.size());
    return;
  }
  DataPoint& d = data.emplace_back();
  d.t = e.time_us;
  d.end = e.seq;
  d.length = e.amount;
  d.flags = e.flags;
  d.echo_us = e.sample_us;
  d.acks_before = static_cast<std::uint32_t>(acks.size());
  d.sent_before = highest_sent < 0 ? e.seq - e.amount : highest_sent;
  highest_sent = std::max(highest_sent, d.end);
}

void Trace::rescale(std::uint8_t shift) {
  for (AckPoint& a : acks) {
    a.window = (a.flags & event::kUnscaled) != 0 ? a.field : std::int64_t{a.field} << shift;
  }
}

void Trace::find_known_acks() {
  std::size_t i = 0;
  for (DataPoint& d : data) {
    const std::int64_t until = d.t - d.d_s;
    while (i < d.acks_before && acks[i].t <= until) ++i;
    while (i > 0 && acks[i - 1].t > until) --i;  // d_s grew faster than time went on
    d.known_acks = static_cast<std::uint32_t>(i);
  }
}

void PermissionHistory::on_ack(const AckPoint& a) {
  const std::int64_t edge = a.edge();
  const std::int64_t window_before = window_;
  const std::int64_t largest_before = largest_;
  if (a.counts_as_window()) largest_ = std::max(largest_, a.window);
  if (edges_.empty()) {
    edges_.push_back({a.t, edge, 0, 0});
    first_edge_ = edge;
    acked_ = a.ack;
    window_ = a.window;
    unscaled_ = (a.flags & event::kUnscaled) != 0;
    return;
  }
  const bool newer =
      a.ack > acked_ || (a.ack == acked_ && (unscaled_ || (a.flags & event::kCarriesData) != 0));
  if (a.ack < acked_ || (!newer && edge <= edges_.back().edge)) return;
  acked_ = a.ack;
  window_ = a.window;
  unscaled_ = (a.flags & event::kUnscaled) != 0;
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
  auto cut = std::lower_bound(edges_.begin(), edges_.end() - 1, acked_,
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
  if (edges_.back().edge < end) return {kNever, window_, largest_};
  std::size_t i = std::min(hint_, edges_.size() - 1);
  while (edges_[i].edge < end) ++i;
  while (i > 0 && edges_[i - 1].edge >= end) --i;
  hint_ = i;
  return {edges_[i].t, edges_[i].window_before, edges_[i].largest_before};
}

}  // namespace rwin::analysis
