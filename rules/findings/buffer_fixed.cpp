// The receive buffer is a fixed value: a program's setting, or a system that does not grow windows.
#include <algorithm>

#include "rules/findings/common.h"
#include "rules/text.h"

namespace rwin::rules::findings {
namespace {

// Linux takes the shift from the largest buffer it may use: a ceiling in [2^(15+s), 2^(16+s)), of
// which the window gets about half. A window above 2^(15+s) with a small shift, or a first window
// below the system's own, comes from a value that the program set before it connected (kernel
// net/ipv4/tcp_output.c, tcp_select_initial_window).
bool linux_program_value(const Flow& flow) {
  if (!flow.scale_seen() || flow.direction.scale.shift > 4 || !linux_receiver(flow)) return false;
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
  const bool windows = !platforms.list.empty() && platforms.list.front()->family == "windows";
  const std::uint8_t shift = flow.direction.scale.shift;
  return windows && flow.scale_seen() && (shift == 2 || shift == 4) &&
         flow.window_max() * 5 >= (65535ULL << shift) * 4;
}

// Plateaus that tell more than their size.
void add_hints(const Flow& flow, Outcome& outcome) {
  auto& notes = outcome.verdict.notes;
  const std::uint64_t most = flow.window_max();
  const std::uint64_t step = std::max<std::uint64_t>(flow.mss, flow.scale_unit());
  if (stops_at_rmem_max(flow)) {
    notes.push_back(
        "212 992 B is the default of net.core.rmem_max: a program has set SO_RCVBUF. Raising "
        "tcp_rmem alone will not help; remove the call, or raise rmem_max and the program's "
        "value.");
  } else if (most >= 28'000 && most < 32'768 + step && flow.direction.scale.shift == 7) {
    notes.push_back(
        "28 to 32 KB is a quarter of 128 KiB, which Linux makes of SO_RCVBUF 65536: kernels from "
        "6.6 on without the later fix of this ratio never advertise more of it.");
  }
  if (flow.direction.blocked_us && flow.rtt_us && *flow.direction.blocked_us > 10 * *flow.rtt_us) {
    notes.push_back("The window never grew in " + format_time(*flow.direction.blocked_us) +
                    " of being full.");
  }
}

}  // namespace

bool buffer_fixed(const Flow& flow, Outcome& outcome) {
  if (!flow.direction.window_max) return false;
  const auto& known = flow.settings.receive_buffer_fixed;
  if (known == false) return false;
  if (known == true) {
    outcome.verdict.notes.push_back(
        "This host's kernel says it: the program set its receive buffer itself.");
  } else {
    if (restricted_level(flow) || near_system_cap(flow)) return false;
    if (linux_ceiling(flow)) return false;
    const bool program = linux_program_value(flow) || stops_at_rmem_max(flow);
    if (!program && !flat_from_start(flow.direction, flow.rtt_us)) return false;
    if (!program || !flow.receiver_offer.seen) outcome.unproven("buffer_owner");
  }
  add_hints(flow, outcome);
  advise(flow, outcome,
         {.kind = FixKind::buffer_fixed, .raises = true, .then = FixKind::buffer_capped});
  advise_parallel(flow, outcome);
  return true;
}

}  // namespace rwin::rules::findings
