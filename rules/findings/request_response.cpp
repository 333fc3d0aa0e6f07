// Data comes in answers, each after a request: round trips, not windows, set the pace.
#include "rules/findings/common.h"

namespace rwin::rules::findings {

bool request_response(const Flow& flow, Outcome& outcome) {
  const auto& d = flow.direction;
  if (flow.reverse == nullptr || d.segments == 0) return false;
  // At least three exchanges, each side's data ending in a push, and requests not rarer than one
  // for 64 answers' ends.
  const bool exchanges = flow.reverse->segments >= 3 && d.pushed_segments >= 3;
  if (!exchanges || flow.reverse->segments * 64 < d.pushed_segments) return false;
  advise(flow, outcome, {.kind = FixKind::request_response});
  return true;
}

}  // namespace rwin::rules::findings
