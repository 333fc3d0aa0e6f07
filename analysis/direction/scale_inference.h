// The window scale of a connection whose handshake was not captured (METHOD part 2, "Scale without
// the SYN").
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "analysis/direction/delays.h"
#include "analysis/direction/release.h"
#include "analysis/direction/trace.h"

namespace rwin::analysis {

// The smallest shift that data never violates, if under it the sender is seen to be held by the
// window most of the time and the time stamps agree that the very ACKs that permitted the data
// released it. Else the data says nothing about the scale: nullopt. Leaves the trace scaled with
// the answer, or unscaled. `spans` is working memory.
std::optional<std::uint8_t> infer_shift(Trace& trace, const Delays& delays,
                                        std::uint32_t full_segment, std::vector<Span>& spans);

}  // namespace rwin::analysis
