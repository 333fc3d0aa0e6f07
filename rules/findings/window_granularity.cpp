// One unit of the window field is so large that the window moves in coarse steps.
#include "rules/findings/common.h"
#include "rules/text.h"

namespace rwin::rules::findings {

bool window_granularity(const Flow& flow, Outcome& outcome) {
  if (!flow.scale_seen()) return false;
  const std::uint64_t unit = flow.scale_unit();
  if (unit <= flow.mss || flow.window_max() >= 4 * unit || flow.window_max() == 0) return false;
  outcome.verdict.notes.push_back("One step of the window is " + format_count(unit) + " B (shift " +
                                  std::to_string(flow.direction.scale.shift) +
                                  "), and the window is only " + format_count(flow.window_max()) +
                                  " B: up to one step is lost by rounding down.");
  advise(flow, outcome,
         {.kind = FixKind::buffer_fixed, .raises = true, .then = FixKind::buffer_capped});
  return true;
}

}  // namespace rwin::rules::findings
