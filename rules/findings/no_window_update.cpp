// The window closed and nobody reopened the talk: no probe from the sender, or probes without an
// answer.
#include "rules/findings/common.h"

namespace rwin::rules::findings {

bool no_window_update(const Flow& flow, Outcome& outcome) {
  const auto& d = flow.direction;
  // Without the sender's packets in the capture its probes could not be seen.
  if (!d.data_seen || !d.acks_seen || d.zero_window_count == 0) return false;
  if (!flow.stalled_closed() || d.longest_stall_us < 1'000'000) return false;
  const bool silent = d.window_probes == 0;
  const bool unanswered = d.unanswered_probes >= 2 && d.unanswered_probes * 2 >= d.window_probes;
  if (!silent && !unanswered) return false;
  outcome.verdict.notes.push_back(
      silent
          ? "The window was closed and the sender did not probe it: a lost window update would "
            "never be made good. Sender and receiver both need a look."
          : "Probes of the closed window stayed without an answer: the receiver, or the way back "
            "from it, was gone.");
  advise(flow, outcome, {.kind = FixKind::reader});
  return true;
}

}  // namespace rwin::rules::findings
