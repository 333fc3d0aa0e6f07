#include <gtest/gtest.h>

#include "analysis/half_flow.h"
#include "tests/support/segment_builder.h"

namespace rwin::test {
namespace {

using analysis::EchoMatcher;

// Time stamps begin anywhere and wrap around.
class EchoTest : public testing::TestWithParam<std::uint32_t> {};
INSTANTIATE_TEST_SUITE_P(Start, EchoTest, testing::ValuesIn(kIsns));

TEST_P(EchoTest, DelayOfAnEcho) {
  EchoMatcher m;
  const std::uint32_t t = GetParam();
  m.sent(t, 1000);
  EXPECT_EQ(m.echoed(t, 31'000), 30'000U);
}

TEST_P(EchoTest, FirstPacketOfATickCounts) {
  EchoMatcher m;
  const std::uint32_t t = GetParam();
  m.sent(t, 1000);
  m.sent(t, 3000);  // the clock has not ticked
  EXPECT_EQ(m.echoed(t, 31'000), 30'000U);
}

TEST_P(EchoTest, AnsweredOnceOnly) {
  EchoMatcher m;
  const std::uint32_t t = GetParam();
  m.sent(t, 1000);
  EXPECT_EQ(m.echoed(t, 31'000), 30'000U);
  EXPECT_EQ(m.echoed(t, 90'000), 0U);  // the same echo again waited for something else
}

TEST_P(EchoTest, UnknownEchoesGiveNothing) {
  EchoMatcher m;
  const std::uint32_t t = GetParam();
  EXPECT_EQ(m.echoed(t, 10), 0U);
  m.sent(t, 1000);
  EXPECT_EQ(m.echoed(t - 1, 2000), 0U);
  EXPECT_EQ(m.echoed(t + 1, 2000), 0U);
}

TEST_P(EchoTest, EveryAnswerIsExactOverALongPath) {
  EchoMatcher m;
  const std::uint32_t t = GetParam();
  int samples = 0;
  for (int i = 0; i < 5000; ++i) {  // a stamp each millisecond, 250 of them on the way
    m.sent(t + static_cast<std::uint32_t>(i), i * 1000);
    if (i < 250) continue;
    const std::uint32_t d = m.echoed(t + static_cast<std::uint32_t>(i - 250), i * 1000);
    if (d == 0) continue;
    EXPECT_EQ(d, 250'000U);
    ++samples;
  }
  EXPECT_GE(samples, 20);  // one a round trip at least
}

TEST_P(EchoTest, ADirectionThatIsNeverEchoedDoesNotBlock) {
  EchoMatcher m;
  const std::uint32_t t = GetParam();
  for (std::uint32_t i = 0; i < 100; ++i) m.sent(t + i, i * 1'000'000);
  std::uint32_t found = 0;
  for (std::uint32_t i = 94; i < 100; ++i) found += m.echoed(t + i, 100'000'000) != 0 ? 1U : 0U;
  EXPECT_GE(found, 1U);
}

}  // namespace
}  // namespace rwin::test
