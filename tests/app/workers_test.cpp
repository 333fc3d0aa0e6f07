// Whatever the number of threads: the same results in the same order.
#include "app/workers.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <stdexcept>

#include "tests/analysis/engine_helpers.h"

namespace rwin::test {
namespace {

using analysis::ConnectionResult;
using analysis::Segment;
using app::Judged;

constexpr int kConnections = 90;

// Downloads that begin one after the other and run at the same time.
std::vector<Segment> many_downloads() {
  std::vector<Segment> out;
  for (int k = 0; k < kConnections; ++k) {
    Talk talk{static_cast<std::uint32_t>(k) * 77U, 5};
    talk.client_end.port = static_cast<std::uint16_t>(40'000 + k);
    for (Segment s :
         window_limited(talk, 3 + k % 5, 0, 8'000U + 1'000U * static_cast<unsigned>(k % 7))) {
      s.time_ns += k * 1'000'000;
      out.push_back(s);
    }
  }
  std::stable_sort(out.begin(), out.end(),
                   [](const Segment& a, const Segment& b) { return a.time_ns < b.time_ns; });
  return out;
}

Judged judge_nothing(ConnectionResult&& result) {
  Judged judged;
  judged.connection = std::move(result);
  return judged;
}

std::vector<ConnectionResult> analyse_with(unsigned jobs, const std::vector<Segment>& segments) {
  app::Workers workers(jobs);
  analysis::EngineOptions options;
  options.log_limit = 8;  // every connection has some full logs
  analysis::Engine engine(options, jobs > 1 ? &workers : nullptr);
  for (const Segment& s : segments) engine.add(s);
  std::vector<ConnectionResult> out;
  workers.finish(engine, judge_nothing,
                 [&](Judged&& judged) { out.push_back(std::move(judged.connection)); });
  return out;
}

class WorkersTest : public testing::TestWithParam<unsigned> {};
INSTANTIATE_TEST_SUITE_P(Jobs, WorkersTest, testing::Values(2U, 3U, 8U));

TEST_P(WorkersTest, GiveWhatOneThreadGives) {
  const auto segments = many_downloads();
  const auto one = analyse_with(1, segments);
  const auto several = analyse_with(GetParam(), segments);
  ASSERT_EQ(one.size(), std::size_t{kConnections});
  ASSERT_EQ(several.size(), one.size());
  for (std::size_t i = 0; i < one.size(); ++i) {
    SCOPED_TRACE(i);
    EXPECT_EQ(several[i].id, i + 1);
    EXPECT_EQ(several[i].client, one[i].client);
    ASSERT_EQ(several[i].directions.size(), one[i].directions.size());
    for (std::size_t d = 0; d < one[i].directions.size(); ++d) {
      const analysis::DirectionResult& a = one[i].directions[d];
      const analysis::DirectionResult& b = several[i].directions[d];
      EXPECT_GT(a.bytes, 0U);
      EXPECT_EQ(b.bytes, a.bytes);
      EXPECT_EQ(b.limit_us, a.limit_us);
      EXPECT_EQ(b.blocked_us, a.blocked_us);
      EXPECT_EQ(b.rtt_base_us, a.rtt_base_us);
      EXPECT_EQ(b.timeline.size(), a.timeline.size());
    }
  }
}

// Many connections are handed over in larger parts, the last of them not full.
TEST_P(WorkersTest, HandOutManyInTheirOrder) {
  constexpr std::uint64_t kMany = 9'999;
  app::Workers workers(GetParam());
  analysis::Engine engine({}, &workers);
  for (std::uint64_t i = 0; i < kMany; ++i) {
    engine.add(syn(static_cast<std::uint32_t>(1 + i % 250), static_cast<std::uint16_t>(1024 + i),
                   static_cast<std::int64_t>(i)));
  }
  std::uint64_t last = 0;
  workers.finish(engine, judge_nothing, [&](Judged&& judged) {
    EXPECT_EQ(judged.connection.id, last + 1);
    last = judged.connection.id;
  });
  EXPECT_EQ(last, kMany);
}

// Who takes the results may stop half-way: an output that fails.
TEST(Workers, EndWhenTheTakerGivesUp) {
  const auto segments = many_downloads();
  app::Workers workers(3);
  analysis::Engine engine({}, &workers);
  for (const Segment& s : segments) engine.add(s);
  int taken = 0;
  EXPECT_THROW(workers.finish(engine, judge_nothing,
                              [&](Judged&&) {
                                if (++taken == 20) throw std::runtime_error("full");
                              }),
               std::runtime_error);
  EXPECT_EQ(taken, 20);
}

TEST(Workers, NothingGivesNothing) {
  app::Workers workers(2);
  analysis::Engine engine({}, &workers);
  workers.finish(engine, judge_nothing, [&](Judged&&) { FAIL(); });
}

}  // namespace
}  // namespace rwin::test
