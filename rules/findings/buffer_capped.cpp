// The window grew and then stayed: the system's maximum. Also what is left when nothing else
// explains the window.
#include "rules/findings/common.h"
#include "rules/text.h"

namespace rwin::rules::findings {

namespace {

std::string shift_note(const Flow& flow) {
  const std::uint8_t shift = flow.direction.scale.shift;
  return "The shift of " + std::to_string(shift) + " that " +
         format_address(flow.receiver.address) + " offers stands for buffers of " +
         format_count(1ULL << (15 + shift)) + " B and more, the window ends at " +
         format_count(flow.window_max()) +
         " B: a program that fixes its buffer before it connects or listens would have lowered the "
         "shift too. So the system ends it (the third value of tcp_rmem), or a program that sets "
         "its buffer later.";
}

}  // namespace

bool buffer_capped(const Flow& flow, Outcome& outcome) {
  if (flow.settings.receive_buffer_fixed == false) {
    outcome.verdict.notes.push_back(
        "This host's kernel says it: the program leaves its receive buffer to the system.");
    advise(flow, outcome, {.kind = FixKind::buffer_capped, .raises = true});
  } else {
    // A program's own value can look the same; the look step tells. Both changes are printed where
    // the system is known.
    outcome.unproven("buffer_owner");
    if (linux_ceiling(flow)) outcome.verdict.notes.push_back(shift_note(flow));
    advise(flow, outcome,
           {.kind = FixKind::buffer_capped,
            .raises = true,
            .then = FixKind::buffer_fixed,
            .then_always = platforms_of(flow, Side::receiver).sure});
  }
  advise_parallel(flow, outcome);
  return true;
}

}  // namespace rwin::rules::findings
