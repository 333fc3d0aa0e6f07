// The window grew and then stayed: the system's maximum. Also what is left when nothing else
// explains the window.
#include "rules/findings/common.h"

namespace rwin::rules::findings {

bool buffer_capped(const Flow& flow, Outcome& outcome) {
  if (flow.settings.receive_buffer_fixed == false) {
    outcome.verdict.notes.push_back(
        "This host's kernel says it: the program leaves its receive buffer to the system.");
    advise(flow, outcome, {.kind = FixKind::buffer_capped, .raises = true});
  } else {
    // A program's own value can look the same; the look step tells. Both changes are printed where
    // the system is known.
    outcome.unproven("buffer_owner");
    advise(flow, outcome,
           {.kind = FixKind::buffer_capped,
            .raises = true,
            .then = FixKind::buffer_fixed,
            .then_always = platforms_of(flow, Side::receiver).sure});
  }
  advise_parallel(flow, outcome);
  return true;
}

}  // namespace rwin::rules::findings
