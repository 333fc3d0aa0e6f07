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
  StallMeter now = *this;  // in registers
  trace.walk(
      [&](const AckPoint& a) {
        now.step(a.t, a.ack > now.acked_);
        now.acked_ = std::max(now.acked_, a.ack);
        now.closed_ = a.counts_as_window() && a.field == 0;
      },
      [&](const DataPoint& d) {
        const bool moved = !d.probe() && d.end > now.sent_;
        now.step(d.t, moved);
        if (moved) now.sent_ = d.end;
      });
  *this = now;
}

}  // namespace rwin::analysis
