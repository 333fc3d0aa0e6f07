// The transfer ended while the sender was still speeding up.
#include "rules/findings/common.h"

namespace rwin::rules::findings {

bool short_transfer(const Flow&, Outcome& outcome) {
  outcome.verdict.notes.push_back(
      "Nothing to change: the transfer was over before it reached full speed. Reused connections "
      "start "
      "faster.");
  return true;
}

}  // namespace rwin::rules::findings
