// A box changes the shift in the option, or forgets it, so that the two ends read the window field
// differently.
#include "rules/findings/common.h"
#include "rules/text.h"

namespace rwin::rules::findings {
namespace {

using analysis::Limit;

// Seen where the window is already wrong: the handshake says one thing, the fields another.
bool field_fell(const Flow& flow) {
  return fields_look_scaled(flow) && flow.window_max() * 8 <= flow.receiver_offer.window;
}

// Seen before the box: the sender stops at the raw field, round after round, with the scaled window
// far away. A program that writes little at a time does not fill the field to the byte, so the
// flight must come close to it.
bool flight_stops_at_field(const Flow& flow) {
  const auto& d = flow.direction;
  if (!d.flight_max || !d.flight_p50 || d.scale.shift < 2 || d.window_field_max == 0) return false;
  const std::uint64_t field = d.window_field_max;
  return *d.flight_max <= field && *d.flight_max * 20 >= field * 17 && *d.flight_p50 * 2 >= field &&
         flow.window_max() >= 4 * *d.flight_max && d.bytes >= 8 * field;
}

}  // namespace

bool scale_rewritten(const Flow& flow, Outcome& outcome) {
  if (!flow.scale_seen()) return false;
  const bool fell = flow.direction.limit == Limit::receiver_window && field_fell(flow);
  const bool stops = flow.direction.limit != Limit::receiver_window && flight_stops_at_field(flow);
  if (!fell && !stops) return false;
  if (fell) {
    outcome.verdict.notes.push_back(
        "The receiver's windows are far smaller than the one in its handshake: it scales them with "
        "a "
        "larger shift than the one that arrives here.");
  } else {
    outcome.verdict.notes.push_back("The flight never exceeds the raw window field of " +
                                    format_count(flow.direction.window_field_max) +
                                    " although the window is " + format_count(flow.window_max()) +
                                    " B: the sender does not know the scale.");
    outcome.unproven("scale_rewritten");
  }
  advise(flow, outcome, {.kind = FixKind::scale_rewritten, .raises = fell});
  return true;
}

}  // namespace rwin::rules::findings
