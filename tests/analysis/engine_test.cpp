// The engine as a whole: order, limits, expiry, memory, and results that do not depend on how it
// cuts its work.
#include "analysis/engine.h"

#include <gtest/gtest.h>

#include "tests/analysis/engine_helpers.h"

namespace rwin::test {
namespace {

using analysis::Engine;
using analysis::EngineOptions;
using analysis::Limit;
using analysis::Presence;
using analysis::Segment;

TEST(Engine, NothingInNothingOut) {
  Engine engine;
  EXPECT_TRUE(finish(engine).empty());
  EXPECT_EQ(engine.counters().segments, 0U);
}

TEST(Engine, IdsCountInOrderOfTheFirstPacket) {
  std::vector<Segment> s;
  s.reserve(100);
  for (int i = 0; i < 50; ++i)
    s.push_back(syn(0x0a000000U + static_cast<std::uint32_t>((i * 7) % 50), 5000, i));
  for (int i = 49; i >= 0; --i) {  // they end in the opposite order
    Talk talk;
    talk.client_end = s[static_cast<std::size_t>(i)].source;
    s.push_back(talk.client(100 + i).seq(1).rst());
  }
  const auto r = analyse(s);
  ASSERT_EQ(r.size(), 50U);
  for (std::size_t i = 0; i < r.size(); ++i) {
    EXPECT_EQ(r[i].id, i + 1);
    EXPECT_EQ(r[i].client, s[i].source);
    EXPECT_EQ(r[i].packets, 2U);
  }
}

TEST(Engine, IsEmptyAndUsableAfterFinish) {
  Engine engine;
  engine.add(syn(1, 1, 0));
  EXPECT_EQ(engine.connection_count(), 1U);
  EXPECT_EQ(finish(engine).size(), 1U);
  EXPECT_EQ(engine.connection_count(), 0U);
  EXPECT_TRUE(finish(engine).empty());
}

TEST(Engine, SilenceExpires) {
  EngineOptions options;
  options.idle_expiry_ns = 10'000'000'000;
  Talk talk;
  const auto r = analyse({talk.server(0).seq(1).len(100).ack(1), talk.client(9).seq(1).ack(101),
                          talk.server(9 * kSecond).seq(101).len(100).ack(1),
                          talk.server(20 * kSecond).seq(201).len(100).ack(1)},
                         options);
  ASSERT_EQ(r.size(), 2U);
  EXPECT_EQ(r[0].end, analysis::End::expired);
  EXPECT_EQ(r[0].packets, 3U);
  EXPECT_EQ(r[1].packets, 1U);
  EXPECT_EQ(r[1].end, analysis::End::open);
}

TEST(Engine, CountsStepsBackInTime) {
  Engine engine;
  Talk talk;
  engine.add(talk.server(1000).seq(1).len(100).ack(1));
  engine.add(talk.server(500).seq(101).len(100).ack(1));
  engine.add(talk.server(2000).seq(201).len(100).ack(1));
  const auto r = finish(engine);
  EXPECT_EQ(engine.counters().quality.clock_steps + engine.counters().quality.out_of_order, 1U);
  EXPECT_EQ(r.at(0).end_ns - r.at(0).start_ns, 1'000'000);
}

// As at the start of a small computer without a clock of its own: stamps leap ahead by far more
// than a connection may be silent, the time stamps inside the packets do not. It stays one
// connection.
TEST(Engine, AClockSetAheadByHoursIsNoSilence) {
  const auto plain = window_limited(Talk{}, 40);
  auto set = plain;
  for (std::size_t i = plain.size() / 2; i < set.size(); ++i) set[i].time_ns += 7'200'000'000'000;
  const auto r = analyse(set);
  ASSERT_EQ(r.size(), 1U);
  EXPECT_EQ(r[0].packets, plain.size());
  EXPECT_EQ(r[0].quality.clock_steps, 1U);
  EXPECT_NEAR(static_cast<double>(r[0].end_ns - r[0].start_ns), 4.1e9, 0.2e9);
}

// Simple packet blocks have no time: a whole transfer at one moment, without time stamps.
TEST(Engine, ATransferOfOneMoment) {
  Talk talk;
  std::vector<Segment> s = {talk.client(0).syn().mss(1460).wscale(7),
                            talk.server(0).syn().ack(1).mss(1460).wscale(7)};
  for (int i = 0; i < 30; ++i) {
    s.push_back(talk.server(0).seq(1 + i * 1460).len(1460).ack(1));
    s.push_back(talk.client(0).seq(1).ack(1 + (i + 1) * 1460).win(500));
  }
  const auto r = analyse(s);
  const auto* d = from_server(r.at(0));
  ASSERT_NE(d, nullptr);
  EXPECT_EQ(d->bytes, 30U * 1460U);
  EXPECT_EQ(d->limit, Limit::unknown);
}

TEST(Engine, ThousandsOfConnectionsInterleaved) {
  Engine engine;
  constexpr int kFlows = 2000;
  const auto talk_of = [](int f) {
    Talk talk(static_cast<std::uint32_t>(f) * 2'654'435'761U);
    talk.client_end = endpoint4(0x0a000000U + static_cast<std::uint32_t>(f), 40'000);
    return talk;
  };
  for (int round = 0; round < 12; ++round) {
    for (int f = 0; f < kFlows; ++f) {
      const Talk talk = talk_of(f);
      const std::int64_t t = round * 100 * kMs + f;
      engine.add(talk.server(t).seq(1 + round * 1000).len(1000).ack(1));
      engine.add(talk.client(t + 50 * kMs).seq(1).ack(1001 + round * 1000).win(100));
    }
  }
  const auto r = finish(engine);
  ASSERT_EQ(r.size(), static_cast<std::size_t>(kFlows));
  for (const auto& c : r) {
    ASSERT_EQ(c.directions.size(), 1U);
    EXPECT_EQ(c.directions[0].bytes, 12'000U);
    EXPECT_EQ(c.directions[0].retransmitted_segments, 0U);
    EXPECT_EQ(c.packets, 24U);
  }
}

class WindowTest : public testing::TestWithParam<std::uint32_t> {};
INSTANTIATE_TEST_SUITE_P(Isn, WindowTest, testing::ValuesIn(kIsns));

TEST_P(WindowTest, HeldByAnUnscaledWindow) {
  const Talk talk(GetParam() + 3, GetParam());
  const auto r = analyse(window_limited(talk, 40));
  const auto* d = from_server(r.at(0));
  ASSERT_NE(d, nullptr);
  EXPECT_EQ(d->limit, Limit::receiver_window);
  EXPECT_EQ(d->window_max, 29'200U);
  EXPECT_EQ(d->window_min, 29'200U);
  EXPECT_EQ(d->flight_max, 28'960U);
  EXPECT_NEAR(static_cast<double>(d->rtt_base_us.value_or(0)), 100'000, 1000);
  ASSERT_TRUE(d->blocked_us && d->busy_us);
  EXPECT_GT(static_cast<double>(*d->blocked_us) / static_cast<double>(*d->busy_us), 0.9);
  EXPECT_EQ(d->mss, 1448U);
  EXPECT_EQ(d->scale.state, Presence::known);
}

TEST_P(WindowTest, HeldByAScaledWindow) {
  const Talk talk(GetParam() + 3, GetParam());
  const auto r = analyse(window_limited(talk, 40, 7, 131'072));
  const auto* d = from_server(r.at(0));
  ASSERT_NE(d, nullptr);
  EXPECT_EQ(d->limit, Limit::receiver_window);
  EXPECT_EQ(d->window_max, 131'072U);
  EXPECT_EQ(d->flight_max, 130'320U);
}

TEST_P(WindowTest, ScaleFromTheDataWithoutAHandshake) {
  for (const std::uint8_t shift :
       {std::uint8_t{0}, std::uint8_t{2}, std::uint8_t{7}, std::uint8_t{10}}) {
    SCOPED_TRACE(int{shift});
    const Talk talk(GetParam() + 3, GetParam());
    const std::uint32_t window = shift == 0 ? 29'200 : 64'000U << (shift > 7 ? 1 : 0);
    const auto r = analyse(window_limited(talk, 60, shift, window, false));
    const auto* d = from_server(r.at(0));
    ASSERT_NE(d, nullptr);
    EXPECT_EQ(d->scale.state, Presence::known);
    EXPECT_TRUE(d->scale.inferred);
    EXPECT_EQ(d->scale.shift, shift);
    EXPECT_EQ(d->window_max, window >> shift << shift);
    EXPECT_EQ(d->limit, Limit::receiver_window);
  }
}

TEST_P(WindowTest, TheUsersWordForTheScaleCounts) {
  const Talk talk(GetParam() + 3, GetParam());
  EngineOptions options;
  options.assume_wscale = {{talk.client_end.address, 9}};
  const auto r = analyse(
      {talk.server(0).seq(1).len(100).ack(1), talk.client(9).seq(1).ack(101).win(100)}, options);
  const auto* d = from_server(r.at(0));
  ASSERT_NE(d, nullptr);
  EXPECT_EQ(d->scale.state, Presence::known);
  EXPECT_EQ(d->scale.shift, 9);
  EXPECT_TRUE(d->scale.inferred);
  EXPECT_EQ(d->window_max, 100U << 9);
}

TEST_P(WindowTest, AHandshakeBeatsTheUsersWord) {
  const Talk talk(GetParam() + 3, GetParam());
  EngineOptions options;
  options.assume_wscale = {{talk.client_end.address, 9}};
  const auto r = analyse(window_limited(talk, 5, 7, 64'000), options);
  EXPECT_EQ(from_server(r.at(0))->scale.shift, 7);
}

TEST_P(WindowTest, WindowsOfSynsAreNeverScaledNorCounted) {
  const Talk talk(GetParam() + 3, GetParam());
  const auto r =
      analyse({talk.client(0).syn().wscale(7).win(64'240), talk.server(9).syn().ack(1).wscale(7),
               talk.client(19).seq(1).ack(1).win(100), talk.server(29).seq(1).len(100).ack(1),
               talk.client(39).seq(1).ack(101).win(200),
               talk.client(49).seq(1).ack(101).win(60'000).rst()});
  const auto* d = from_server(r.at(0));
  ASSERT_NE(d, nullptr);
  EXPECT_EQ(d->window_max, 200U << 7);
  EXPECT_EQ(d->window_first, 100U << 7);
}

// The window of a SYN-ACK is bytes whatever the shift: a first flight of that size fills it, for
// one round trip.
TEST_P(WindowTest, TheSynAckWindowHoldsTheFirstFlight) {
  const Talk talk(GetParam() + 3, GetParam());
  std::vector<Segment> s = {talk.client(0).syn().mss(1460).wscale(7).win(29'200),
                            talk.server(100 * kMs).syn().ack(1).mss(1460).wscale(9).win(14'600),
                            talk.client(100 * kMs).seq(1).ack(1).win(228)};
  std::int64_t seq = 1;
  for (int i = 0; i < 10; ++i, seq += 1460)
    s.push_back(talk.client(101 * kMs + i * 12).seq(seq).len(1460).ack(1).win(228));
  for (int i = 0; i < 5; ++i) {
    const std::int64_t t = 201 * kMs + i * 24;
    s.push_back(talk.server(t).seq(1).ack(1 + (i + 1) * 2920).win(5859));
    for (int k = 0; k < 4; ++k, seq += 1460)
      s.push_back(talk.client(t + 10 + k).seq(seq).len(1460).ack(1).win(228));
  }
  s.push_back(talk.server(301 * kMs).seq(1).ack(seq).win(5859));
  const auto r = analyse(s);
  ASSERT_EQ(r.at(0).directions.size(), 1U);
  const auto& d = r[0].directions[0];
  EXPECT_EQ(d.window_max, 5859U << 9);
  ASSERT_TRUE(d.blocked_us);
  EXPECT_NEAR(static_cast<double>(*d.blocked_us), 100'000, 2'000);
}

TEST_P(WindowTest, ZeroWindowsAreCounted) {
  const Talk talk(GetParam() + 3, GetParam());
  std::vector<Segment> s = {talk.client(0).syn().wscale(0), talk.server(9).syn().ack(1).wscale(7),
                            talk.client(19).seq(1).ack(1).win(1000),
                            talk.server(29).seq(1).len(1000).ack(1),
                            talk.client(1 * kSecond).seq(1).ack(1001).win(0)};
  for (int i = 1; i <= 4; ++i) {
    s.push_back(talk.server((1 + i) * kSecond).seq(1000).ack(1));
    s.push_back(talk.client((1 + i) * kSecond + 9).seq(1).ack(1001).win(0));
  }
  s.push_back(talk.client(8 * kSecond).seq(1).ack(1001).win(1000));
  s.push_back(talk.server(8 * kSecond + 9).seq(1001).len(1000).ack(1));
  s.push_back(talk.client(8 * kSecond + 19).seq(1).ack(2001).win(0));
  s.push_back(talk.client(10 * kSecond).seq(1).ack(2001).win(1000));
  const auto r = analyse(s);
  const auto* d = from_server(r.at(0));
  ASSERT_NE(d, nullptr);
  EXPECT_EQ(d->zero_window_count, 6U);
  EXPECT_EQ(d->zero_window_episodes, 2U);
  EXPECT_NEAR(static_cast<double>(d->zero_window_us), 9e6, 1e5);
  EXPECT_EQ(d->window_probes, 4U);
  EXPECT_EQ(d->longest_stall_limit, Limit::receiver_app);
  EXPECT_NEAR(static_cast<double>(d->longest_stall_us), 7e6, 1e5);
}

// However small the stretches that the engine works in, the answer stays.
TEST_P(WindowTest, ResultsDoNotDependOnTheLogLimit) {
  const Talk talk(GetParam() + 3, GetParam());
  const auto segments = window_limited(talk, 400, 7, 131'072);
  const auto whole = analyse(segments);
  const auto* w = from_server(whole.at(0));
  ASSERT_NE(w, nullptr);
  for (const std::uint32_t limit : {500U, 1000U, 5000U, 20'000U}) {
    SCOPED_TRACE(limit);
    EngineOptions options;
    options.log_limit = limit;
    const auto r = analyse(segments, options);
    const auto* d = from_server(r.at(0));
    ASSERT_NE(d, nullptr);
    EXPECT_EQ(d->limit, w->limit);
    EXPECT_EQ(d->bytes, w->bytes);
    EXPECT_EQ(d->segments, w->segments);
    EXPECT_EQ(d->retransmitted_segments, w->retransmitted_segments);
    EXPECT_EQ(d->window_max, w->window_max);
    EXPECT_EQ(d->flight_max, w->flight_max);
    EXPECT_EQ(d->rtt_base_us, w->rtt_base_us);
    ASSERT_TRUE(d->busy_us && d->blocked_us);
    EXPECT_NEAR(static_cast<double>(*d->busy_us), static_cast<double>(*w->busy_us),
                0.01 * static_cast<double>(*w->busy_us));
    EXPECT_NEAR(static_cast<double>(*d->blocked_us), static_cast<double>(*w->blocked_us),
                0.02 * static_cast<double>(*w->blocked_us));
  }
}

// A connection that is kept as a list of packets until its end, or until it grows too long for
// that.
TEST_P(WindowTest, ResultsDoNotDependOnFolding) {
  const Talk talk(GetParam() + 5, GetParam());
  const auto segments = window_limited(talk, 30, 7, 131'072);
  EngineOptions whole;
  whole.folded_packets = 0;
  const auto expected = analyse(segments, whole);
  ASSERT_EQ(expected.size(), 1U);
  for (const std::uint32_t packets : {1U, 3U, 20U, 1000U}) {
    SCOPED_TRACE(packets);
    EngineOptions options;
    options.folded_packets = packets;
    const auto r = analyse(segments, options);
    ASSERT_EQ(r.size(), 1U);
    EXPECT_EQ(r[0].packets, segments.size());
    EXPECT_EQ(r[0].end_ns, expected[0].end_ns);
    EXPECT_EQ(r[0].client_offer.window_scale, expected[0].client_offer.window_scale);
    ASSERT_EQ(r[0].directions.size(), expected[0].directions.size());
    for (std::size_t i = 0; i < r[0].directions.size(); ++i) {
      const auto& d = r[0].directions[i];
      const auto& w = expected[0].directions[i];
      EXPECT_EQ(d.limit_us, w.limit_us);
      EXPECT_EQ(d.blocked_us, w.blocked_us);
      EXPECT_EQ(d.bytes, w.bytes);
      EXPECT_EQ(d.window_max, w.window_max);
      EXPECT_EQ(d.rtt_base_us, w.rtt_base_us);
      EXPECT_EQ(d.timeline.size(), w.timeline.size());
    }
  }
}

}  // namespace
}  // namespace rwin::test
