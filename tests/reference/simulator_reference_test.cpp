// The engine equals the reference on simulated transfers, and does not depend on how much it
// remembers.
#include <gtest/gtest.h>

#include <cstdio>

#include "tests/reference/compare.h"
#include "tests/simulator/kinds.h"
#include "tests/simulator/simulation.h"
#include "tests/support/seed.h"

namespace rwin::reference {
namespace {

constexpr int kRuns = kSlow ? 76 : 1'000;

sim::Outcome run(int i) {
  const sim::Kind& kind = sim::kinds()[static_cast<std::size_t>(i) % sim::kinds().size()];
  return sim::simulate(sim::make(kind, test::test_seed(1) * 1'000 + static_cast<std::uint64_t>(i)));
}

TEST(Reference, EqualsTheEngineOnSimulatedTransfers) {
  Compared all;
  int failed = 0;
  for (int i = 0; i < kRuns; ++i) {
    const sim::Outcome o = run(i);
    for (std::size_t p = 0; p < sim::kPlaces; ++p) {
      SCOPED_TRACE(o.spec.kind + " seed " + std::to_string(o.spec.seed) + " place " +
                   std::to_string(p) + " " + test::seed_text(test::test_seed(1)));
      all.add(compare_connection(o.captures[p], 150));
    }
    if (HasFailure() && ++failed == 20) break;
  }
  std::printf("%zu directions, %zu segments, %zu of them compared one by one\n", all.directions,
              all.segments, all.steps);
}

TEST(Reference, ShareOfThePlainRuleIsNear) {
  Compared all;
  for (int i = 0; i < (kSlow ? 114 : 190); ++i) {
    const sim::Outcome o = run(i);
    if (o.spec.recording.cut_handshake || o.truth.data_sent > 800) continue;
    for (std::size_t p = 0; p < sim::kPlaces; ++p)
      all.add(compare_connection(o.captures[p], 1'000'000));
  }
  const double mean = all.share_difference / static_cast<double>(all.shares);
  std::printf("blocked share of the plain rule and of the engine differ by %.4f on average (%zu)\n",
              mean, all.shares);
  ASSERT_GT(all.shares, 50U);
  EXPECT_LE(mean, 0.02);
}

TEST(Reference, ResultsDoNotDependOnTheLengthOfTheLog) {
  for (int i = 0; i < (kSlow ? 114 : 190); ++i) {
    const sim::Outcome o = run(i);
    for (std::size_t p = 0; p < sim::kPlaces; ++p) {
      SCOPED_TRACE(o.spec.kind + " seed " + std::to_string(o.spec.seed) + " place " +
                   std::to_string(p));
      const auto usual = run_engine(o.captures[p]);
      const auto longer = run_engine(o.captures[p], 1U << 22U);
      const auto shorter = run_engine(o.captures[p], 256);
      ASSERT_EQ(usual.size(), longer.size());
      ASSERT_EQ(usual.size(), shorter.size());
      for (std::size_t c = 0; c < usual.size(); ++c) {
        ASSERT_EQ(usual[c].directions.size(), shorter[c].directions.size());
        expect_sound(shorter[c]);
        for (std::size_t d = 0; d < usual[c].directions.size(); ++d) {
          expect_same(usual[c].directions[d], longer[c].directions[d]);
          expect_same_counts(usual[c].directions[d], shorter[c].directions[d]);
        }
      }
    }
    if (HasFailure()) break;
  }
}

}  // namespace
}  // namespace rwin::reference
