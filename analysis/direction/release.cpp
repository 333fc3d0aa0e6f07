#include "analysis/direction/release.h"

#include <algorithm>
#include <limits>

namespace rwin::analysis {
namespace {

// A window below this share of the largest seen has closed: the buffer is there, but full of unread data.
constexpr double kClosedShare = 0.5;

void append(std::vector<Span>& out, std::int64_t from, std::int64_t to, Wait wait, std::int64_t window = 0) {
  if (to <= from) return;
  if (!out.empty() && out.back().wait == wait && out.back().to == from &&
      (wait == Wait::active || wait == Wait::idle || wait == Wait::recovery || out.back().window == window)) {
    out.back().to = to;
    return;
  }
  out.push_back({from, to, wait, window});
}

// First ack that covers `seq`, by the running maximum; monotone queries.
class Acknowledged {
 public:
  explicit Acknowledged(const Trace& trace) : trace_(trace) {}
  // Time at which everything below `seq` was acknowledged; max when never before ack index `limit`.
  std::int64_t when(std::int64_t seq, std::size_t limit) {
    while (next_ < limit && trace_.acks[next_].ack < seq) ++next_;
    return next_ < limit ? trace_.acks[next_].t : std::numeric_limits<std::int64_t>::max();
  }

 private:
  const Trace& trace_;
  std::size_t next_ = 0;
};

}  // namespace

std::int64_t lag_tolerance(std::int64_t d_s, std::int64_t base_rtt) {
  const std::int64_t wide = std::max<std::int64_t>(3'000, d_s / 20);
  return std::clamp<std::int64_t>(base_rtt / 4, 50, wide);
}

void find_waits(Trace& trace, const Delays& delays, bool scale_known, std::uint32_t full_segment, ReleaseState& state,
                std::vector<Span>& out) {
  const std::int64_t base = delays.base().value_or(0);
  Acknowledged acknowledged(trace);
  std::size_t ack_seen = 0;
  std::size_t ack_known = 0;
  PermissionHistory permission;  // as it passed the capture point
  PermissionHistory known;       // as the sender knew it
  for (DataPoint& d : trace.data) {
    for (; ack_seen < d.acks_before; ++ack_seen) {
      const AckPoint& a = trace.acks[ack_seen];
      permission.on_ack(a);
      if (a.counts_as_window()) state.largest_window = std::max(state.largest_window, a.window);
    }
    for (; ack_known < d.acks_before && trace.acks[ack_known].t <= d.t - d.d_s; ++ack_known) {
      known.on_ack(trace.acks[ack_known]);
    }
    if (d.probe()) continue;
    const std::int64_t from = state.last_data_us;
    state.last_data_us = d.t;
    if (from < 0 || d.t <= from) continue;
    if (d.again()) {
      append(out, from, d.t, Wait::recovery);
      continue;
    }
    std::int64_t held_until = from;
    std::int64_t window = 0;
    if (scale_known && !permission.empty()) {
      const std::int64_t permitted = permission.since(d.end);
      d.permitted = permitted;
      // Silly-window avoidance: less than a full segment fits, the sender waits (RFC 9293 3.8.6.2.1) until a timer
      // makes it fill what there is.
      const std::int64_t usable = known.empty() ? full_segment : known.edge() - d.sent_before;
      if (usable > 0 && usable < std::int64_t{full_segment} && d.length == usable) {
        held_until = d.t;
        window = known.edge() - trace.acks[ack_known - 1].ack;
      } else if (permitted == PermissionHistory::kNever) {
        // Beyond every edge: the ACK that permitted it is not in the capture.
      } else if (permitted >= 0) {
        const std::int64_t known_at = permitted + d.d_s;
        held_until = known_at + lag_tolerance(d.d_s, base) >= d.t ? d.t : std::clamp(known_at, from, d.t);
        const std::size_t i = trace.acks_until(permitted - 1);
        window = i > 0 ? trace.acks[i - 1].window : 0;
      }
    }
    if (held_until > from) {
      const bool closed = static_cast<double>(window) < kClosedShare * static_cast<double>(state.largest_window);
      append(out, from, held_until, closed ? Wait::window_closed : Wait::window_open, window);
    }
    if (held_until >= d.t) continue;
    const std::int64_t all_acked = acknowledged.when(d.sent_before, d.acks_before);
    std::int64_t idle_from = d.t;
    if (all_acked != std::numeric_limits<std::int64_t>::max()) {
      const std::int64_t grace = std::max<std::int64_t>(1'000, base / 20);
      const std::int64_t told = all_acked + d.d_s;
      if (told + grace < d.t) idle_from = std::max(told, held_until);
    }
    append(out, held_until, idle_from, Wait::active);
    append(out, idle_from, d.t, Wait::idle);
  }
}

}  // namespace rwin::analysis
