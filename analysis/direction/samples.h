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
  // `most` points; 0: none are kept. `sequence`: with their sequence numbers.
  void begin(std::size_t most, bool sequence);
  // A measured stretch (delays, known ACKs, scale).
  void consume(const Trace& trace, const Delays& delays, bool scale_known);
  [[nodiscard]] const SampleSeries& series() const { return series_; }

 private:
  std::size_t at(std::int64_t t);  // the place of its point
  void halve();
  [[nodiscard]] std::uint64_t number(std::int64_t seq) const;
  void place(const DataPoint& d, std::size_t i);
  void place(const AckPoint& a, bool scale_known, std::size_t i);

  std::size_t most_ = 0;
  SampleSeries series_;
  bool sequence_ = false;
  std::int64_t counted_ = -1;  // bytes up to here are counted; -1: none yet
  std::int64_t origin_ = -1;   // sequence numbers are shown from here on; -1: not known yet
};

}  // namespace rwin::analysis
