// The receiver of the data does not offer window scaling: no window above 65535 bytes.
#include "rules/findings/common.h"

namespace rwin::rules::findings {

using analysis::Presence;

namespace {

// No handshake, and the window stands at what fits without scaling: most likely nobody scales, and
// which end left the option out is open.
bool likely_unscaled(const Flow& flow) {
  const auto& scale = flow.direction.scale;
  const std::uint64_t most = flow.window_max();
  return scale.state == Presence::known && scale.inferred && scale.shift == 0 &&
         !flow.receiver_offer.seen && !flow.sender_offer.seen && most >= kNearlyUnscaledMost &&
         most <= 65535;
}

}  // namespace

bool scaling_absent_receiver(const Flow& flow, Outcome& outcome) {
  if (likely_unscaled(flow)) {
    outcome.unproven("scaling_offered");
    outcome.verdict.notes.push_back(
        "The window stands at the most that fits without scaling; the handshake, which tells who "
        "left "
        "it out, was not captured.");
    advise_scaling(flow, outcome, Side::receiver);
    return true;
  }
  if (flow.direction.scale.state != Presence::absent) return false;
  const auto& offer = flow.receiver_offer;
  if (!offer.seen || offer.window_scale.state != Presence::absent) return false;
  if (!needs_scaling(flow, outcome.sizing)) return false;
  // A server that was not asked may not answer with the option; whether it was asked is not known
  // without the SYN.
  const bool receiver_is_server = !flow.receiver_is_client;
  if (receiver_is_server && !flow.connection.client_offer.seen) outcome.unproven("scaling_offered");
  advise_scaling(flow, outcome, Side::receiver);
  advise_parallel(flow, outcome);
  return true;
}

}  // namespace rwin::rules::findings
