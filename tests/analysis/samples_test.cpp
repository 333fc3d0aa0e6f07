// Charts: figures over time of a direction whose figures are known.
#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>

#include "engine_helpers.h"

namespace rwin::test {
namespace {

using analysis::DirectionResult;
using analysis::SamplePoint;

analysis::EngineOptions with_samples(std::uint32_t points) {
  analysis::EngineOptions options;
  options.sample_points = points;
  return options;
}

TEST(Samples, NoneUnlessAskedFor) {
  const auto results = analyse(window_limited(Talk(1), 20));
  EXPECT_TRUE(from_server(results[0])->samples.points.empty());
}

TEST(Samples, AddUpToTheDirectionAtEverySequenceNumber) {
  for (const std::uint32_t isn : kIsns) {
    const auto results = analyse(window_limited(Talk(isn), 50), with_samples(200));
    const DirectionResult& d = *from_server(results[0]);
    std::uint64_t bytes = 0;
    for (const SamplePoint& p : d.samples.points) {
      bytes += p.bytes;
      if (p.window_high) EXPECT_EQ(*p.window_high, 29'200U);
      if (p.flight_high) EXPECT_LE(*p.flight_high, 29'200U);
      if (p.rtt_low_us) {
        EXPECT_GE(*p.rtt_low_us, 95'000U);
        EXPECT_LE(*p.rtt_high_us, 105'000U);
      }
      EXPECT_EQ(p.resent, 0U);
    }
    EXPECT_GE(bytes + 29'200, d.bytes);  // what is in flight at the end is not acknowledged
    EXPECT_LE(bytes, d.bytes);
    EXPECT_TRUE(std::any_of(d.samples.points.begin(), d.samples.points.end(),
                            [](const SamplePoint& p) { return p.rtt_low_us && p.flight_high; }));
  }
}

TEST(Samples, StepsGrowWithTheTimeAndThePointsStayBounded) {
  const auto coarse = analyse(window_limited(Talk(1), 50), with_samples(16));
  const DirectionResult& d = *from_server(coarse[0]);
  EXPECT_LE(d.samples.points.size(), 16U);
  EXPECT_GE(d.samples.points.size(), 8U);
  const auto length_us = (coarse[0].end_ns - coarse[0].start_ns) / 1000;
  EXPECT_GE(static_cast<std::int64_t>(d.samples.points.size()) * d.samples.step_us,
            length_us - d.samples.step_us);
  const auto fine = analyse(window_limited(Talk(1), 50), with_samples(4096));
  const auto sum = [](const DirectionResult& r) {
    return std::accumulate(r.samples.points.begin(), r.samples.points.end(), std::uint64_t{0},
                           [](std::uint64_t s, const SamplePoint& p) { return s + p.bytes; });
  };
  EXPECT_EQ(sum(d), sum(*from_server(fine[0])));
}

// What the sender sends lies between what is acknowledged and the right edge; the numbers count
// from its first byte.
TEST(Samples, SequenceNumbersAtEverySequenceNumber) {
  for (const std::uint32_t isn : kIsns) {
    analysis::EngineOptions options = with_samples(200);
    EXPECT_TRUE(
        from_server(analyse(window_limited(Talk(isn), 50), options)[0])->samples.sequence.empty());
    options.sample_sequence = true;
    const auto results = analyse(window_limited(Talk(isn), 50), options);
    const DirectionResult& d = *from_server(results[0]);
    ASSERT_EQ(d.samples.sequence.size(), d.samples.points.size());
    std::uint64_t sent = 0, acked = 0, edge = 0;
    for (const analysis::SequencePoint& p : d.samples.sequence) {
      EXPECT_FALSE(p.again_low || p.again_high);
      if (p.sent_low) {
        EXPECT_EQ(*p.sent_low, sent);  // nothing is left out between steps
        sent = *p.sent_high;
      }
      if (p.acked) {
        EXPECT_GE(*p.acked, acked);
        acked = *p.acked;
      }
      if (p.edge_high) {
        EXPECT_GE(*p.edge_high, edge);
        EXPECT_LE(*p.edge_low, *p.edge_high);
        edge = *p.edge_high;
      }
      EXPECT_LE(sent, std::max<std::uint64_t>(edge, 29'200));
      EXPECT_LE(acked, sent);
    }
    EXPECT_EQ(sent, d.bytes);
    EXPECT_EQ(edge, acked + 29'200);
  }
}

// A log read in many stretches gives the same chart as one read at once.
TEST(Samples, TheSameInStretches) {
  analysis::EngineOptions small = with_samples(64);
  small.log_limit = 64;
  const auto whole = analyse(window_limited(Talk(1), 50), with_samples(64));
  const auto parts = analyse(window_limited(Talk(1), 50), small);
  const auto& a = from_server(whole[0])->samples;
  const auto& b = from_server(parts[0])->samples;
  ASSERT_EQ(a.points.size(), b.points.size());
  for (std::size_t i = 0; i < a.points.size(); ++i) {
    EXPECT_EQ(a.points[i].bytes, b.points[i].bytes) << i;
    EXPECT_EQ(a.points[i].window_high, b.points[i].window_high) << i;
  }
}

TEST(Samples, WindowsOnlyWhereTheScaleIsKnown) {
  for (const int rounds : {1, 3, 50}) {
    const auto results =
        analyse(window_limited(Talk(1), rounds, 7, 29'200, false), with_samples(64));
    const DirectionResult& d = *from_server(results[0]);
    const bool shown = std::any_of(d.samples.points.begin(), d.samples.points.end(),
                                   [](const SamplePoint& p) { return p.window_high.has_value(); });
    EXPECT_EQ(shown, d.scale.state == analysis::Presence::known) << rounds;
  }
}

}  // namespace
}  // namespace rwin::test
