#include "rules/capture_quality.h"

#include <algorithm>
#include <string_view>

namespace rwin::rules {
namespace {

// Shares from which a verdict is medium, and low, at most. Tried on every capture of pcaps/ with
// records taken out, doubled and shifted (tests/pcaps/distorted_test.cpp).
struct Tolerance {
  double medium, low;
};
constexpr Tolerance kGaps{0.02, 0.2};
constexpr Tolerance kDuplicates{0.05, 2};  // recognised ones do no harm, but some may not be
constexpr Tolerance kOrder{0.01, 0.2};

void weigh(double share, const Tolerance& tolerance, std::string_view word, Outcome& outcome) {
  if (share <= tolerance.medium) return;
  const Confidence most = share > tolerance.low ? Confidence::low : Confidence::medium;
  outcome.verdict.confidence = std::min(outcome.verdict.confidence, most);
  outcome.unproven(word);
}

double share(std::uint64_t part, std::uint64_t whole) {
  return static_cast<double>(part) / static_cast<double>(std::max<std::uint64_t>(whole, 1));
}

}  // namespace

void weigh_capture(const Flow& flow, Outcome& outcome) {
  const analysis::CaptureQuality& q = flow.connection.quality;
  const std::uint64_t packets = flow.connection.packets;
  weigh(share(flow.direction.capture_gap_bytes, flow.direction.bytes), kGaps, "capture_gaps",
        outcome);
  weigh(share(q.duplicates, packets), kDuplicates, "capture_duplicates", outcome);
  weigh(share(q.out_of_order + q.effect_first, packets), kOrder, "capture_order", outcome);
  if (q.clock_steps + q.wild_stamps > 0) weigh(1, {0, 2}, "capture_clock", outcome);
}

}  // namespace rwin::rules
