// Something limits the window whatever the buffers are: a route's window attribute, a socket
// option, a box.
#include "rules/findings/common.h"

namespace rwin::rules::findings {
namespace {

bool flat(const analysis::DirectionResult& d) {
  return d.window_p50 && d.window_max && *d.window_p50 * 10 >= *d.window_max * 9;
}

// Scaling is agreed, yet the window stands at the last step below 65536.
bool stands_at_unscaled_most(const Flow& flow) {
  const std::uint64_t most = flow.window_max();
  return flow.direction.scale.shift >= 1 && most <= 65535 && most + flow.scale_unit() > 65535;
}

// A Linux that offers shift 0 with the full first window: not its buffers (they would lower the
// first window too).
bool scale_clamped(const Flow& flow) {
  const SignatureMatch match = flow.receiver_system();
  return flow.direction.scale.shift == 0 && match.signature != nullptr &&
         match.signature->always_scales && of_family(flow, match, "linux") &&
         flow.receiver_offer.window >= 60000 && flow.window_max() >= kNearlyUnscaledMost;
}

}  // namespace

bool window_clamped(const Flow& flow, Outcome& outcome) {
  if (!flow.scale_seen() || !flat(flow.direction)) return false;
  if (!stands_at_unscaled_most(flow) && !scale_clamped(flow)) return false;
  outcome.unproven("window_clamped_by");
  outcome.verdict.notes.push_back(
      "The window stands at the largest value that fits without scaling: a route, a program or a "
      "box "
      "on the way clamps it.");
  advise(flow, outcome,
         {.kind = FixKind::window_clamped, .raises = true, .then = FixKind::buffer_capped});
  return true;
}

}  // namespace rwin::rules::findings
