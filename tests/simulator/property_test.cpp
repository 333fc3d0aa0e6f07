// A thousand random transfers whose limits are known, each recorded at three places: the analysis
// must name the limit, agree with the kernel's way of counting blocked time, and find the round
// trip.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>
#include <map>
#include <optional>
#include <string>

#include "analysis/engine.h"
#include "tests/simulator/kinds.h"
#include "tests/simulator/simulation.h"
#include "tests/support/seed.h"

namespace rwin::sim {
namespace {

using analysis::DirectionResult;
using analysis::Limit;

constexpr int kRuns = 1'000;
constexpr std::array<const char*, kPlaces> kPlaceNames = {"sender", "middle", "receiver"};

// Marks reached on several seeds: they may only be made stricter.
constexpr std::array<double, kPlaces> kClassMark = {0.98, 0.975, 0.97};
constexpr std::array<double, kPlaces> kShareMark = {0.004, 0.014, 0.024};  // mean difference
constexpr double kRttMark = 1.0;

struct Score {
  int judged = 0, right = 0;
  int shares = 0;
  double share_sum = 0, share_most = 0;
  int rtts = 0, rtts_right = 0;
  void add(const Score& s) {
    judged += s.judged;
    right += s.right;
    shares += s.shares;
    share_sum += s.share_sum;
    share_most = std::max(share_most, s.share_most);
    rtts += s.rtts;
    rtts_right += s.rtts_right;
  }
  [[nodiscard]] double class_share() const { return judged > 0 ? 1.0 * right / judged : 1; }
  [[nodiscard]] double mean_difference() const { return shares > 0 ? share_sum / shares : 0; }
};

std::optional<DirectionResult> analysed(const Outcome& o, Place place) {
  analysis::Engine engine;
  for (const analysis::Segment& s : o.at(place)) engine.add(s);
  std::optional<DirectionResult> found;
  int connections = 0;
  engine.finish([&](analysis::ConnectionResult&& c) {
    ++connections;
    for (DirectionResult& d : c.directions) {
      if (d.from_client == o.spec.upload) found = std::move(d);
    }
  });
  EXPECT_EQ(connections, 1);
  return found;
}

bool rtt_right(const Outcome& o, const DirectionResult& d) {
  if (!d.rtt_base_us) return false;
  const double want = static_cast<double>(o.truth.base_rtt) / 1e3;
  const double on_the_line = 1e6 * static_cast<double>(o.spec.segment() + 66) / o.spec.data.rate;
  return std::abs(static_cast<double>(*d.rtt_base_us) - want) <=
         std::max(1'000.0, 0.02 * want) + on_the_line;
}

Score judge(const Kind& kind, const Outcome& o, Place place) {
  Score s;
  if (kind.hidden_at_receiver && place == Place::receiver) return s;
  const auto d = analysed(o, place);
  s.judged = 1;
  const bool cut = o.spec.recording.cut_handshake;
  if (!d) {
    std::printf("  %s %s: seed %llu: direction not reported\n", o.spec.kind.c_str(),
                kPlaceNames[static_cast<std::size_t>(place)],
                static_cast<unsigned long long>(o.spec.seed));
    return s;
  }
  // Without the handshake the scale may not be known: then nothing may be said of the window.
  const bool honest = cut && d->scale.state == analysis::Presence::unknown &&
                      d->limit != Limit::receiver_window && d->limit != Limit::receiver_app;
  s.right =
      o.truth.accepts(d->limit) || (honest && o.truth.accepts(Limit::receiver_window)) ? 1 : 0;
  double difference = 0;
  if (!cut && d->blocked_us && d->busy_us && *d->busy_us > 0) {
    difference = std::abs(static_cast<double>(*d->blocked_us) / static_cast<double>(*d->busy_us) -
                          o.truth.blocked_share());
    s.shares = 1;
    s.share_sum = s.share_most = difference;
  }
  if (!cut) {
    s.rtts = 1;
    s.rtts_right = rtt_right(o, *d) ? 1 : 0;
  }
  if (s.right == 0 || difference > 0.15 || s.rtts_right < s.rtts) {
    std::printf(
        "  %s %s: seed %llu%s: %s instead of %s, share off by %.3f, base rtt %.2f ms of %.2f\n",
        o.spec.kind.c_str(), kPlaceNames[static_cast<std::size_t>(place)],
        static_cast<unsigned long long>(o.spec.seed), cut ? " (no handshake)" : "",
        std::string(word(d->limit)).c_str(), std::string(word(o.truth.main())).c_str(), difference,
        static_cast<double>(d->rtt_base_us.value_or(0)) / 1e3,
        static_cast<double>(o.truth.base_rtt) / 1e6);
  }
  return s;
}

void print(const std::string& name, const Score& s) {
  std::printf(
      "%-26s class %4d/%-4d %6.2f %%  share off by %.4f on average, %.3f at most  rtt %d/%d\n",
      name.c_str(), s.right, s.judged, 100 * s.class_share(), s.mean_difference(), s.share_most,
      s.rtts_right, s.rtts);
}

TEST(Simulation, TheLimitIsNamedAtEveryPlace) {
  const std::uint64_t first = test::test_seed(1) * 1'000;
  std::printf("%s, show_simulation KIND SEED shows a run\n",
              test::seed_text(test::test_seed(1)).c_str());
  std::array<Score, kPlaces> places;
  std::map<std::string, std::array<Score, kPlaces>> by_kind;
  for (int i = 0; i < kRuns; ++i) {
    const Kind& kind = kinds()[static_cast<std::size_t>(i) % kinds().size()];
    const Outcome o = simulate(make(kind, first + static_cast<std::uint64_t>(i)));
    ASSERT_TRUE(o.finished) << kind.name << " seed " << o.spec.seed;
    for (std::size_t p = 0; p < kPlaces; ++p) {
      const Score s = judge(kind, o, static_cast<Place>(p));
      places[p].add(s);
      by_kind[std::string(kind.name)][p].add(s);
    }
  }
  for (const auto& [name, scores] : by_kind) {
    for (std::size_t p = 0; p < kPlaces; ++p) print(name + " " + kPlaceNames[p], scores[p]);
  }
  for (std::size_t p = 0; p < kPlaces; ++p) {
    print(std::string("all, ") + kPlaceNames[p], places[p]);
    EXPECT_GE(places[p].class_share(), kClassMark[p]) << kPlaceNames[p];
    EXPECT_LE(places[p].mean_difference(), kShareMark[p]) << kPlaceNames[p];
    EXPECT_GE(1.0 * places[p].rtts_right / places[p].rtts, kRttMark) << kPlaceNames[p];
  }
}

}  // namespace
}  // namespace rwin::sim
