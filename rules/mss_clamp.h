// A segment size that a box on the way lowered. Inside rules/ only.
#pragma once

#include "rules/advise.h"

namespace rwin::rules {

// Adds a note and advice where an end's MSS was lowered below what any common tunnel needs. Proof
// in one SYN: Linux and Windows offer a window of whole segments of 1460 (1448 with timestamps in
// an answer), and it is no multiple of the MSS that arrived beside it.
void note_mss_clamp(const Flow& flow, Outcome& outcome);

}  // namespace rwin::rules
