// Losses that only a timer repaired: silence instead of duplicate ACKs.
#include "rules/findings/common.h"
#include "rules/text.h"

namespace rwin::rules::findings {

using analysis::Limit;

bool timeout(const Flow& flow, Outcome& outcome) {
  const auto& d = flow.direction;
  if (d.timeouts == 0) return false;
  const bool long_stall =
      d.longest_stall_limit == Limit::congestion && d.longest_stall_us >= 1'000'000;
  if (!long_stall && d.timeouts * 3 < d.retransmitted_segments) return false;
  outcome.verdict.notes.push_back(format_count(d.timeouts) +
                                  " times only the sender's timer ended a silence after a loss.");
  advise(flow, outcome, {.kind = FixKind::loss, .side = Side::sender});
  return true;
}

}  // namespace rwin::rules::findings
