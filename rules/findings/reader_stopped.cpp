// The window was closed for a second or more at a time: the program stopped reading.
#include "rules/findings/common.h"
#include "rules/text.h"

namespace rwin::rules::findings {

bool reader_stopped(const Flow& flow, Outcome& outcome) {
  const auto& d = flow.direction;
  if (d.zero_window_count == 0) return false;
  const bool long_stall = flow.stalled_closed() && d.longest_stall_us >= 1'000'000;
  const std::int64_t episodes =
      d.zero_window_episodes > 0 ? static_cast<std::int64_t>(d.zero_window_episodes) : 1;
  if (!long_stall && d.zero_window_us / episodes < 1'000'000) return false;
  if (d.zero_window_us > 0) {
    outcome.verdict.notes.push_back(
        "The window was closed " + format_count(static_cast<std::uint64_t>(episodes)) +
        (episodes == 1 ? " time, " : " times, ") + format_time(d.zero_window_us) +
        " in all; the receiving host answered, its program did not read.");
  }
  advise(flow, outcome, {.kind = FixKind::reader});
  return true;
}

}  // namespace rwin::rules::findings
