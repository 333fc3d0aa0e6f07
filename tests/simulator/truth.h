// What really held the sender at each moment, as it knows itself, and the sums that the kernel
// would keep (tcp_chrono: busy, rwnd_limited).
#pragma once

#include <array>
#include <vector>

#include "analysis/limit.h"
#include "tests/simulator/clock.h"
#include "tests/simulator/way.h"

namespace rwin::sim {

// What stopped the sender when it last tried to send.
enum class Hold : std::uint8_t {
  not_started,
  window_small,   // the window, whose buffer is not full of unread data
  window_closed,  // the window, since the program behind it reads too slowly
  cwnd_climbing,  // the congestion window, no loss so far
  cwnd_lost,      // the congestion window, recovery, a timeout
  buffer,         // the send buffer
  program,        // nothing to send
  pacer,
  drain,  // all is sent
  over,
};

struct Truth {
  struct Piece {
    Time from, to;
    analysis::Limit limit;
  };
  std::vector<Piece> pieces;
  Time busy = 0, blocked = 0;  // as the kernel counts
  Time base_rtt = 0;
  std::array<Time, analysis::kLimitCount> sums{};
  std::uint64_t data_sent = 0, data_again = 0;  // segments that left the sender

  [[nodiscard]] double share(analysis::Limit l) const;
  [[nodiscard]] analysis::Limit main() const;
  // The main limit, or one that is within `slack` of it.
  [[nodiscard]] bool accepts(analysis::Limit l, double slack = 0.1) const;
  [[nodiscard]] double blocked_share() const;
};

class TruthLog {
 public:
  void set(Time now, Hold hold, bool busy);
  // `line`: when the bottleneck of the data was sending. Where it hardly ever rested the path is
  // the limit, whatever else stopped the sender.
  [[nodiscard]] Truth close(const std::vector<Way::Busy>& line, Time base_rtt) const;

 private:
  struct Step {
    Time at;
    Hold hold;
    bool busy;
  };
  std::vector<Step> steps_;
};

}  // namespace rwin::sim
