// A small segment waits at the sender for an ACK that the receiver delays: 40 ms on Linux, 200 ms
// elsewhere.
#include "rules/findings/common.h"

namespace rwin::rules::findings {

bool nagle_delayed_ack(const Flow& flow, Outcome& outcome) {
  const auto& d = flow.direction;
  if (!d.rtt_base_us || !d.rtt_p90_us || !d.flight_p50 || d.segments < 10) return false;
  const std::int64_t delay = *d.rtt_p90_us - *d.rtt_base_us;
  const bool linux_delay = delay >= 35'000 && delay <= 50'000;
  const bool other_delay = delay >= 180'000 && delay <= 220'000;
  if (*d.rtt_base_us > 20'000 || (!linux_delay && !other_delay)) return false;
  // Short segments, and hardly ever more than two in flight.
  if (d.short_segments * 4 < d.segments || *d.flight_p50 > 2ULL * flow.mss) return false;
  outcome.unproven("nagle");
  outcome.verdict.notes.push_back(
      linux_delay ? "ACKs come about 40 ms late: delayed ACKs, which a sender with "
                    "small writes waits for."
                  : "ACKs come about 200 ms late: delayed ACKs, which a sender with "
                    "small writes waits for.");
  advise(flow, outcome, {.kind = FixKind::nagle, .side = Side::sender});
  return true;
}

}  // namespace rwin::rules::findings
