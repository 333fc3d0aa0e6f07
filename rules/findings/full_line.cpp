// The path is full: nothing to change at either end.
#include "rules/findings/common.h"

namespace rwin::rules::findings {

bool full_line(const Flow&, Outcome& outcome) {
  outcome.verdict.notes.push_back(
      "Nothing to change: the line is full. A larger window would only lengthen the queue.");
  return true;
}

}  // namespace rwin::rules::findings
