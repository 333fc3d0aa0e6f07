// Connections into one host that stall together: their windows fall in the same second and stay
// low. One connection's stall is its reader's; many at once are the process behind them or the
// host. Inside rules/ only.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "rules/assess.h"

namespace rwin::rules {

struct Stall {
  std::int64_t from_ns = 0, to_ns = 0;  // 1970 UTC
  std::uint16_t port = 0;               // of the receiving host
  bool sent_again = false;              // data that had arrived was sent again: the host dropped it
};

// The longest time for which this direction's window stayed low, where it is a second or more.
std::optional<Stall> stall_of(const analysis::ConnectionResult& connection,
                              const analysis::DirectionResult& direction);

// The stalls of one host. Bounded: beyond kMost the newest replaces the oldest.
class Stalls {
 public:
  void add(const Stall& stall);
  // Fills stalled_together, cause and notes where three or more began within a second.
  void tell(HostSummary& host) const;

 private:
  static constexpr std::size_t kMost = 256;
  std::vector<Stall> list_;
  std::size_t next_ = 0;
};

}  // namespace rwin::rules
