// Congestion window: slow start, cubic (RFC 9438) or reno (RFC 5681), HyStart's delay test.
// In segments.
#pragma once

#include "tests/simulator/clock.h"

namespace rwin::sim {

class CongestionWindow {
 public:
  CongestionWindow(int initial, bool cubic, bool hystart)
      : cwnd_(initial), initial_(initial), cubic_(cubic), hystart_(hystart) {}
  [[nodiscard]] double get() const { return cwnd_; }
  [[nodiscard]] bool slow_start() const { return cwnd_ < threshold_; }
  // `acked` segments were acknowledged outside of recovery by a sender that the window held.
  void grow(double acked, Time now, Time rtt, Time smallest_rtt);
  // A loss was noticed. The window itself follows in recovery (set) or at once (timeout).
  void on_loss();
  void on_timeout();
  void restart();
  // The loss was none: as it was before.
  void undo();
  void set(double cwnd) { cwnd_ = cwnd; }
  [[nodiscard]] double threshold() const { return threshold_; }

 private:
  double cubic_step(Time now, Time rtt);
  double cwnd_;
  double threshold_ = 1e9;
  int initial_;
  bool cubic_, hystart_;
  double most_ = 0, reno_ = 0, cwnd_before_ = 0, threshold_before_ = 0;
  Time epoch_ = -1;
};

}  // namespace rwin::sim
