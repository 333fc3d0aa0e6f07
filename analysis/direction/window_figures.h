// What the receiver advertised over the whole direction.
#pragma once

#include <cstdint>
#include <optional>

#include "analysis/direction/histogram.h"
#include "analysis/direction/trace.h"
#include "analysis/result.h"

namespace rwin::analysis {

class WindowFigures {
 public:
  void begin();
  void consume(const Trace& trace, bool scale_known, std::uint8_t shift);
  // `data_us`: first data to last data, for what "until the end" means.
  void fill(DirectionResult& result, std::int64_t first_data_us, std::int64_t data_us) const;

 private:
  Histogram windows_;
  std::optional<std::int64_t> low_, high_, first_;
  std::int64_t high_since_us_ = 0;  // when the window came within 5 % of its largest
  std::int64_t edge_ = INT64_MIN, last_ack_ = INT64_MIN;  // of the newest ACK
  std::int64_t zero_since_us_ = -1, last_us_ = 0, zero_us_ = 0;
  std::uint64_t zero_count_ = 0, zero_episodes_ = 0, shrunk_count_ = 0, shrunk_bytes_ = 0;
  std::uint32_t field_max_ = 0;
  // A time with a low window: the one going on, and the longest.
  struct Low {
    std::int64_t from = -1, to = -1, ack = 0, acked = 0;
    std::uint32_t field = 0;
  };
  void note_low(const AckPoint& ack);
  Low low_now_, low_longest_;
};

}  // namespace rwin::analysis
