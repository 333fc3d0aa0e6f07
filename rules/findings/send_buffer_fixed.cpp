// The flight stands far below what a system reaches by itself: the program fixes its send buffer,
// or writes too little at a time.
#include "rules/findings/common.h"

namespace rwin::rules::findings {

bool send_buffer_fixed(const Flow& flow, Outcome& outcome) {
  outcome.unproven("buffer_owner");
  if (flow.direction.flight_max) {
    advise(flow, outcome, {.kind = FixKind::send_buffer, .side = Side::sender});
  }
  return true;
}

}  // namespace rwin::rules::findings
