// The window is taken back and closed at once: the receiving host runs short of memory for TCP.
#include "rules/findings/common.h"
#include "rules/text.h"

namespace rwin::rules::findings {

bool host_memory(const Flow& flow, Outcome& outcome) {
  const auto& d = flow.direction;
  if (d.shrunk_count == 0 || d.zero_window_count == 0 || d.shrunk_bytes < 2ULL * flow.mss)
    return false;
  outcome.unproven("host_memory");
  outcome.verdict.notes.push_back(
      "The window was taken back by up to " + format_count(d.shrunk_bytes) +
      " B and closed: a host short of memory does that. Look whether other "
      "connections to it stall in the same seconds.");
  advise(flow, outcome, {.kind = FixKind::window_shrunk});
  advise(flow, outcome, {.kind = FixKind::reader});
  return true;
}

}  // namespace rwin::rules::findings
