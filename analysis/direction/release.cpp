#include "analysis/direction/release.h"

#include <algorithm>
#include <cstdlib>
#include <limits>
#include <utility>

namespace rwin::analysis {
namespace {

// A window below this part of the largest seen has closed: the buffer is there, but full of unread
// data.
constexpr std::int64_t kClosedPart = 2;

inline void append(std::vector<Span>& out, std::int64_t from, std::int64_t to, Wait wait,
                   std::int64_t window = 0) {
  if (to <= from) return;
  Span* const last = out.empty() ? nullptr : out.data() + out.size() - 1;
  if (last != nullptr && last->wait == wait && last->to == from && last->window == window)
    last->to = to;
  else
    out.push_back({from, to, wait, window});
}

// First ack that covers a number; monotone queries.
class Acknowledged {
 public:
  explicit Acknowledged(const Trace& trace) : trace_(trace) {}
  // Time at which everything below `seq` was acknowledged; max when not before ack index `limit`.
  std::int64_t when(std::int64_t seq, std::size_t limit) {
    const AckPoint* const acks = trace_.acks.data();
    while (next_ < limit && acks[next_].ack < seq) ++next_;
    return next_ < limit ? acks[next_].t : std::numeric_limits<std::int64_t>::max();
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

void Releases::begin() {
  permission_.clear();
  known_ = {};
  owed_known_ = 0;
  shut_us_ = opened_us_ = -1;
  first_data_us_ = last_data_us_ = -1;
  held_bytes_ = 0;
  burst_released_ = -1;
  held_ = false;
  fit_ = {};
}

void Releases::feed(const Trace& trace, const DataPoint& d) {
  const AckPoint* const acks = trace.acks.data();
  for (; fed_ < d.acks_before; ++fed_) permission_.on_ack(acks[fed_]);
  for (; fed_known_ < d.known_acks; ++fed_known_) {
    const AckPoint& a = acks[fed_known_];
    known_.on_ack(a);
    if (!a.counts_as_window()) continue;
    if (a.field == 0 && (shut_us_ < 0 || opened_us_ >= shut_us_)) shut_us_ = a.t;
    if (a.field != 0 && opened_us_ < shut_us_) opened_us_ = a.t;
  }
}

// A window of zero needs no scale.
Releases::Hold Releases::shut(const DataPoint& d, std::int64_t from) const {
  if (shut_us_ < 0 || opened_us_ < shut_us_) return {from};
  return {std::clamp(opened_us_ + d.d_s, from, d.t), 0, true};
}

void Releases::note_fit(const DataPoint& d, const DataPoint* next, std::int64_t since,
                        std::int64_t tolerance, std::uint32_t full_segment) {
  ++fit_.judged;
  // By the smallest d_S: a stall may have stretched the one around this moment.
  if (since == PermissionHistory::kNever || since + smallest_d_s_ > d.t + tolerance)
    ++fit_.too_early;
  // Where the sender stops for want of window, less than a segment fits; one segment and a percent
  // for the uncertainty of d_S.
  if (!known_.empty() && (next == nullptr || next->known_acks != d.known_acks)) {
    ++fit_.judged_ends;
    if (known_.edge() - d.end <= std::int64_t{full_segment} + known_.window() / 50) ++fit_.filled;
  }
  if (d.echo_us == 0 || since == PermissionHistory::kNever || since + d.d_s + tolerance < d.t)
    return;
  ++fit_.echoes;
  if (std::abs(d.t - since - std::int64_t{d.echo_us}) <= 1'500)
    ++fit_.echoes_agree;  // a tick of the usual clock
}

// Until when, in [from, d.t], the window held the sender back, and which.
[[gnu::always_inline]] inline Releases::Hold Releases::hold(const DataPoint& d,
                                                            const DataPoint* next,
                                                            std::int64_t from, std::int64_t base,
                                                            std::uint32_t full_segment) {
  const auto closed = [](std::int64_t window, std::int64_t largest) {
    return window * kClosedPart < largest;
  };
  const std::int64_t released_before = std::exchange(burst_released_, -1);
  if (permission_.empty()) return {from};
  // Silly-window avoidance: less than a full segment fits, the sender waits (RFC 9293 3.8.6.2.1)
  // until a timer makes it fill what there is.
  const std::int64_t usable = known_.empty() ? full_segment : known_.edge() - d.sent_before;
  if (usable > 0 && usable < std::int64_t{full_segment} && d.length == usable) {
    ++fit_.judged;
    ++fit_.judged_ends;
    ++fit_.filled;
    return {d.t, known_.window(), closed(known_.window(), known_.largest())};
  }
  const PermissionHistory::Answer answer = permission_.since(d.end);
  if (d.d_s != tolerance_d_s_) {
    tolerance_d_s_ = d.d_s;
    tolerance_ = lag_tolerance(d.d_s, base);
  }
  const std::int64_t tolerance = tolerance_;
  if (judge_fit_ && answer.since != PermissionHistory::kBefore)
    note_fit(d, next, answer.since, tolerance, full_segment);
  // kNever: beyond every edge, the ACK that permitted it is not in the capture.
  if (answer.since == PermissionHistory::kNever || answer.since == PermissionHistory::kBefore)
    return {from};
  const std::int64_t known_at = answer.since + d.d_s;
  // What the handshake permitted was not waited for.
  if (known_at <= first_data_us_ + tolerance) return {from};
  Hold hold{d.t, answer.window_before, closed(answer.window_before, answer.largest_before)};
  if (known_at + tolerance >= d.t) {
    burst_released_ = answer.since;
    burst_gap_ = -1;
    return hold;
  }
  // One ACK may release a long burst: what follows the first segment at the pace of the line waited
  // for the same edge.
  const std::int64_t gap = d.t - from;
  const std::int64_t pace = burst_gap_ < 0 ? tolerance : 2 * burst_gap_ + 200;
  if (released_before >= 0 && answer.since <= released_before + tolerance && gap <= pace) {
    burst_released_ = released_before;
    if (burst_gap_ < 0) burst_gap_ = gap;
    return hold;
  }
  hold.until = std::clamp(known_at, from, d.t);
  return hold;
}

void Releases::find_waits(const Trace& trace, const Delays& delays, bool scale_known,
                          std::uint32_t full_segment, std::vector<Span>& out, bool judge_fit) {
  judge_fit_ = judge_fit;
  tolerance_d_s_ = -1;
  const std::int64_t base = delays.base().value_or(0);
  smallest_d_s_ = delays.d_s().value_or(0);
  const std::int64_t grace = std::max<std::int64_t>(1'000, base / 20);
  Acknowledged acknowledged(trace);
  const DataPoint* const end = trace.data.data() + trace.data.size();
  fed_ = trace.old_acks;
  fed_known_ = trace.old_acks - std::min(owed_known_, trace.old_acks);
  for (const DataPoint& d : trace.data) {
    feed(trace, d);
    if (d.probe()) continue;
    const std::int64_t from = last_data_us_;
    last_data_us_ = d.t;
    if (first_data_us_ < 0) first_data_us_ = d.t;
    if (from < 0) continue;
    if (d.t <= from) {  // the same burst
      if (held_ && d.fresh()) held_bytes_ += d.length;
      if (judge_fit_ && d.fresh()) {
        (void)hold(d, &d + 1 < end ? &d + 1 : nullptr, from, base, full_segment);
      }
      continue;
    }
    held_ = false;
    if (d.again()) {
      append(out, from, d.t, Wait::recovery);
      continue;
    }
    const DataPoint* next = &d + 1 < end ? &d + 1 : nullptr;
    const Hold held = scale_known ? hold(d, next, from, base, full_segment) : shut(d, from);
    if (held.until > from) {
      append(out, from, held.until, held.closed ? Wait::window_closed : Wait::window_open,
             held.window);
      held_ = held.until == d.t;
      if (held_) held_bytes_ += d.length;
    }
    if (held.until >= d.t) continue;
    const std::int64_t all_acked = acknowledged.when(d.sent_before, d.acks_before);
    if (all_acked == std::numeric_limits<std::int64_t>::max() || all_acked + d.d_s + grace >= d.t) {
      append(out, held.until, d.t, Wait::active);
      continue;
    }
    // Everything was acknowledged before anything new came: had there been more to send, the ACKs
    // on the way would have released it. So nothing was left since the last segment.
    const std::int64_t idle_from = std::max(all_acked + d.d_s, held.until);
    append(out, held.until, idle_from, Wait::draining);
    append(out, idle_from, d.t, Wait::idle);
  }
  for (; fed_ < trace.acks.size(); ++fed_) permission_.on_ack(trace.acks.data()[fed_]);
  owed_known_ = trace.acks.size() - fed_known_;
}

}  // namespace rwin::analysis
