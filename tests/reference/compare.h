// The engine against the reference, with the assertions of the test framework.
#pragma once

#include <cstddef>
#include <vector>

#include "analysis/engine.h"
#include "analysis/segment.h"
#include "tests/support/slow.h"

namespace rwin::reference {

using test::kSlow;

struct Compared {
  std::size_t connections = 0, directions = 0, segments = 0;
  std::size_t steps = 0;  // segments whose permission, flight and headroom were compared
  // Blocked time of the engine and of the plain rule.
  std::size_t shares = 0;
  double share_difference = 0;
  void add(const Compared& c);
};

// What must hold of every result, whatever the packets: the timeline is contiguous from the first
// packet to the last and its sums are the shares; nothing is blamed on a window of unknown scale.
void expect_sound(const analysis::ConnectionResult& c);

// The packets of one connection through the engine and through the reference. `steps`: compare at
// most so many segments of each direction one by one. Connections that the engine takes for several
// (port reuse) are left out.
Compared compare_connection(const std::vector<analysis::Segment>& packets, std::size_t steps);

// Figures that do not depend on how long the engine waits before it reads its record.
void expect_same_counts(const analysis::DirectionResult& a, const analysis::DirectionResult& b);
// Everything.
void expect_same(const analysis::DirectionResult& a, const analysis::DirectionResult& b);

std::vector<analysis::ConnectionResult> run_engine(const std::vector<analysis::Segment>& packets,
                                                   std::uint32_t log_limit = 32'768);

}  // namespace rwin::reference
