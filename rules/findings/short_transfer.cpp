// The transfer ended, or the capture did, while the sender was still speeding up.
#include "rules/findings/common.h"

namespace rwin::rules::findings {

bool short_transfer(const Flow& flow, Outcome& outcome) {
  if (flow.connection.end == analysis::End::open) {
    outcome.verdict.notes.push_back(
        "Nothing to change so far: what limits it at full speed shows when it goes on.");
    return true;
  }
  outcome.verdict.notes.push_back(
      "Nothing to change: the transfer was over before it reached full speed. Reused connections "
      "start faster.");
  return true;
}

}  // namespace rwin::rules::findings
