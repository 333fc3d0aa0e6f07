// The path is full: nothing to change at either end.
#include "rules/findings/common.h"

namespace rwin::rules::findings {

bool full_line(const Flow& flow, Outcome& outcome) {
  const auto& d = flow.direction;
  // Linux answers a pushed segment of the largest size at once: costly where the ACKs share the
  // line (radio, half duplex).
  if (d.segments >= 100 && d.acks * 10 >= d.segments * 9 &&
      d.pushed_segments * 10 >= d.segments * 9) {
    outcome.verdict.notes.push_back(
        "Every segment is pushed, and there is one ACK for each segment: on a line that both ways "
        "share (radio, half duplex) that costs rate. Larger writes at the sender halve the ACKs.");
  }
  outcome.verdict.notes.push_back(
      "Nothing to change: the line is full. A larger window would only lengthen the queue.");
  return true;
}

}  // namespace rwin::rules::findings
