// The right edge of the window moved left by more than rounding explains (RFC 9293 3.8.6
// discourages it).
#include <algorithm>

#include "rules/findings/common.h"
#include "rules/text.h"

namespace rwin::rules::findings {

bool window_shrunk(const Flow& flow, Outcome& outcome) {
  const auto& d = flow.direction;
  if (d.shrunk_count == 0) return false;
  if (d.shrunk_bytes < std::max<std::uint64_t>(2ULL * flow.mss, flow.window_max() / 4))
    return false;
  outcome.verdict.notes.push_back("The receiver took its window back " +
                                  format_count(d.shrunk_count) + " times, by up to " +
                                  format_count(d.shrunk_bytes) + " B.");
  advise(flow, outcome, {.kind = FixKind::window_shrunk, .raises = true});
  return true;
}

}  // namespace rwin::rules::findings
