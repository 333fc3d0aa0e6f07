// The rates of running connections: of the last look, and of the last seconds.
#include "app/live/flow_book.h"

#include <gtest/gtest.h>

#include "tests/support/segment_builder.h"

namespace rwin::app {
namespace {

using rwin::test::kEpochNs;
using rwin::test::kMs;
using rwin::test::Talk;

// A download that sends 100,000 bytes every 100 ms from 20 ms on, looked at every 500 ms.
class FlowBookRates : public testing::Test {
 protected:
  void run_until(std::int64_t end_ms) {
    for (; now_ms_ < end_ms; now_ms_ += 100) {
      if (now_ms_ % 500 == 0) book_.update(engine_, kEpochNs + now_ms_ * 1'000'000, nullptr);
      if (now_ms_ < first_ms_ || now_ms_ >= last_ms_) continue;
      engine_.add(talk_.server((now_ms_ + 20) * kMs).seq(next_).len(50'000).ack(1).win(512));
      engine_.add(talk_.server((now_ms_ + 21) * kMs).seq(next_ + 50'000).len(50'000).ack(1));
      next_ += 100'000;
      engine_.add(talk_.client((now_ms_ + 22) * kMs).seq(1).ack(next_).win(512));
    }
    book_.update(engine_, kEpochNs + now_ms_ * 1'000'000, nullptr);
  }
  [[nodiscard]] const LiveFlow& flow() const { return book_.flows().at(0); }

  Talk talk_{1};
  analysis::Engine engine_;
  FlowBook book_{{}, {}};
  std::int64_t now_ms_ = 0, next_ = 1, first_ms_ = 0, last_ms_ = 1'000'000;
};

TEST_F(FlowBookRates, AreThoseOfNow) {
  run_until(6'000);
  EXPECT_NEAR(flow().rate_bps[1], 8e6, 1);
  EXPECT_NEAR(flow().recent_bps[1], 8e6, 1);
  EXPECT_EQ(flow().recent_bps[0], 0);
}

// It began between two looks: its rate is over the time since, not over seconds without it.
TEST_F(FlowBookRates, OfAYoungFlowAreOverItsOwnTime) {
  first_ms_ = 5'000;
  run_until(6'000);
  EXPECT_NEAR(flow().recent_bps[1], 8e6, 1);
}

// What came before the first look has no known duration.
TEST_F(FlowBookRates, OfTheFirstLookAreZero) {
  now_ms_ = 100;
  run_until(300);
  EXPECT_EQ(flow().rate_bps[1], 0);
  EXPECT_EQ(flow().recent_bps[1], 0);
}

TEST_F(FlowBookRates, FallOverTwoToThreeSecondsWhenItStops) {
  last_ms_ = 5'000;
  run_until(6'000);
  EXPECT_EQ(flow().rate_bps[1], 0);
  EXPECT_GT(flow().recent_bps[1], 8e6 / 3);
  EXPECT_LT(flow().recent_bps[1], 8e6 * 2 / 3);
  run_until(8'500);
  EXPECT_EQ(flow().recent_bps[1], 0);
}

}  // namespace
}  // namespace rwin::app
