// A box on the way removes the window-scale option (RFC 7323 2.2: without it in both SYNs nobody
// scales).
#include "rules/findings/common.h"
#include "rules/text.h"

namespace rwin::rules::findings {
namespace {

using analysis::HandshakeSide;
using analysis::Place;
using analysis::Presence;

constexpr std::uint8_t kEol = 0, kNop = 1;

// No system writes three NOPs in a row: a box has blanked an option with them.
bool blanked(const HandshakeSide& offer) {
  int run = 0;
  for (int i = 0; i < offer.option_kind_count; ++i) {
    const std::uint8_t kind = offer.option_kinds[static_cast<std::size_t>(i)];
    if (kind == kEol) return false;
    run = kind == kNop ? run + 1 : 0;
    if (run == 3) return true;
  }
  return false;
}

bool lacks_scale(const HandshakeSide& offer) {
  return offer.seen && offer.window_scale.state == Presence::absent;
}

// The SYN offered scaling, the SYN-ACK has none, and all else in the SYN-ACK is of a system that
// always scales. Seen at the server itself the answer left without the option: then nobody stripped
// it.
bool answered_without(const Flow& flow) {
  const HandshakeSide& syn = flow.connection.client_offer;
  const HandshakeSide& answer = flow.connection.server_offer;
  if (!syn.window_scale.known() || !lacks_scale(answer)) return false;
  if (flow.connection.place == Place::server) return false;
  const SignatureMatch match = match_signature(flow.catalogue, answer, true);
  return match.signature != nullptr && match.signature->always_scales;
}

}  // namespace

bool scaling_stripped(const Flow& flow, Outcome& outcome) {
  if (flow.direction.scale.state != Presence::absent) return false;
  const bool blank = (lacks_scale(flow.sender_offer) && blanked(flow.sender_offer)) ||
                     (lacks_scale(flow.receiver_offer) && blanked(flow.receiver_offer));
  const bool scaled_fields = fields_look_scaled(flow);
  const bool answered = answered_without(flow);
  if (!blank && !scaled_fields && !(answered && needs_scaling(flow, outcome.sizing))) return false;

  if (scaled_fields) {
    outcome.verdict.notes.push_back(
        "The receiver's windows are far smaller than the one in its handshake: it scales them, "
        "so it did agree, and the option was lost on the way.");
  } else if (blank) {
    outcome.verdict.notes.push_back(
        "Padding stands where the window-scale option should be: a box on the way blanked it.");
  } else {
    outcome.unproven("option_removed_on_the_way");
    outcome.verdict.notes.push_back("Either a box on the way removes the option, or " +
                                    format_address(flow.connection.server.address) +
                                    " has scaling switched off: a capture at both ends tells.");
  }
  advise(flow, outcome,
         {.kind = FixKind::scaling_stripped, .raises = true, .then = FixKind::buffer_capped});
  if (answered && !blank && !scaled_fields) {
    advise_scaling(flow, outcome, flow.receiver_is_client ? Side::sender : Side::receiver);
  }
  return true;
}

}  // namespace rwin::rules::findings
