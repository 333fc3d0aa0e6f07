// The program reads more slowly than the sender could send; the window closes and opens with it.
#include "rules/findings/common.h"

namespace rwin::rules::findings {

bool reader_slow(const Flow& flow, Outcome& outcome) {
  outcome.verdict.notes.push_back(
      "If the program is meant to read at this rate (a player, a rate limit), there is nothing to "
      "change.");
  advise(flow, outcome, {.kind = FixKind::reader});
  return true;
}

}  // namespace rwin::rules::findings
