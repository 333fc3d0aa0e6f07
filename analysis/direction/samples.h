// One direction over time, for charts: equal steps, as many as asked for at most. When the time
// does not fit, two steps become one, so that memory stays bounded and old traffic keeps its shape.
#pragma once

#include <cstddef>
#include <cstdint>

#include "analysis/direction/delays.h"
#include "analysis/direction/trace.h"
#include "analysis/result.h"

namespace rwin::analysis {

class Samples {
 public:
  // `most` points; 0: none are kept.
  void begin(std::size_t most);
  // A measured stretch (delays, known ACKs, scale).
  void consume(const Trace& trace, const Delays& delays, bool scale_known);
  [[nodiscard]] const SampleSeries& series() const { return series_; }

 private:
  SamplePoint& at(std::int64_t t);
  void halve();

  std::size_t most_ = 0;
  SampleSeries series_;
  std::int64_t counted_ = -1;  // bytes up to here are counted; -1: none yet
};

}  // namespace rwin::analysis
