#include "analysis/limit.h"

#include <gtest/gtest.h>

#include <set>

namespace rwin::test {
namespace {

TEST(Limit, WordsAreThoseOfTheMethodAndReadBack) {
  std::set<std::string_view> words;
  for (const analysis::Limit l : analysis::kAllLimits) {
    words.insert(analysis::word(l));
    EXPECT_EQ(analysis::limit_from_word(analysis::word(l)), l);
  }
  const std::set<std::string_view> want = {
      "receiver-window", "receiver-app", "congestion", "bandwidth", "sender-app", "sender-buffer",
      "sender-paced",    "slow-start",   "handshake",  "closing",   "unknown"};
  EXPECT_EQ(words, want);
  EXPECT_FALSE(analysis::limit_from_word("window"));
  EXPECT_FALSE(analysis::limit_from_word(""));
}

}  // namespace
}  // namespace rwin::test
