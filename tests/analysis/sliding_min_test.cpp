#include <gtest/gtest.h>

#include <random>

#include "analysis/direction/delays.h"
#include "tests/support/seed.h"

namespace rwin::test {
namespace {

using analysis::SlidingMin;

TEST(SlidingMin, NothingNearIsNone) {
  SlidingMin m;
  m.clear(10);
  EXPECT_EQ(m.at(5), SlidingMin::kNone);
  m.add(100, 7);
  EXPECT_EQ(m.at(89), SlidingMin::kNone);
  EXPECT_EQ(m.at(90), 7);
  EXPECT_EQ(m.at(110), 7);
  EXPECT_EQ(m.at(111), SlidingMin::kNone);
}

TEST(SlidingMin, AgreesWithLookingAtAll) {
  const std::uint64_t seed = test_seed(77);
  SCOPED_TRACE(seed_text(seed));
  std::mt19937_64 random(seed);
  for (int round = 0; round < 60; ++round) {
    SlidingMin m;
    const auto reach = static_cast<std::int64_t>(random() % 300);
    m.clear(reach);
    std::vector<std::pair<std::int64_t, std::int64_t>> samples;
    std::int64_t t = 0;
    for (int i = 0; i < 300; ++i) {
      t += static_cast<std::int64_t>(random() % 40);
      samples.emplace_back(t, static_cast<std::int64_t>(random() % 1000));
      m.add(samples.back().first, samples.back().second);
    }
    std::int64_t query = -50;
    while (query < t + 400) {
      std::int64_t want = SlidingMin::kNone;
      for (const auto& [when, value] : samples) {
        if (when >= query - reach && when <= query + reach) want = std::min(want, value);
      }
      ASSERT_EQ(m.at(query), want) << "at " << query << ", reach " << reach;
      query += static_cast<std::int64_t>(random() % 30);
    }
  }
}

}  // namespace
}  // namespace rwin::test
