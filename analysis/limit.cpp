#include "analysis/limit.h"

namespace rwin::analysis {
namespace {

constexpr std::array<std::string_view, kLimitCount> kWords = {
    "receiver-window", "receiver-app", "congestion", "bandwidth", "sender-app", "sender-buffer",
    "sender-paced",    "slow-start",   "handshake",  "closing",   "unknown"};

}  // namespace

std::string_view word(Limit limit) { return kWords.at(static_cast<std::size_t>(limit)); }

std::optional<Limit> limit_from_word(std::string_view w) {
  for (std::size_t i = 0; i < kWords.size(); ++i) {
    if (kWords.at(i) == w) return kAllLimits.at(i);
  }
  return std::nullopt;
}

}  // namespace rwin::analysis
