// The sender of the data leaves window scaling out, so the receiver may not scale either (RFC
// 7323 2.2).
#include "rules/findings/common.h"

namespace rwin::rules::findings {

using analysis::Presence;

bool scaling_absent_sender(const Flow& flow, Outcome& outcome) {
  if (flow.direction.scale.state != Presence::absent) return false;
  const auto& offer = flow.sender_offer;
  if (!offer.seen || offer.window_scale.state != Presence::absent) return false;
  if (!needs_scaling(flow, outcome.sizing)) return false;
  // A SYN-ACK may only carry the option when the SYN did: with the option missing in the SYN the
  // client is at fault.
  const auto& syn = flow.connection.client_offer;
  const bool sender_is_server = flow.receiver_is_client;
  if (sender_is_server && (!syn.seen || syn.window_scale.state != Presence::known)) return false;
  advise_scaling(flow, outcome, Side::sender);
  return true;
}

}  // namespace rwin::rules::findings
