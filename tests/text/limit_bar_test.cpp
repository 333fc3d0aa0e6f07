#include "text/limit_bar.h"

#include <gtest/gtest.h>

#include <set>

#include "text/limit_text.h"

namespace rwin {
namespace {

using analysis::Limit;
using analysis::TimelinePiece;

TEST(LimitBar, ShowsEachCellsLargestClass) {
  const std::vector<TimelinePiece> line = {{0, 3'000'000, Limit::slow_start},
                                           {3'000'000, 6'600'000, Limit::receiver_window},
                                           {9'600'000, 400'000, Limit::congestion}};
  EXPECT_EQ(limit_bar(line, 0, 10'000'000, 10), "SSSWWWWWWW");
  EXPECT_EQ(limit_bar(line, 0, 10'000'000, 20), "SSSSSSWWWWWWWWWWWWWL");
  EXPECT_EQ(limit_bar(line, 0, 10'000'000, 1), "W");
}

TEST(LimitBar, AddsUpShortPiecesOfOneClass) {
  std::vector<TimelinePiece> line;
  for (int i = 0; i < 100; ++i) {
    line.push_back({i * 100, 40, Limit::congestion});
    line.push_back({i * 100 + 40, 60, Limit::receiver_window});
  }
  EXPECT_EQ(limit_bar(line, 0, 10'000, 5), "WWWWW");
}

TEST(LimitBar, LeavesNothingToShowBlank) {
  EXPECT_EQ(limit_bar({}, 0, 100, 4), "    ");
  EXPECT_EQ(limit_bar({{0, 50, Limit::unknown}}, 0, 100, 4), "??  ");
  EXPECT_EQ(limit_bar({{0, 0, Limit::unknown}}, 0, 0, 3), "   ");
  EXPECT_EQ(limit_bar({{0, 50, Limit::unknown}}, 0, 100, 0), "");
}

TEST(LimitBar, StaysInsideWithOddNumbers) {
  for (std::size_t cells = 1; cells < 60; ++cells) {
    const auto bar = limit_bar({{0, 333'333, Limit::bandwidth}, {333'333, 666'668, Limit::closing}},
                               0, 1'000'001, cells);
    ASSERT_EQ(bar.size(), cells);
    EXPECT_EQ(bar.find(' '), std::string::npos);
  }
}

TEST(LimitText, LettersTellClassesApart) {
  std::set<char> letters;
  for (const Limit limit : analysis::kAllLimits) letters.insert(limit_text(limit).letter);
  EXPECT_EQ(letters.size(), analysis::kAllLimits.size());
}

}  // namespace
}  // namespace rwin
