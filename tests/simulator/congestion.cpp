#include "tests/simulator/congestion.h"

#include <algorithm>
#include <cmath>

namespace rwin::sim {
namespace {

constexpr double kBeta = 0.7, kC = 0.4;

}  // namespace

void CongestionWindow::grow(double acked, Time now, Time rtt, Time smallest_rtt) {
  if (slow_start()) {
    const Time step = std::clamp(smallest_rtt / 8, 4 * kMs, 16 * kMs);
    if (hystart_ && cwnd_ >= 16 && rtt > smallest_rtt + step) {
      threshold_ = cwnd_;
      return;
    }
    cwnd_ = std::min(cwnd_ + acked, threshold_);
    return;
  }
  cwnd_ += acked * (cubic_ ? cubic_step(now, rtt) : 1 / cwnd_);
}

double CongestionWindow::cubic_step(Time now, Time rtt) {
  if (epoch_ < 0) {
    epoch_ = now;
    most_ = std::max(most_, cwnd_);
    reno_ = cwnd_;
  }
  const double k = std::cbrt((most_ - std::min(most_, threshold_ < 1e8 ? threshold_ : most_)) / kC);
  const double t = static_cast<double>(now - epoch_ + rtt) / 1e9;
  const double target = std::clamp(kC * std::pow(t - k, 3) + most_, cwnd_, 1.5 * cwnd_);
  reno_ += 3 * (1 - kBeta) / (1 + kBeta) / cwnd_;
  return std::max({(target - cwnd_) / cwnd_, reno_ > cwnd_ ? 1 / cwnd_ : 0.0, 0.01 / cwnd_});
}

void CongestionWindow::on_loss() {
  cwnd_before_ = cwnd_;
  threshold_before_ = threshold_;
  most_ = cwnd_;
  threshold_ = std::max(2.0, cwnd_ * (cubic_ ? kBeta : 0.5));
  epoch_ = -1;
}

void CongestionWindow::on_timeout() {
  on_loss();
  cwnd_ = 1;
}

void CongestionWindow::undo() {
  cwnd_ = std::max(cwnd_, cwnd_before_);
  threshold_ = std::max(threshold_, threshold_before_);
  epoch_ = -1;
}

void CongestionWindow::restart() {
  cwnd_ = std::min(cwnd_, static_cast<double>(initial_));
  epoch_ = -1;
}

}  // namespace rwin::sim
