// The receiver of the data does not offer window scaling: no window above 65535 bytes.
#include "rules/findings/common.h"

namespace rwin::rules::findings {

using analysis::Presence;

bool scaling_absent_receiver(const Flow& flow, Outcome& outcome) {
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
