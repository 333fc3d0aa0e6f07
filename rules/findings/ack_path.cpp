// The way back is the slow one: ACKs queue, the RTT grows, nothing is lost, and the data path has
// room.
#include "rules/findings/common.h"
#include "rules/text.h"

namespace rwin::rules::findings {

using analysis::CapacityFrom;

bool ack_path(const Flow& flow, Outcome& outcome) {
  const auto& d = flow.direction;
  if (!d.rtt_base_us || !d.rtt_p50_us || !d.capacity_bps || !d.goodput_bps) return false;
  if (d.capacity_from != CapacityFrom::dispersion) return false;
  const bool queue = *d.rtt_p50_us > 2 * *d.rtt_base_us + 5000;
  const bool room = *d.capacity_bps > 2 * *d.goodput_bps;
  const bool no_loss = d.retransmitted_segments * 1000 <= d.segments;
  if (!queue || !room || !no_loss) return false;
  outcome.unproven("ack_path");
  outcome.verdict.notes.push_back(
      "The round trip grows to " + format_time(*d.rtt_p50_us) +
      " (least: " + format_time(*d.rtt_base_us) +
      ") without loss, though data arrives in bursts of " + format_rate(*d.capacity_bps) +
      ": the queue is on the way of the ACKs. Look for uploads or a slow uplink there.");
  return true;
}

}  // namespace rwin::rules::findings
