// The simulator itself: what a transfer must do whatever the analysis says of it.
#include <gtest/gtest.h>

#include <algorithm>

#include "tests/simulator/kinds.h"
#include "tests/simulator/simulation.h"

namespace rwin::sim {
namespace {

using analysis::Limit;
using analysis::Segment;

Spec plain() {
  Spec s;
  s.kind = "plain";
  s.seed = 7;
  s.delay = 25 * kMs;
  s.data.rate = s.acks.rate = 100e6 / 8;
  return s;
}

bool from_sender(const Segment& s) { return s.source.address.bytes[3] == 10; }

std::uint64_t data_segments(const std::vector<Segment>& all) {
  return static_cast<std::uint64_t>(std::count_if(
      all.begin(), all.end(), [](const Segment& s) { return from_sender(s) && s.payload > 0; }));
}

double seconds(const Outcome& o) {
  Time sum = 0;
  for (const Time t : o.truth.sums) sum += t;
  return static_cast<double>(sum) / 1e9;
}

TEST(Simulator, TheSameSeedGivesTheSameCapture) {
  for (const Kind& kind : kinds()) {
    const Outcome a = simulate(make(kind, 3));
    const Outcome b = simulate(make(kind, 3));
    ASSERT_TRUE(a.finished) << kind.name;
    for (std::size_t p = 0; p < kPlaces; ++p) {
      ASSERT_EQ(a.captures[p].size(), b.captures[p].size()) << kind.name;
      for (std::size_t i = 0; i < a.captures[p].size(); ++i) {
        EXPECT_EQ(a.captures[p][i].time_ns, b.captures[p][i].time_ns);
        EXPECT_EQ(a.captures[p][i].seq, b.captures[p][i].seq);
      }
    }
  }
}

TEST(Simulator, AWindowGivesOneWindowForARoundTrip) {
  Spec s = plain();
  s.receiver.buffer = 20 * s.segment();
  s.application.total = 100 * s.receiver.buffer;
  const Outcome o = simulate(s);
  EXPECT_EQ(o.truth.main(), Limit::receiver_window);
  EXPECT_GT(o.truth.blocked_share(), 0.9);
  EXPECT_NEAR(seconds(o), 100 * 0.05, 0.25);
  EXPECT_EQ(o.truth.data_again, 0U);
}

TEST(Simulator, AFullPathCarriesItsRate) {
  Spec s = plain();
  s.data.rate = s.acks.rate = 10e6 / 8;
  s.data.queue = 200'000;
  s.application.total = 6'000'000;
  const Outcome o = simulate(s);
  EXPECT_EQ(o.truth.main(), Limit::bandwidth);
  const double wire =
      6e6 * static_cast<double>(s.segment() + 66) / static_cast<double>(s.segment());
  EXPECT_NEAR(seconds(o), wire / s.data.rate, 0.4);
}

TEST(Simulator, WhatIsLostIsSentAgainAndAllArrives) {
  for (const bool sack : {true, false}) {
    for (std::uint64_t seed = 1; seed <= 20; ++seed) {
      Spec s = plain();
      s.seed = seed;
      s.sack = sack;
      s.data.loss = 0.03;
      s.acks.loss = 0.03;
      s.data.duplicate = 0.01;
      s.data.reorder = 0.01;
      s.data.reorder_by = 2 * kMs;
      s.application.total = 500'000;
      const Outcome o = simulate(s);
      ASSERT_TRUE(o.finished) << "sack " << sack << " seed " << seed;
      EXPECT_GT(o.truth.data_again, 0U);
      EXPECT_EQ(data_segments(o.at(Place::sender)), o.truth.data_sent);
      EXPECT_LT(data_segments(o.at(Place::receiver)), o.truth.data_sent);
    }
  }
}

TEST(Simulator, ASlowReaderShutsTheWindow) {
  Spec s = plain();
  s.receiver.buffer = 60'000;
  s.receiver.pause_every = 2 * kSecond;
  s.receiver.pause_for = 1'500 * kMs;
  s.application.total = 3'000'000;
  const Outcome o = simulate(s);
  ASSERT_TRUE(o.finished);
  EXPECT_EQ(o.truth.main(), Limit::receiver_app);
  const auto& all = o.at(Place::receiver);
  EXPECT_TRUE(std::any_of(all.begin(), all.end(),
                          [](const Segment& x) { return !from_sender(x) && x.window == 0; }));
  // No data beyond what was advertised: the receiver of this simulator would drop it.
  EXPECT_EQ(o.truth.data_again, 0U);
}

TEST(Simulator, ABoxThatStripsTheOptionIsSeenOnOneSideOnly) {
  Spec s = plain();
  s.box.strip_receiver_scale = true;
  s.application.total = 400'000;
  const Outcome o = simulate(s);
  EXPECT_TRUE(o.at(Place::receiver)[0].window_scale.known());
  EXPECT_FALSE(o.at(Place::middle)[0].window_scale.known());
  EXPECT_FALSE(o.at(Place::receiver)[1].window_scale.known());
}

}  // namespace
}  // namespace rwin::sim
