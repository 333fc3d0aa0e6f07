#include "app/progress.h"

#include <gtest/gtest.h>

namespace rwin::test {
namespace {

using app::progress_text;

TEST(Progress, TellsShareSpeedAndTimeLeft) {
  EXPECT_EQ(progress_text(0.25, 5'000'000, 4), "25 %  5 000 000 packets  1.25 M/s  12 s left");
  EXPECT_EQ(progress_text(0.1, 5'000'000, 40), "10 %  5 000 000 packets  0.12 M/s  6:00 min left");
}

TEST(Progress, TellsNoTimeLeftThatItDoesNotKnow) {
  EXPECT_EQ(progress_text(-1, 5'000'000, 4), "5 000 000 packets  1.25 M/s");
  EXPECT_EQ(progress_text(0.01, 5'000, 1), "1 %  5 000 packets  0.01 M/s");  // it has just begun
  EXPECT_EQ(progress_text(0.9999, 5'000'000, 4), "100 %  5 000 000 packets  1.25 M/s");
  EXPECT_EQ(progress_text(1.5, 5'000'000, 4), "100 %  5 000 000 packets  1.25 M/s");
  EXPECT_EQ(progress_text(0.5, 100, 0), "50 %  100 packets");
}

}  // namespace
}  // namespace rwin::test
