// No verdict: why, and what would make one possible.
#include "rules/findings/common.h"
#include "rules/text.h"

namespace rwin::rules::findings {

using analysis::Presence;

bool not_told(const Flow& flow, Outcome& outcome) {
  const auto& d = flow.direction;
  auto& notes = outcome.verdict.notes;
  if (d.scale.state == Presence::unknown && !flow.connection.syn_seen) {
    outcome.unproven("window_scale");
    notes.push_back(
        "The handshake was not captured, so the window scale is unknown: start the capture before "
        "the "
        "connection, or pass --assume-wscale " +
        format_address(flow.receiver.address) + "=7 (with the shift of that system).");
  } else if (!d.data_seen || !d.acks_seen) {
    outcome.unproven("other_direction");
    notes.push_back(std::string("Only ") + (d.data_seen ? "the data" : "the ACKs") +
                    " of this transfer were captured: capture both directions.");
  } else if (!flow.rtt_us) {
    outcome.unproven("round_trip");
    notes.push_back("No round trip could be measured.");
  }
  return true;
}

}  // namespace rwin::rules::findings
