#include "analysis/direction/histogram.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <random>
#include <vector>

#include "tests/support/seed.h"

namespace rwin::test {
namespace {

using analysis::Histogram;

TEST(Histogram, EmptyKnowsNothing) {
  Histogram h;
  EXPECT_FALSE(h.quantile(0.5));
  h.add(5);
  h.clear();
  EXPECT_FALSE(h.quantile(0.5));
  EXPECT_EQ(h.total(), 0);
}

TEST(Histogram, OneValueComesBackExactly) {
  for (const std::int64_t v : {0LL, 1LL, 31LL, 32LL, 33LL, 17'520LL, 33'304LL, 65'535LL, 131'072LL,
                               330'538LL, 1'073'741'824LL, 9'000'000'000'000LL}) {
    Histogram h;
    for (int i = 0; i < 1000; ++i) h.add(v);
    for (const double q : {0.0, 0.01, 0.5, 0.99, 1.0}) EXPECT_EQ(h.quantile(q), v) << v;
  }
}

TEST(Histogram, WeightsCount) {
  Histogram h;
  h.add(10, 1);
  h.add(1000, 98);
  h.add(100'000, 1);
  EXPECT_EQ(h.quantile(0.5), 1000);
  EXPECT_EQ(h.quantile(0.0), 10);
  EXPECT_EQ(h.quantile(1.0), 100'000);
  EXPECT_EQ(h.total(), 100);
  h.add(5, 0);  // no weight, no value
  EXPECT_EQ(h.quantile(0.0), 10);
}

TEST(Histogram, NegativeValuesAreLeftOut) {
  Histogram h;
  h.add(-1);
  EXPECT_FALSE(h.quantile(0.5));
}

TEST(Histogram, QuantilesWithinThreePercentOfTheSorted) {
  const std::uint64_t seed = test_seed(11);
  SCOPED_TRACE(seed_text(seed));
  std::mt19937_64 random(seed);
  for (int round = 0; round < 40; ++round) {
    Histogram h;
    std::vector<std::int64_t> all;
    const double octaves = 1 + static_cast<double>(random() % 38);
    for (int i = 0; i < 3000; ++i) {
      const double x = static_cast<double>(random() % 1'000'000) / 1e6;
      all.push_back(static_cast<std::int64_t>(std::exp2(x * octaves)));
      h.add(all.back());
    }
    std::sort(all.begin(), all.end());
    for (const double q : {0.001, 0.1, 0.25, 0.5, 0.75, 0.9, 0.99, 1.0}) {
      const auto rank = static_cast<std::size_t>(std::max(0.0, std::ceil(q * 3000) - 1));
      const auto exact = static_cast<double>(all[rank]);
      ASSERT_NEAR(static_cast<double>(*h.quantile(q)), exact, std::max(0.5, 0.032 * exact)) << q;
    }
  }
}

TEST(Histogram, ValuesInFallingOrder) {
  Histogram h;
  for (std::int64_t v = 100'000; v > 0; v -= 7) h.add(v);
  EXPECT_NEAR(static_cast<double>(*h.quantile(0.5)), 50'000, 1600);
  EXPECT_LE(*h.quantile(0.0), 10);
}

}  // namespace
}  // namespace rwin::test
