// The program reads more slowly than the sender could send; the window closes and opens with it.
// Or the window fell for good although data went on being taken: then the system under the program
// may be at fault.
#include "rules/findings/common.h"
#include "rules/text.h"

namespace rwin::rules::findings {
namespace {

constexpr std::int64_t kLasting = 5'000'000;  // a window low for that long will not come back

// Empty where the window came back, or where nothing was taken from it while it was low.
std::string collapse_note(const Flow& flow) {
  const auto& d = flow.direction;
  if (d.low_window_us < kLasting || d.low_window_us * 3 < d.duration_us) return {};
  if (d.low_window_field == 0 || d.low_window_acked < 2ULL * flow.mss) return {};
  std::string note = "The window fell from " + format_count(flow.window_max()) + " to at most " +
                     format_count(d.low_window_field * flow.scale_unit()) + " B " +
                     format_time(d.low_window_at_us) + " after the start and stayed there for " +
                     format_time(d.low_window_us) +
                     ", though data went on being acknowledged. If the program was reading then, "
                     "the receiving system is at fault (its driver or its account of memory), and "
                     "an update of it is the fix; a larger buffer only hides that.";
  const std::uint64_t average = d.segments > 0 ? d.wire_bytes / d.segments : 0;
  if (average > 0 && average * 2 < flow.mss) {
    note += " Segments of " + format_count(average) +
            " B on average cost it much more memory than they carry: fewer, larger writes help.";
  }
  return note;
}

}  // namespace

bool reader_slow(const Flow& flow, Outcome& outcome) {
  if (const std::string note = collapse_note(flow); !note.empty()) {
    outcome.verdict.notes.push_back(note);
    outcome.unproven("receiver_fault");
  } else {
    outcome.verdict.notes.push_back(
        "If the program is meant to read at this rate (a player, a rate limit), there is nothing "
        "to change.");
  }
  advise(flow, outcome, {.kind = FixKind::reader});
  return true;
}

}  // namespace rwin::rules::findings
