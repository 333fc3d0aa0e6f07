// The server sends at a rate of its own: several connections are the way round it.
#include "rules/findings/common.h"

namespace rwin::rules::findings {

bool capped_server(const Flow& flow, Outcome& outcome) {
  const std::uint32_t connections = connections_for(flow, outcome.sizing);
  if (connections == 0) {
    outcome.verdict.notes.push_back(
        "Several connections side by side would add up; --target-rate tells how many fill the "
        "line.");
    return true;
  }
  if (connections == 1) {
    outcome.verdict.notes.push_back("Nothing to change: the target is reached.");
    return true;
  }
  advise(flow, outcome, {.kind = FixKind::parallel, .connections = connections});
  return true;
}

}  // namespace rwin::rules::findings
