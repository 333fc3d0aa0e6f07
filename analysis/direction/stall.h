// The longest time without progress (new data or a new ACK) while data was outstanding or held
// back.
#pragma once

#include <cstdint>

#include "analysis/direction/trace.h"

namespace rwin::analysis {

class StallMeter {
 public:
  void begin() { *this = StallMeter{}; }
  void consume(const Trace& trace);
  [[nodiscard]] std::int64_t longest_us() const { return longest_us_; }
  [[nodiscard]] std::int64_t at_us() const { return at_us_; }

 private:
  void step(std::int64_t t, bool moved);
  std::int64_t progress_us_ = -1;
  std::int64_t acked_ = -1, sent_ = -1;
  std::int64_t longest_us_ = 0, at_us_ = 0;
  bool closed_ = false;
};

}  // namespace rwin::analysis
