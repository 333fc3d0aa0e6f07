// How much a finding matters to who reads it: what a report prints in full, what stands first in a
// list.
#pragma once

#include <cstdint>

#include "rules/assess.h"

namespace rwin::rules {

// The order is the order in reports.
enum class Weight : std::uint8_t {
  full,   // a block with speed, time, cause, fix
  brief,  // one line: the window is not the limit, or no verdict
  tiny,   // left out where there is anything heavier
};
Weight weight_of(const analysis::DirectionResult& direction, const Assessment& assessment);

// Bits that the limit cost: (what could be - what was) x the time it held. What costs most comes
// first.
double lost_bits(const analysis::DirectionResult& direction, const Assessment& assessment);

}  // namespace rwin::rules
