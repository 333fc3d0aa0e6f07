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
  if (!flow.scale_seen() || flow.direction.scale.shift > 4) return false;
  if (!of_family(flow, flow.receiver_system(), "linux")) return false;
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

// The default of net.core.rmem_max: only setsockopt(SO_RCVBUF) stops there. A window of this size
// right from the first round trip may also be anything else.
bool stops_at_rmem_max(const Flow& flow) {
  constexpr std::uint64_t kRmemMax = 212'992;
  const std::uint64_t step = std::max<std::uint64_t>(flow.mss, flow.scale_unit());
  return flow.window_max() <= kRmemMax && flow.window_max() + step > kRmemMax;
}

// Windows shows its autotuning level in the shift; a restricted level is a cap of the system.
bool restricted_level(const Flow& flow) {
  const auto platforms = platforms_of(flow, Side::receiver);
  const bool windows = !platforms.list.empty() && platforms.list.front()->family == "windows";
  const std::uint8_t shift = flow.direction.scale.shift;
  return windows && flow.scale_seen() && (shift == 2 || shift == 4) &&
         flow.window_max() * 5 >= (65535ULL << shift) * 4;
}

// Without a buffer of the program's own the shift comes from the larger of tcp_rmem[2] and
// net.core.rmem_max, whatever the window may become, and the first window from tcp_rmem[1]. A
// window far below what the shift allows, after a first window that is not the usual one, is a
// system whose tcp_rmem was lowered; a program that sets its buffer after connecting leaves the
// usual first window (kernel net/ipv4/tcp_output.c, tcp_select_initial_window, tcp_connect_init).
bool linux_system_value(const Flow& flow) {
  const std::uint8_t shift = flow.direction.scale.shift;
  if (!flow.scale_seen() || shift == 0 || !flow.receiver_offer.seen) return false;
  const auto platforms = platforms_of(flow, Side::receiver);
  if (!platforms.sure || !platforms.list.front()->id.starts_with("linux")) return false;
  const std::uint32_t mss = flow.receiver_offer.mss.known() && flow.receiver_offer.mss.value > 0
                                ? flow.receiver_offer.mss.value
                                : 1460;
  const std::uint32_t first = flow.receiver_offer.window;
  // 10, 20, 22 and 44 segments, and the most that a SYN can say.
  const bool usual = first == 65535 || first == 65160 || first == 10 * mss || first == 20 * mss ||
                     first == 22 * mss || first == 44 * mss;
  return !usual && flow.window_max() * 2 < (1ULL << (15 + shift));
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
  add_file_server_hint(flow, outcome);
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
    if (linux_system_value(flow)) return false;
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
