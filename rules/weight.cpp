#include "rules/weight.h"

#include <algorithm>

namespace rwin::rules {

using analysis::DirectionResult;
using analysis::Limit;

Weight weight_of(const DirectionResult& d, const Assessment& assessment) {
  constexpr std::uint64_t kTinyBytes = 10'000;
  constexpr std::uint64_t kBriefBytes = 100'000;
  constexpr std::int64_t kStallUs = 1'000'000;  // a wait that people notice
  const Limit limit = assessment.verdict.limit;
  if (limit == Limit::receiver_window || limit == Limit::receiver_app ||
      !assessment.advice.empty()) {
    return Weight::full;
  }
  if (d.bytes < kTinyBytes && d.longest_stall_us < kStallUs) return Weight::tiny;
  const bool waits = limit == Limit::sender_app || limit == Limit::unknown ||
                     limit == Limit::handshake || limit == Limit::closing;
  return d.bytes >= kBriefBytes && !waits ? Weight::full : Weight::brief;
}

double lost_bits(const DirectionResult& d, const Assessment& assessment) {
  const Verdict& v = assessment.verdict;
  if (!d.goodput_bps) return 0;
  const double rate = *d.goodput_bps;
  double could_be = v.potential_bps.value_or(rate);
  // Without a known capacity the advice tries four times the window.
  if (!v.potential_bps && v.limit == Limit::receiver_window) could_be = 4 * rate;
  const double seconds = static_cast<double>(d.limit_us[static_cast<std::size_t>(v.limit)]) / 1e6;
  return std::max(0.0, could_be - rate) * seconds;
}

}  // namespace rwin::rules
