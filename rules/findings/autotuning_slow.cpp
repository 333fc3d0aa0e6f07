// The window grew until the end and was the limit all the while.
#include "rules/findings/common.h"
#include "rules/text.h"

namespace rwin::rules::findings {

bool autotuning_slow(const Flow& flow, Outcome& outcome) {
  if (!flow.direction.window_still_growing) return false;
  std::string note = "The window was still growing at the end of the capture";
  if (flow.direction.window_first) {
    note += ": from " + format_count(*flow.direction.window_first) + " to " +
            format_count(flow.window_max()) + " B";
  }
  outcome.verdict.notes.push_back(note + ".");
  advise(flow, outcome, {.kind = FixKind::autotuning_slow, .raises = true});
  return true;
}

}  // namespace rwin::rules::findings
