// The sending program had nothing to send.
#include "rules/findings/common.h"

namespace rwin::rules::findings {

bool idle(const Flow& flow, Outcome& outcome) {
  if (flow.direction.bytes < 10'000) return true;  // a request: nobody looks for its limit
  outcome.verdict.notes.push_back(
      "Nothing to change in TCP: look at the sending program, its disk, or the one it waits for.");
  return true;
}

}  // namespace rwin::rules::findings
