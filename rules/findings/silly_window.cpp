// The window holds less than two segments: one segment, or a part of one, for each round trip or
// delayed ACK.
#include <fmt/format.h>

#include "rules/findings/common.h"

namespace rwin::rules::findings {

bool silly_window(const Flow& flow, Outcome& outcome) {
  if (!flow.window || *flow.window == 0 || *flow.window >= 2ULL * flow.mss) return false;
  const double segments = static_cast<double>(*flow.window) / static_cast<double>(flow.mss);
  outcome.verdict.notes.push_back(
      fmt::format("The window holds {:.2f} segments of {} B: each round trip, or each delayed ACK, "
                  "moves that much. At least two segments are needed, four are better.",
                  segments, flow.mss));
  advise(flow, outcome,
         {.kind = FixKind::buffer_fixed, .raises = true, .then = FixKind::buffer_capped});
  advise_parallel(flow, outcome);
  return true;
}

}  // namespace rwin::rules::findings
