#include "analysis/direction/stall.h"

#include <algorithm>

namespace rwin::analysis {

void StallMeter::step(std::int64_t t, bool moved) {
  const bool waiting = sent_ > acked_ || closed_;
  if (progress_us_ >= 0 && waiting && t - progress_us_ > longest_us_) {
    longest_us_ = t - progress_us_;
    at_us_ = progress_us_;
  }
  if (moved || !waiting) progress_us_ = t;
}

void StallMeter::consume(const Trace& trace) {
  std::size_t i = trace.old_acks;
  const auto take = [&](std::size_t until) {
    for (; i < until; ++i) {
      const AckPoint& a = trace.acks[i];
      step(a.t, a.ack > acked_);
      acked_ = std::max(acked_, a.ack);
      closed_ = a.counts_as_window() && a.field == 0;
    }
  };
  for (const DataPoint& d : trace.data) {
    take(d.acks_before);
    const bool moved = !d.probe() && d.end > sent_;
    step(d.t, moved);
    if (moved) sent_ = d.end;
  }
  take(trace.acks.size());
}

}  // namespace rwin::analysis
