// Segments are lost and sent again; the flight falls and climbs.
#include <fmt/format.h>

#include "rules/findings/common.h"

namespace rwin::rules::findings {

bool loss(const Flow& flow, Outcome& outcome) {
  const auto& d = flow.direction;
  const std::uint64_t lost = d.retransmitted_segments > d.spurious_segments
                                 ? d.retransmitted_segments - d.spurious_segments
                                 : 0;
  if (lost == 0 || d.segments == 0) return false;
  outcome.verdict.notes.push_back(
      fmt::format("{} of {} segments were sent again ({:.2f} %).", lost, d.segments,
                  100.0 * static_cast<double>(lost) / static_cast<double>(d.segments)));
  advise(flow, outcome, {.kind = FixKind::loss, .side = Side::sender});
  return true;
}

}  // namespace rwin::rules::findings
