// The flight grew to the system's largest send buffer.
#include "rules/findings/common.h"

namespace rwin::rules::findings {

bool send_buffer_capped(const Flow& flow, Outcome& outcome) {
  const auto platforms = platforms_of(flow, Side::sender);
  if (!flow.direction.flight_max || platforms.list.empty()) return false;
  const std::uint64_t usual = platforms.list.front()->default_flight;
  if (usual == 0 || *flow.direction.flight_max * 2 < usual) return false;
  outcome.unproven("buffer_owner");
  advise(flow, outcome, {.kind = FixKind::send_buffer, .side = Side::sender});
  return true;
}

}  // namespace rwin::rules::findings
