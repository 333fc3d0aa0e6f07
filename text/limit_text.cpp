#include "text/limit_text.h"

#include <array>

namespace rwin {
inline namespace text {

const LimitText& limit_text(analysis::Limit limit) {
  // Order of the enumeration.
  static constexpr std::array<LimitText, analysis::kLimitCount> kText = {{
      {'W', "window", "RECEIVER WINDOW limits", "WINDOW"},
      {'R', "receiving program", "RECEIVING PROGRAM limits", "READER"},
      {'L', "loss", "loss limits", "loss"},
      {'B', "line full", "a full line limits", "line"},
      {'A', "sender idle", "the sending program limits", "sender"},
      {'U', "send buffer", "the send buffer limits", "sndbuf"},
      {'P', "sender paced", "the sender's own pace limits", "paced"},
      {'S', "slow start", "slow start limits", "start"},
      {'H', "handshake", "the handshake fills", "opening"},
      {'C', "closing", "the end fills", "closing"},
      {'?', "unknown", "no verdict:", "?"},
  }};
  return kText[static_cast<std::size_t>(limit)];
}

}  // namespace text
}  // namespace rwin
