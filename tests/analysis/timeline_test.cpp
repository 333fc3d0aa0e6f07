#include "analysis/direction/timeline.h"

#include <gtest/gtest.h>

#include <random>

#include "tests/support/seed.h"

namespace rwin::test {
namespace {

using analysis::Limit;
using analysis::Timeline;

void expect_contiguous(const Timeline& line) {
  std::int64_t at = 0;
  for (const analysis::TimelinePiece& p : line.pieces()) {
    ASSERT_EQ(p.start_us, at);
    ASSERT_GT(p.duration_us, 0);
    at += p.duration_us;
  }
  EXPECT_EQ(at, line.end());
}

TEST(Timeline, ExtendsAndMerges) {
  Timeline line;
  line.extend(100, Limit::handshake);
  line.extend(100, Limit::bandwidth);  // no time at all
  line.extend(50, Limit::bandwidth);   // in the past
  line.extend(300, Limit::slow_start);
  line.extend(400, Limit::slow_start);
  ASSERT_EQ(line.pieces().size(), 2U);
  EXPECT_EQ(line.pieces()[1].duration_us, 300);
  EXPECT_EQ(line.at(0), Limit::handshake);
  EXPECT_EQ(line.at(99), Limit::handshake);
  EXPECT_EQ(line.at(100), Limit::slow_start);
  EXPECT_EQ(line.end(), 400);
  expect_contiguous(line);
}

TEST(Timeline, FewPiecesStayAsTheyAre) {
  Timeline line;
  for (int i = 1; i <= 10; ++i)
    line.extend(i * 10, i % 2 == 0 ? Limit::sender_app : Limit::bandwidth);
  line.thin(10);
  EXPECT_EQ(line.pieces().size(), 10U);
}

TEST(Timeline, ThinningKeepsOrderAndSums) {
  const std::uint64_t seed = test_seed(9);
  SCOPED_TRACE(seed_text(seed));
  std::mt19937_64 random(seed);
  for (int round = 0; round < 100; ++round) {
    Timeline line;
    std::int64_t t = 0;
    const int kinds = 2 + static_cast<int>(random() % 8);
    for (int i = 0; i < 3000; ++i) {
      t += 1 + static_cast<std::int64_t>(random() % (random() % 30 == 0 ? 50'000 : 500));
      line.extend(t, analysis::kAllLimits[random() % static_cast<std::uint64_t>(kinds)]);
    }
    const auto before = line.sums();
    line.thin(400);
    EXPECT_LE(line.pieces().size(), 400U);
    EXPECT_EQ(line.end(), t);
    expect_contiguous(line);
    const auto after = line.sums();
    const std::int64_t bin = t / 400 + 1;
    for (std::size_t k = 0; k < after.size(); ++k) {
      // "within one bin": what one class gets too much, another is owed, and it is made good in the
      // next bins.
      EXPECT_NEAR(static_cast<double>(after[k]), static_cast<double>(before[k]),
                  static_cast<double>(bin) * kinds)
          << "class " << k;
    }
  }
}

TEST(Timeline, ThinningAgainAndAgainLosesNothing) {
  std::mt19937_64 random(test_seed(10));
  Timeline line;
  std::array<std::int64_t, analysis::kLimitCount> true_sums{};
  std::int64_t t = 0;
  for (int stretch = 0; stretch < 50; ++stretch) {
    for (int i = 0; i < 2000; ++i) {
      const std::int64_t length = 1 + static_cast<std::int64_t>(random() % 1000);
      const Limit limit = random() % 5 == 0 ? Limit::receiver_window : Limit::sender_app;
      true_sums[static_cast<std::size_t>(limit)] += length;
      t += length;
      line.extend(t, limit);
    }
    line.thin(800);
    expect_contiguous(line);
  }
  const auto sums = line.sums();
  for (std::size_t k = 0; k < sums.size(); ++k) {
    EXPECT_NEAR(static_cast<double>(sums[k]), static_cast<double>(true_sums[k]),
                0.02 * static_cast<double>(t));
  }
}

}  // namespace
}  // namespace rwin::test
