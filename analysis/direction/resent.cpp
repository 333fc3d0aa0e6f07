#include "analysis/direction/resent.h"

#include <algorithm>
#include <span>

namespace rwin::analysis {

void ResentMeter::consume(const Trace& trace, std::uint32_t mss) {
  for (const DataPoint& d : trace.data) {
    if (d.probe() || d.length == 0) continue;
    const std::int64_t start = d.end - std::int64_t{d.length};
    if (d.fresh()) {
      const bool large = mss > 0 && d.length > mss;
      ++(large ? large_ : plain_);
      sent_[next_ % kKept] = {start, d.end, large, false};
      ++next_;
    } else if (d.again()) {
      for (Sent& s : std::span(sent_).first(std::min(next_, kKept))) {
        if (s.again || start >= s.end || d.end <= s.start) continue;
        s.again = true;
        ++(s.large ? large_again_ : plain_again_);
      }
    }
  }
}

void ResentMeter::fill(DirectionResult& r) const {
  r.large_segments = large_;
  r.large_again = large_again_;
  r.plain_segments = plain_;
  r.plain_again = plain_again_;
}

}  // namespace rwin::analysis
