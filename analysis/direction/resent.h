// Which sizes of segments are sent again: a path that loses only segments above the MSS (a router
// that merges what it forwards, and then cannot send it on) shows in nothing else.
#pragma once

#include <array>
#include <cstdint>

#include "analysis/direction/trace.h"
#include "analysis/result.h"

namespace rwin::analysis {

class ResentMeter {
 public:
  void begin() { next_ = large_ = large_again_ = plain_ = plain_again_ = 0; }
  // `mss`: payload of a full segment, 0 unknown: then nothing is large.
  void consume(const Trace& trace, std::uint32_t mss);
  void fill(DirectionResult& result) const;

 private:
  // The newest new segments; a retransmission of one that is gone from here is not counted.
  struct Sent {
    std::int64_t start = 0, end = 0;
    bool large = false, again = false;
  };
  static constexpr std::size_t kKept = 64;
  std::array<Sent, kKept> sent_{};
  std::size_t next_ = 0;  // new segments so far
  std::uint64_t large_ = 0, large_again_ = 0, plain_ = 0, plain_again_ = 0;
};

}  // namespace rwin::analysis
