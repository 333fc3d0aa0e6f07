// A running engine looked at: the look says what finish() would say, and changes nothing.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/analysis/engine_helpers.h"

namespace rwin::analysis {
namespace {

using rwin::test::finish;
using rwin::test::kMs;
using rwin::test::Talk;
using rwin::test::window_limited;

// Everything that a report shows of a direction.
void expect_same(const DirectionResult& a, const DirectionResult& b) {
  EXPECT_EQ(a.from_client, b.from_client);
  EXPECT_EQ(a.bytes, b.bytes);
  EXPECT_EQ(a.segments, b.segments);
  EXPECT_EQ(a.acks, b.acks);
  EXPECT_EQ(a.duration_us, b.duration_us);
  EXPECT_EQ(a.goodput_bps, b.goodput_bps);
  EXPECT_EQ(a.rtt_base_us, b.rtt_base_us);
  EXPECT_EQ(a.rtt_p99_us, b.rtt_p99_us);
  EXPECT_EQ(a.rtt_samples, b.rtt_samples);
  EXPECT_EQ(a.window_max, b.window_max);
  EXPECT_EQ(a.window_p50, b.window_p50);
  EXPECT_EQ(a.flight_p50, b.flight_p50);
  EXPECT_EQ(a.flight_max, b.flight_max);
  EXPECT_EQ(a.busy_us, b.busy_us);
  EXPECT_EQ(a.blocked_us, b.blocked_us);
  EXPECT_EQ(a.limit_us, b.limit_us);
  EXPECT_EQ(a.limit, b.limit);
  EXPECT_EQ(a.timeline.size(), b.timeline.size());
}

void expect_same(const ConnectionResult& a, const ConnectionResult& b) {
  EXPECT_EQ(a.id, b.id);
  EXPECT_EQ(a.start_ns, b.start_ns);
  EXPECT_EQ(a.end_ns, b.end_ns);
  EXPECT_EQ(a.end, b.end);
  EXPECT_EQ(a.packets, b.packets);
  EXPECT_EQ(a.place, b.place);
  ASSERT_EQ(a.directions.size(), b.directions.size());
  for (std::size_t i = 0; i < a.directions.size(); ++i) {
    SCOPED_TRACE(i);
    expect_same(a.directions[i], b.directions[i]);
  }
}

// The second value is EngineOptions::log_limit: a flow in one stretch, and one in many.
class Look : public testing::TestWithParam<std::uint32_t> {
 protected:
  [[nodiscard]] static EngineOptions options() {
    EngineOptions o;
    o.log_limit = GetParam();
    return o;
  }
};
INSTANTIATE_TEST_SUITE_P(OneStretchAndMany, Look, testing::Values(32'768U, 50U));

TEST_P(Look, SaysWhatTheEndWouldSay) {
  const auto segments = window_limited(Talk{}, 20);
  for (const std::size_t until : {std::size_t{5}, std::size_t{100}, segments.size()}) {
    SCOPED_TRACE(until);
    Engine engine(options());
    for (std::size_t i = 0; i < until; ++i) engine.add(segments[i]);
    Memory memory;
    const auto seen = engine.peek(1, memory);
    ASSERT_TRUE(seen.has_value());
    const auto results = finish(engine);
    ASSERT_EQ(results.size(), 1U);
    expect_same(*seen, results[0]);
  }
}

TEST_P(Look, ChangesNothing) {
  const auto segments = window_limited(Talk{}, 20);
  Engine watched(options());
  Engine alone(options());
  Memory memory;
  for (const Segment& s : segments) {
    watched.add(s);
    alone.add(s);
    EXPECT_TRUE(watched.peek(1, memory).has_value());
  }
  const auto a = finish(watched);
  const auto b = finish(alone);
  ASSERT_EQ(a.size(), 1U);
  ASSERT_EQ(b.size(), 1U);
  expect_same(a[0], b[0]);
}

TEST(Survey, CountsWithoutJudging) {
  const auto segments = window_limited(Talk{}, 10);
  Engine engine;
  for (const Segment& s : segments) engine.add(s);
  std::vector<Progress> seen;
  engine.survey([&](const Progress& p) { seen.push_back(p); });
  ASSERT_EQ(seen.size(), 1U);
  EXPECT_EQ(seen[0].id, 1U);
  EXPECT_EQ(seen[0].packets, segments.size());
  EXPECT_EQ(seen[0].last_ns, segments.back().time_ns);
  EXPECT_FALSE(seen[0].closed);
  EXPECT_EQ(seen[0].bytes[0], 100U);
  EXPECT_EQ(seen[0].bytes[1], 10U * 20U * 1448U);
}

// Connections that are over leave the engine in order, with the numbers that they have in a file;
// memory does not grow with what is over.
TEST(Release, HandsOutWhatIsOver) {
  Engine engine;
  constexpr std::int64_t kSecond = 1'000'000'000;
  std::vector<std::uint64_t> released;
  const auto take = [&](ConnectionResult&& r) { released.push_back(r.id); };
  std::int64_t last_ns = 0;
  for (std::uint16_t k = 0; k < 3; ++k) {
    Talk talk;
    talk.client_end.port = static_cast<std::uint16_t>(40'000 + k);
    auto segments = window_limited(talk, 3);
    if (k != 1) {  // the second one stays open
      segments.push_back(talk.client(600 * kMs).rst().seq(101));
    }
    for (const Segment& s : segments) {
      engine.add(s);
      last_ns = std::max(last_ns, s.time_ns);
    }
  }
  engine.release(last_ns + 5 * kSecond, 10 * kSecond, take);
  EXPECT_THAT(released, testing::IsEmpty());
  engine.release(last_ns + 15 * kSecond, 10 * kSecond, take);
  EXPECT_THAT(released, testing::ElementsAre(1U, 3U));
  Memory memory;
  EXPECT_FALSE(engine.peek(1, memory).has_value());
  EXPECT_TRUE(engine.peek(2, memory).has_value());
  EXPECT_FALSE(engine.peek(3, memory).has_value());
  EXPECT_FALSE(engine.peek(4, memory).has_value());
  EXPECT_EQ(engine.connection_count(), 3U);

  // The one that stayed is still found by its endpoints, also when slots before it have gone.
  Talk talk;
  talk.client_end.port = 40'001;
  engine.add(talk.client(700 * kMs).rst().seq(101));
  EXPECT_EQ(engine.connection_count(), 3U);
  released.clear();
  engine.release(last_ns + 4'000 * kSecond, 10 * kSecond, take);
  EXPECT_THAT(released, testing::ElementsAre(2U));

  talk.client_end.port = 40'003;
  for (const Segment& s : window_limited(talk, 3)) engine.add(s);
  EXPECT_TRUE(engine.peek(4, memory).has_value());
  const auto rest = finish(engine);
  ASSERT_EQ(rest.size(), 1U);
  EXPECT_EQ(rest[0].id, 4U);
}

}  // namespace
}  // namespace rwin::analysis
