// Full-size segments vanish and are sent again after timeouts while small packets pass.
#include "rules/findings/common.h"

namespace rwin::rules::findings {

bool mtu_black_hole(const Flow& flow, Outcome& outcome) {
  const auto& d = flow.direction;
  if (!d.data_seen || d.timeouts < 3 || d.longest_stall_us < 1'000'000) return false;
  // Next to nothing gets through: full segments were tried again and again, and the answers to
  // small ones came.
  const std::uint64_t twenty_segments = 20ULL * flow.mss;
  const bool stuck = d.bytes <= twenty_segments && d.retransmitted_segments * 3 >= d.segments;
  const bool full_size = d.largest_payload + 40 >= flow.mss;
  if (!stuck || !full_size || d.acks == 0) return false;
  outcome.unproven("path_mtu");
  outcome.verdict.notes.push_back(
      "Full-size segments are sent again and again after timeouts while small packets get "
      "through.");
  advise(flow, outcome, {.kind = FixKind::path_mtu, .side = Side::sender});
  return true;
}

}  // namespace rwin::rules::findings
