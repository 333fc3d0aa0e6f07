// Since when may the sender send up to a number? Compared with a slow reading of the whole list of
// ACKs.
#include <gtest/gtest.h>

#include <random>
#include <vector>

#include "analysis/direction/trace.h"
#include "tests/support/seed.h"

namespace rwin::test {
namespace {

using analysis::AckPoint;
using analysis::PermissionHistory;
namespace event = analysis::event;

AckPoint ack(std::int64_t t, std::int64_t number, std::int64_t window,
             std::uint16_t flags = event::kAck) {
  AckPoint a;
  a.t = t;
  a.ack = number;
  a.window = window;
  a.field = static_cast<std::uint32_t>(window);
  a.flags = flags;
  return a;
}

// The edge that holds after each ACK; "since" is the first moment from which on it never lay below.
class Slow {
 public:
  void on_ack(const AckPoint& a) {
    const bool first = edges_.empty();
    const bool newer =
        a.ack > acked_ || (a.ack == acked_ && (unscaled_ || (a.flags & event::kCarriesData) != 0));
    if (!first && (a.ack < acked_ || (!newer && a.edge() <= edges_.back().edge))) return;
    edges_.push_back({a.t, a.edge(), window_});
    acked_ = a.ack;
    window_ = a.window;
    unscaled_ = (a.flags & event::kUnscaled) != 0;
  }
  [[nodiscard]] PermissionHistory::Answer since(std::int64_t end) const {
    if (edges_.empty()) return {};
    if (edges_.back().edge < end) return {PermissionHistory::kNever, window_};
    std::size_t i = edges_.size();
    while (i > 0 && edges_[i - 1].edge >= end) --i;
    if (i == 0) return {};
    return {edges_[i].t, edges_[i].window_before};
  }

 private:
  struct Edge {
    std::int64_t t, edge, window_before;
  };
  std::vector<Edge> edges_;
  std::int64_t acked_ = 0, window_ = 0;
  bool unscaled_ = false;
};

TEST(PermissionHistory, EdgeByEdge) {
  PermissionHistory h;
  EXPECT_TRUE(h.empty());
  h.on_ack(ack(100, 1000, 500));
  h.on_ack(ack(200, 1200, 500));
  h.on_ack(ack(300, 1200, 900));
  EXPECT_EQ(h.since(1500).since, PermissionHistory::kBefore);
  EXPECT_EQ(h.since(1501).since, 200);
  EXPECT_EQ(h.since(1501).window_before, 500);
  EXPECT_EQ(h.since(1700).since, 200);
  EXPECT_EQ(h.since(2100).since, 300);
  EXPECT_EQ(h.since(2101).since, PermissionHistory::kNever);
  EXPECT_EQ(h.now().edge(), 2100);
  EXPECT_EQ(h.now().window(), 900);
}

TEST(PermissionHistory, AnOvertakenAckTakesNothingBack) {
  PermissionHistory h;
  h.on_ack(ack(1, 1000, 500));
  h.on_ack(ack(2, 2000, 500));
  h.on_ack(ack(3, 1500, 100));
  EXPECT_EQ(h.now().edge(), 2500);
}

TEST(PermissionHistory, AnAckForMoreMayTakeBack) {
  PermissionHistory h;
  h.on_ack(ack(1, 1000, 5000));
  h.on_ack(ack(2, 2000, 500));
  EXPECT_EQ(h.now().edge(), 2500);
  EXPECT_EQ(h.since(2501).since, PermissionHistory::kNever);
  h.on_ack(ack(3, 2500, 5000));
  EXPECT_EQ(h.since(2501).since, 3);
  EXPECT_EQ(h.since(7500).since, 3);
}

TEST(PermissionHistory, AgreesWithTheSlowReading) {
  const std::uint64_t seed = test_seed(123);
  SCOPED_TRACE(seed_text(seed));
  std::mt19937_64 random(seed);
  const auto upto = [&](std::uint64_t n) { return static_cast<std::int64_t>(random() % n); };
  for (int round = 0; round < 200; ++round) {
    PermissionHistory fast;
    Slow slow;
    std::int64_t t = 0;
    std::int64_t number = 1'000'000;
    std::int64_t window = 20'000;
    const bool shrinks = round % 2 == 0;
    for (int i = 0; i < 300; ++i) {
      t += 1 + upto(50);
      if (upto(3) != 0) number += upto(3000);
      window = std::max<std::int64_t>(0, window + upto(4001) - (shrinks ? 2500 : 1000));
      if (upto(40) == 0) window = 0;
      if (window == 0 && upto(3) == 0) window = 10'000 + upto(20'000);
      const std::int64_t said =
          upto(20) == 0 ? number - upto(5000) : number;  // an old one now and then
      std::uint16_t flags = event::kAck;
      if (i == 0 && round % 3 == 0) flags = event::kAck | event::kUnscaled;
      if (upto(10) == 0) flags = static_cast<std::uint16_t>(flags | event::kCarriesData);
      const AckPoint a = ack(t, said, window, flags);
      fast.on_ack(a);
      slow.on_ack(a);
      for (int q = 0; q < 6; ++q) {
        const std::int64_t end = number + upto(40'000) - 3000;
        const auto want = slow.since(end);
        const auto got = fast.since(end);
        ASSERT_EQ(got.since, want.since) << "round " << round << " ack " << i << " end " << end;
        if (want.since != PermissionHistory::kBefore)
          ASSERT_EQ(got.window_before, want.window_before);
      }
    }
  }
}

TEST(PermissionHistory, ForgetsOnlyWhatNobodyAsks) {
  PermissionHistory fast;
  Slow slow;
  std::int64_t number = 1000;
  for (std::int64_t i = 0; i < 20'000; ++i) {
    number += 100;
    const AckPoint a = ack(i, number, 100'000);
    fast.on_ack(a);
    slow.on_ack(a);
    if (i % 97 != 0) continue;
    for (std::int64_t end = number + 1; end < number + 100'500; end += 9'973) {
      ASSERT_EQ(fast.since(end).since, slow.since(end).since) << i << " " << end - number;
    }
  }
}

}  // namespace
}  // namespace rwin::test
