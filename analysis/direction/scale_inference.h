// The window scale of a connection whose handshake was not captured (METHOD part 2, "Scale without the SYN").
#pragma once

#include <cstdint>
#include <optional>

#include "analysis/direction/delays.h"
#include "analysis/direction/trace.h"

namespace rwin::analysis {

// The smallest shift that data never violates, if under it the sender is seen to be held by the window (else the
// data says nothing about the scale: nullopt). Leaves the trace scaled with the answer, or unscaled.
std::optional<std::uint8_t> infer_shift(Trace& trace, const Delays& delays);

}  // namespace rwin::analysis
