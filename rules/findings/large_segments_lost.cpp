// Only segments above the MSS are lost: a machine on the way merges what it forwards (receive
// offload) and then cannot send it on.
#include "rules/findings/common.h"
#include "rules/text.h"

namespace rwin::rules::findings {

bool large_segments_lost(const Flow& flow, Outcome& outcome) {
  const auto& d = flow.direction;
  constexpr std::uint64_t kFewest = 5;
  if (d.large_segments < kFewest || d.plain_segments < kFewest) return false;
  if (d.large_again * 10 < d.large_segments * 8 || d.plain_again * 10 > d.plain_segments)
    return false;
  outcome.unproven("offload");
  outcome.verdict.notes.push_back(
      format_count(d.large_again) + " of " + format_count(d.large_segments) +
      " segments above the MSS of " + format_count(flow.mss) +
      " B were sent again, of the others " + format_count(d.plain_again) + " of " +
      format_count(d.plain_segments) +
      ": a machine on the way merges what it forwards and then cannot send it on.");
  Advice advice;
  advice.id = "offload.forwarding";
  advice.host = format_address(flow.sender.address);
  advice.role = Role::middlebox;
  advice.platform = "linux";
  advice.title = "Turn receive offload off where packets are forwarded";
  advice.look = {"# on the router or virtual switch in between, for each of its interfaces",
                 "ethtool -k IFACE | grep -E 'large-receive|generic-receive'"};
  advice.change = {"ethtool -K IFACE lro off gro off"};
  advice.persist = {"# in the interface's configuration, as a command that runs when it comes up"};
  advice.undo = {"ethtool -K IFACE lro on gro on"};
  advice.takes_effect = "at once";
  advice.because = "Only segments above the MSS are lost; cut to size they arrive.";
  advice.warnings = {"A capture tool may turn offload off while it runs, and hide the fault."};
  outcome.advice.push_back(std::move(advice));
  return true;
}

}  // namespace rwin::rules::findings
