// The receive buffer is a fixed value: a program's setting, or a system that does not grow windows.
#include <algorithm>

#include "rules/findings/common.h"

namespace rwin::rules::findings {
namespace {

// Linux takes the shift from the largest buffer it may use: a ceiling in [2^(15+s), 2^(16+s)), of
// which the window gets about half. A window above 2^(15+s) with a small shift, or a first window
// below the system's own, comes from a value that the program set before it connected (kernel
// net/ipv4/tcp_output.c, tcp_select_initial_window).
bool linux_program_value(const Flow& flow) {
  if (!flow.scale_seen() || flow.direction.scale.shift > 4) return false;
  const SignatureMatch match = flow.receiver_system();
  if (match.signature == nullptr || match.signature->platforms.empty() ||
      match.signature->platforms.front() != "linux") {
    return false;
  }
  const bool above_half = flow.window_max() >= (1ULL << (15 + flow.direction.scale.shift));
  const bool low_first_window = flow.receiver_offer.window < 29200;
  return above_half || low_first_window;
}

// Near what the system allows at most: then the system is the cap, however the window got there.
bool near_system_cap(const Flow& flow) {
  const auto platforms = platforms_of(flow, Side::receiver);
  if (!platforms.sure) return false;
  const std::uint64_t cap = platforms.list.front()->default_window;
  const std::uint64_t most = flow.window_max();
  return cap > 65535 && most * 4 >= cap * 3 && most * 2 <= cap * 4;
}

// Windows shows its autotuning level in the shift; a restricted level is a cap of the system.
bool restricted_level(const Flow& flow) {
  const auto platforms = platforms_of(flow, Side::receiver);
  const bool windows = !platforms.list.empty() && platforms.list.front()->id == "windows";
  const std::uint8_t shift = flow.direction.scale.shift;
  return windows && flow.scale_seen() && (shift == 2 || shift == 4) &&
         flow.window_max() * 5 >= (65535ULL << shift) * 4;
}

}  // namespace

bool buffer_fixed(const Flow& flow, Outcome& outcome) {
  if (!flow.direction.window_max) return false;
  if (restricted_level(flow) || near_system_cap(flow)) return false;
  const bool program = linux_program_value(flow);
  if (!program && !flat_from_start(flow.direction, flow.rtt_us)) return false;
  if (!program || !flow.receiver_offer.seen) outcome.unproven("buffer_owner");
  advise(flow, outcome,
         {.kind = FixKind::buffer_fixed, .raises = true, .then = FixKind::buffer_capped});
  advise_parallel(flow, outcome);
  return true;
}

}  // namespace rwin::rules::findings
