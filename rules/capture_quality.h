// What the recording takes from a verdict.
#pragma once

#include "rules/advise.h"
#include "rules/flow.h"

namespace rwin::rules {

// Lowers the confidence where much is missing, doubled or in a wrong order, and names it under
// `unproven`: capture_gaps, capture_duplicates, capture_order, capture_clock.
void weigh_capture(const Flow& flow, Outcome& outcome);

}  // namespace rwin::rules
