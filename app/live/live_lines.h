// JSON lines of a running capture: start, one interval line for each connection that moved, a
// finding as soon as a verdict appears or changes, flow_end when a connection is over, end.
#pragma once

#include <memory>

#include "app/live/snapshot.h"
#include "app/report.h"

namespace rwin::app {

// A report that is also told of each snapshot. Calls must not overlap.
class LiveReport : public Report {
 public:
  virtual void snapshot(const LiveSnapshot& snapshot) = 0;
};

std::unique_ptr<LiveReport> make_live_lines(Output& out);

}  // namespace rwin::app
