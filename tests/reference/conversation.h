// The packets of one connection as a plain list, prepared for counting: in capture order, times
// that never go back, packets that were recorded twice taken out.
#pragma once

#include <cstdint>
#include <vector>

#include "analysis/segment.h"

namespace rwin::reference {

struct Line {
  std::int64_t t = 0;  // microseconds from the first packet of the connection
  const analysis::Segment* s = nullptr;
  int side = 0;  // 0: the side that sent the first packet
};

struct Conversation {
  std::vector<Line> lines;
  std::uint64_t duplicates = 0;
};

// `packets` must outlive what is returned.
Conversation read(const std::vector<analysis::Segment>& packets);

// Connections of a capture: packets by pair of endpoints, in order of the first packet.
std::vector<std::vector<analysis::Segment>> by_connection(
    const std::vector<analysis::Segment>& packets);

}  // namespace rwin::reference
