// What was found out about a direction, put together.
#include <algorithm>

#include "analysis/direction/direction_analysis.h"

namespace rwin::analysis {
namespace {

void copy_counters(const HalfFlow& half, DirectionResult& r) {
  const HalfFlowCounters& c = half.counters();
  r.bytes = static_cast<std::uint64_t>(half.next() - half.origin());
  r.wire_bytes = c.wire_bytes;
  r.segments = c.segments;
  r.retransmitted_segments = c.retransmitted_segments;
  r.retransmitted_bytes = c.retransmitted_bytes;
  // The same one may be noticed twice: when it was sent after its ACK, and when its D-SACK came.
  r.spurious_segments =
      std::min(c.retransmitted_segments, std::max(c.spurious_acked, c.spurious_dsack));
  r.dsacks = c.spurious_dsack;
  r.reordered_segments = c.reordered;
  r.keep_alives = c.keep_alives;
  r.window_probes = c.probes;
  r.unanswered_probes = c.unanswered_probes;
  r.timeouts = c.timeouts;
  r.capture_gap_bytes = c.gap_bytes;
  r.acks = c.acks;
  r.pushed_segments = c.pushed;
  r.largest_payload = half.largest_payload();
  r.data_seen = c.segments > 0;
  r.acks_seen = c.acks > 0;
}

// The largest class and the one after it, handshake and closing left out.
void name_limits(DirectionResult& r) {
  std::int64_t first = 0;
  std::int64_t second = 0;
  for (Limit l : kAllLimits) {
    if (l == Limit::handshake || l == Limit::closing) continue;
    const std::int64_t us = r.limit_us[static_cast<std::size_t>(l)];
    if (us > first) {
      second = first;
      r.next_limit = r.limit;
      first = us;
      r.limit = l;
    } else if (us > second) {
      second = us;
      r.next_limit = l;
    }
  }
  const auto both = static_cast<double>(first + second);
  r.confidence = both > 0 && r.limit != Limit::unknown ? static_cast<double>(first) / both : 0;
}

}  // namespace

void DirectionAnalysis::fill_rtt(DirectionResult& r) const {
  r.sender_side_rtt_us = delays_.d_s();
  r.receiver_side_rtt_us = delays_.d_r();
  r.rtt_base_us = delays_.base();
  r.rtt_method = delays_.method();
  if (!r.rtt_base_us) return;
  r.rtt_samples = rtt_samples_;
  // Never below the base: a sample from before both halves were known may be one of them only.
  const auto quantile = [&](double share) {
    return std::max(rtts_.quantile(share).value_or(*r.rtt_base_us), *r.rtt_base_us);
  };
  r.rtt_p50_us = quantile(0.5);
  r.rtt_p90_us = quantile(0.9);
  r.rtt_p99_us = quantile(0.99);
}

DirectionResult DirectionAnalysis::finish(const HalfFlow& half, std::int64_t total_us) {
  DirectionResult r;
  r.from_client = in_.from_client;
  r.scale = scale_;
  copy_counters(half, r);
  r.mss = mss_;
  r.short_segments = shorts_;
  resent_.fill(r);
  const std::int64_t first = std::max<std::int64_t>(first_data_us_, 0);
  const bool two_sided = half.two_sided();
  windows_.fill(r, first, last_data_us_ - first);
  fill_rtt(r);
  if (const auto q = flights_.quantile(0.5)) {
    r.flight_p50 = static_cast<std::uint64_t>(*q);
    r.flight_max = static_cast<std::uint64_t>(largest_flight_);
  }
  r.capacity_bps = path_.full_bps();
  if (r.capacity_bps)
    r.capacity_from = path_.from_queue() ? CapacityFrom::delivery_rate : CapacityFrom::dispersion;
  if (two_sided) {
    lay_tail(half, total_us);
    r.busy_us = busy_us_;
    if (scale_.state != Presence::unknown && delays_.d_s())
      r.blocked_us = std::min(held_us_, busy_us_);
    if (r.blocked_us && *r.blocked_us > 0) {
      if (const auto w = held_window_.quantile(0.5))
        r.blocked_window = static_cast<std::uint64_t>(*w);
      r.blocked_rtt_us = held_rtt_.quantile(0.5);
      r.blocked_rate_bps =
          8e6 * static_cast<double>(releases_.held_bytes()) / static_cast<double>(*r.blocked_us);
    }
  }
  timeline_.extend(total_us, Limit::unknown);
  timeline_.thin(kMostPieces);
  r.timeline = timeline_.pieces();
  r.limit_us = timeline_.sums();
  r.samples = samples_.series();
  r.longest_stall_us = stall_.longest_us();
  r.longest_stall_at_us = stall_.at_us();
  r.longest_stall_limit = timeline_.at(r.longest_stall_at_us + r.longest_stall_us / 2);
  r.first_data_us = first;
  r.duration_us = two_sided ? drained_us_ - first : last_data_us_ - first;
  if (!r.data_seen) r.duration_us = 0;
  if (r.duration_us > 0)
    r.goodput_bps = 8e6 * static_cast<double>(r.bytes) / static_cast<double>(r.duration_us);
  name_limits(r);
  // The spacing of a paced sender's packets is its own.
  if (r.limit == Limit::sender_paced && r.capacity_from == CapacityFrom::dispersion) {
    r.capacity_bps.reset();
    r.capacity_from = CapacityFrom::none;
  }
  return r;
}

}  // namespace rwin::analysis
