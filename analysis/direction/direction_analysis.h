// From one half-flow's log to what the analysis says of that direction. Runs once, when the connection is finished.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "analysis/direction/delays.h"
#include "analysis/direction/epochs.h"
#include "analysis/direction/release.h"
#include "analysis/direction/trace.h"
#include "analysis/half_flow.h"
#include "analysis/result.h"

namespace rwin::analysis {

struct DirectionInput {
  bool from_client = false;
  WindowScale scale;                      // of the receiver's windows
  DelayHints hints;
  std::optional<std::uint16_t> mss;       // smaller of the two MSS options, where seen
  bool timestamps = false;                // 12 bytes of every segment are options
  std::int64_t handshake_end_us = 0;
  std::int64_t total_us = 0;              // the connection's length
};

// Working memory that is used again for every direction.
struct Scratch {
  std::vector<Event> events;
  Trace trace;
  std::vector<Span> spans;
};

DirectionResult analyse_direction(HalfFlow& half, const DirectionInput& input, EventPool& pool, Scratch& scratch);

}  // namespace rwin::analysis
