// The timeline of limits of one direction: contiguous, bounded, its sums are the shares.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "analysis/result.h"

namespace rwin::analysis {

class Timeline {
 public:
  void clear();
  // Adds [end so far, `to`) with `limit`; ignored when it is empty. Times from the connection's
  // start.
  void extend(std::int64_t to, Limit limit);
  [[nodiscard]] std::int64_t end() const { return end_; }
  // At most `most` pieces. Too many become equal bins, each the class that is owed most time, so
  // that the sums stay right within one bin.
  void thin(std::size_t most);
  [[nodiscard]] const std::vector<TimelinePiece>& pieces() const { return pieces_; }
  [[nodiscard]] std::array<std::int64_t, kLimitCount> sums() const;
  [[nodiscard]] Limit at(std::int64_t t) const;

 private:
  std::vector<TimelinePiece> pieces_;
  std::int64_t end_ = 0;
};

}  // namespace rwin::analysis
