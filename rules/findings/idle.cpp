// The sending program had nothing to send.
#include "rules/findings/common.h"

namespace rwin::rules::findings {

bool idle(const Flow&, Outcome& outcome) {
  outcome.verdict.notes.push_back(
      "Nothing to change in TCP: look at the sending program, its disk, or the one it waits for.");
  return true;
}

}  // namespace rwin::rules::findings
