// Memory is bounded, whatever comes; what gives way is counted; transfers are the last to go.
// The full figures (5 million SYNs, 1 TB): bench/endurance.
#include <gtest/gtest.h>
#include <malloc.h>

#include <algorithm>

#include "tests/analysis/engine_helpers.h"

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
#define RWIN_TEST_SANITIZED
#elif defined(__has_feature)
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer)
#define RWIN_TEST_SANITIZED
#endif
#endif

namespace rwin::test {
namespace {

using analysis::Engine;
using analysis::EngineOptions;
using analysis::Limit;
using analysis::Segment;

TEST(Bounds, TheOldestGivesWayAndIsCounted) {
  EngineOptions options;
  options.max_connections = 10;
  Engine engine(options);
  for (std::uint32_t i = 0; i < 25; ++i) engine.add(syn(i + 1, 9, i));
  EXPECT_EQ(engine.counters().flows_evicted, 15U);
  const auto r = finish(engine);
  ASSERT_EQ(r.size(), 10U);  // those that never carried data are only counted
  EXPECT_EQ(r[0].id, 16U);
  EXPECT_EQ(r[9].end, analysis::End::open);
}

TEST(Bounds, WhatCarriedDataIsToldThoughItGaveWay) {
  EngineOptions options;
  options.max_connections = 2;
  Engine engine(options);
  Talk talk;
  engine.add(talk.server(0).seq(1).len(100).ack(1));
  for (std::uint32_t i = 0; i < 5; ++i) engine.add(syn(i + 1, 9, i));
  const auto r = finish(engine);
  ASSERT_EQ(r.size(), 3U);
  EXPECT_EQ(r[0].end, analysis::End::expired);
  EXPECT_EQ(r[0].directions.size(), 1U);
}

std::size_t heap() { return mallinfo2().uordblks + mallinfo2().hblkhd; }

TEST(Bounds, ASynFloodDoesNotGrowWithoutLimit) {
#if defined(RWIN_TEST_SANITIZED)
  GTEST_SKIP() << "the sanitizer's heap has no such figures";
#endif
  constexpr std::uint32_t kFlood = 200'000;
  constexpr std::uint32_t kMost = 1'000;
  EngineOptions options;
  options.max_connections = kMost;
  Engine engine(options);
  const std::size_t before = heap();
  std::size_t at_tenth = 0;
  for (std::uint32_t i = 0; i < kFlood; ++i) {
    engine.add(syn(0x0a000000U + i, static_cast<std::uint16_t>(1024 + i % 60'000), i));
    if (i == kFlood / 10) at_tenth = heap();
  }
  const std::size_t after = heap();
  EXPECT_EQ(engine.counters().flows_evicted, kFlood - kMost);
  EXPECT_EQ(engine.counters().segments, kFlood);
  // Live connections are full records; what an evicted one leaves must be small.
  const double left = static_cast<double>(after - at_tenth) / (0.9 * kFlood);
  RecordProperty("bytes_per_evicted", std::to_string(left));
  EXPECT_LT(left, 40) << "bytes for each evicted connection";
  EXPECT_LT(after - before, 200U << 20);
}

// The same in small as with the defaults: twenty times as many half-open connections as are kept.
TEST(Bounds, ATransferInsideASynFloodIsStillDiagnosed) {
  constexpr std::uint32_t kFlood = 40'000;
  EngineOptions options;
  options.max_without_data = 2'000;
  Engine engine(options);
  const auto transfer = window_limited(Talk(), 40);
  const std::uint32_t between = kFlood / static_cast<std::uint32_t>(transfer.size());
  std::uint32_t host = 0;
  for (const Segment& s : transfer) {
    engine.add(s);
    const std::int64_t t = (s.time_ns - kEpochNs) / 1000;
    for (std::uint32_t i = 0; i < between; ++i, ++host) engine.add(syn(0x0a000000U + host, 9, t));
  }
  EXPECT_EQ(engine.counters().flows_evicted, host - 2'000);
  EXPECT_EQ(engine.connection_count(), host + 1U);
  const auto r = finish(engine);
  ASSERT_EQ(r.size(), 2'001U);
  EXPECT_EQ(r[0].id, 1U);
  const auto alone = analyse(transfer);
  const auto* d = from_server(r[0]);
  const auto* want = from_server(alone.at(0));
  ASSERT_TRUE(d != nullptr && want != nullptr);
  EXPECT_EQ(d->limit, Limit::receiver_window);
  EXPECT_EQ(d->bytes, want->bytes);
  EXPECT_EQ(d->blocked_us, want->blocked_us);
  EXPECT_EQ(d->rtt_base_us, want->rtt_base_us);
  EXPECT_TRUE(
      std::is_sorted(r.begin(), r.end(), [](const auto& a, const auto& b) { return a.id < b.id; }));
}

// Looking at a running engine, and a connection that ends, while others give way around it.
TEST(Bounds, IdsStayWhatTheyWere) {
  EngineOptions options;
  options.max_without_data = 10;
  Engine engine(options);
  Talk talk;
  for (std::uint32_t i = 0; i < 5'000; ++i) {
    engine.add(syn(i + 1, 9, i));
    if (i == 2'500) engine.add(talk.server(i).seq(1).len(100).ack(1));  // the 2502nd connection
    if (i == 4'000) engine.add(talk.server(i).seq(101).len(50).ack(1));
  }
  analysis::Memory memory;
  EXPECT_FALSE(engine.peek(1, memory).has_value());
  const auto seen = engine.peek(2'502, memory);
  ASSERT_TRUE(seen.has_value());
  EXPECT_EQ(seen->directions.at(0).bytes, 150U);
  ASSERT_TRUE(engine.peek(5'001, memory).has_value());
  EXPECT_FALSE(engine.peek(5'002, memory).has_value());
}

// With data in each of them too: as many results are kept as connections are watched.
TEST(Bounds, AFloodOfDataFillsNothing) {
  EngineOptions options;
  options.max_connections = 100;
  Engine engine(options);
  for (std::uint32_t i = 0; i < 5'000; ++i) {
    Talk talk;
    talk.client_end = endpoint4(i + 1, 9);
    engine.add(talk.server(i).seq(1).len(100).ack(1));
  }
  EXPECT_EQ(engine.counters().flows_evicted, 4'900U);
  EXPECT_EQ(finish(engine).size(), 200U);
}

// 1 TB in a day; in segments of 16 MB, so that it is over in a moment.
TEST(Bounds, ADayAndATerabyteInOneConnection) {
  constexpr std::uint32_t kSegment = 16U << 20;
  constexpr std::int64_t kCount = (std::int64_t{1} << 40) / kSegment;
  constexpr std::int64_t kEvery = 86'400 * kSecond / kCount;
  Talk talk;
  Engine engine;
  engine.add(talk.client(0).syn().mss(1460).wscale(14));
  engine.add(talk.server(100).syn().ack(1).mss(1460).wscale(14));
  [[maybe_unused]] std::size_t early = 0;
  for (std::int64_t i = 0; i < kCount; ++i) {
    const std::int64_t t = 1'000 + i * kEvery;
    engine.add(talk.server(t).seq(1 + i * kSegment).len(kSegment).ack(1));
    engine.add(talk.client(t + 200).seq(1).ack(1 + (i + 1) * kSegment).win(60'000));
    if (i == kCount / 2) early = heap();  // logs have been full before
  }
  [[maybe_unused]] const std::size_t late = heap();
  const auto r = finish(engine);
  const auto* d = from_server(r.at(0));
  ASSERT_NE(d, nullptr);
  EXPECT_EQ(d->bytes, std::uint64_t{1} << 40);
  EXPECT_EQ(d->wire_bytes, std::uint64_t{1} << 40);
  EXPECT_EQ(d->segments, static_cast<std::uint64_t>(kCount));
  EXPECT_EQ(d->retransmitted_segments, 0U);
  EXPECT_EQ(d->capture_gap_bytes, 0U);
  EXPECT_EQ(d->window_max, std::uint64_t{60'000} << 14);
  EXPECT_NEAR(static_cast<double>(d->duration_us), 86'400e6, 2e6);
  EXPECT_NEAR(d->goodput_bps.value_or(0), 8.0 * (std::int64_t{1} << 40) / 86'400, 1e5);
#if !defined(RWIN_TEST_SANITIZED)
  EXPECT_LT(late, early + (1U << 20)) << "grows with the connection";
#endif
}

}  // namespace
}  // namespace rwin::test
