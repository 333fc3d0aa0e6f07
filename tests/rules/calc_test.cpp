#include "rules/calc.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

namespace rwin::rules {
namespace {

constexpr double kMi = 1024.0 * 1024.0;

TEST(Calc, WorkedFigures) {
  EXPECT_EQ(needed_window(25e6, 330'000), 1'031'250U);
  EXPECT_EQ(needed_window(25 * kMi, 28'000), 91'750U);
  EXPECT_EQ(needed_window(25 * kMi, 330'000), 1'081'344U);
  EXPECT_EQ(needed_window(50 * kMi, 330'000), 2'162'688U);
  EXPECT_EQ(25 * kMi / 8, 3'276'800.0);
  EXPECT_EQ(rule_of_thumb_window(1492), 17'424U);
  EXPECT_NEAR(window_rate(32'768, 330'000) / 1e6, 0.79, 0.005);
  EXPECT_NEAR(window_rate(32'768, 330'000) / 8e3, 99, 0.5);
  EXPECT_NEAR(window_rate(358'400, 184'000) / 8e6, 1.9, 0.06);
  EXPECT_GT(window_rate(1'075'200, 184'000), 25 * kMi);
}

TEST(Calc, NonsenseGivesZero) {
  EXPECT_EQ(needed_window(-1, 1000), 0U);
  EXPECT_EQ(needed_window(std::numeric_limits<double>::infinity(), 1000), 0U);
  EXPECT_EQ(needed_window(std::nan(""), 1000), 0U);
  EXPECT_EQ(needed_window(1e6, 0), 0U);
  EXPECT_EQ(window_rate(1000, 0), 0);
  EXPECT_EQ(rule_of_thumb_window(40), 0U);
}

TEST(Calc, ShiftIsTheSmallestThatCarries) {
  EXPECT_EQ(shift_for(65'535), 0);
  EXPECT_EQ(shift_for(65'536), 1);
  EXPECT_EQ(shift_for(358'400), 3);
  EXPECT_EQ(shift_for(1'075'200), 5);
  EXPECT_EQ(shift_for(2'150'400), 6);
  EXPECT_EQ(shift_for(~0ULL), 14);
}

TEST(Calc, RoundingGoesUpToSegmentsThenToTheScale) {
  // 707 segments of 1460, then to a multiple of 16.
  EXPECT_EQ(round_window(1'031'250, 1460), 1'032'224U);
  EXPECT_EQ(round_window(32'768, 1460), 23U * 1460);
  EXPECT_EQ(round_window(0, 1460), 0U);
  EXPECT_EQ(round_window(65'536, 0), 65'536U);
  EXPECT_EQ(round_window(~0ULL, 1460), kLargestWindow);
  for (const std::uint64_t window : {1ULL, 70'001ULL, 123'456ULL, 9'999'999ULL, 700'000'001ULL}) {
    for (const std::uint32_t mss : {536U, 1448U, 1460U, 8960U}) {
      const std::uint64_t rounded = round_window(window, mss);
      EXPECT_GE(rounded, window);
      EXPECT_LT(rounded, window + mss + (1ULL << shift_for(rounded)));
      EXPECT_EQ(rounded % (1ULL << shift_for(rounded)), 0U) << window << " " << mss;
    }
  }
}

TEST(Calc, PayloadFactors) {
  EXPECT_EQ(payload_factor(Link::payload), 1.0);
  EXPECT_NEAR(payload_factor(Link::ethernet), 0.9415, 0.0001);
  EXPECT_NEAR(payload_factor(Link::pppoe), 0.9363, 0.0001);
  EXPECT_NEAR(payload_factor(Link::ptm), 0.9291, 0.0002);
  EXPECT_NEAR(payload_factor(Link::atm), 0.849, 0.0005);
}

}  // namespace
}  // namespace rwin::rules
