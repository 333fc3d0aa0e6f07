// What a mirror port, a second network card or a lossy capture does to the records, done to every
// capture of pcaps/: the verdict stays right, becomes unknown, or loses its confidence; never
// another class with high confidence. And the artefact is counted.
#include <gtest/gtest.h>

#include <algorithm>
#include <functional>
#include <random>

#include "rules/assess.h"
#include "rules/platform.h"
#include "tests/pcaps/captures.h"

namespace rwin {
namespace {

using analysis::Segment;
using Segments = std::vector<Segment>;
using Random = std::mt19937_64;

constexpr std::int64_t kUs = 1'000, kMs = 1'000'000, kSecond = 1'000'000'000;

bool from_client(const Segment& s) {
  // The server of every capture here is the end with the lower port.
  return s.source.port > s.destination.port;
}

void sort_by_time(Segments& s) {
  std::stable_sort(s.begin(), s.end(),
                   [](const Segment& a, const Segment& b) { return a.time_ns < b.time_ns; });
}

// Every record again: `later` after it, with `hops` fewer hops to live.
Segments twice(const Segments& in, std::int64_t later, int hops) {
  Segments out = in;
  for (Segment s : in) {
    s.time_ns += later;
    s.ttl = static_cast<std::uint8_t>(s.ttl - hops);
    out.push_back(s);
  }
  sort_by_time(out);
  return out;
}

Segments lose_some(const Segments& in, unsigned of_thousand) {
  Random random(1);
  Segments out;
  for (const Segment& s : in)
    if (random() % 1000 >= of_thousand) out.push_back(s);
  return out;
}

// Nothing recorded for `length` in every second.
Segments lose_stretches(const Segments& in, std::int64_t length) {
  Segments out;
  for (const Segment& s : in)
    if ((s.time_ns - in[0].time_ns) % kSecond >= length || out.size() < 3) out.push_back(s);
  return out;
}

// Records up to `most` late in the file, with their right stamps.
Segments mirror_order(const Segments& in, std::int64_t most) {
  Random random(2);
  std::vector<std::pair<std::int64_t, Segment>> list;
  for (const Segment& s : in)
    list.emplace_back(
        s.time_ns + static_cast<std::int64_t>(random() % static_cast<std::uint64_t>(most)), s);
  std::stable_sort(list.begin(), list.end(),
                   [](const auto& a, const auto& b) { return a.first < b.first; });
  Segments out;
  for (const auto& [at, s] : list) out.push_back(s);
  return out;
}

// One direction's records behind the other's by `behind` in the file and in their stamps: two
// cards whose clocks differ.
Segments skewed(const Segments& in, std::int64_t behind, bool client) {
  Segments out = in;
  for (Segment& s : out)
    if (from_client(s) == client) s.time_ns += behind;
  sort_by_time(out);
  return out;
}

// The clock is set by `step` `times` times.
Segments clock_steps(const Segments& in, std::int64_t step, int times) {
  Segments out = in;
  for (std::size_t i = 0; i < out.size(); ++i) {
    const auto done =
        static_cast<std::int64_t>(i * static_cast<std::size_t>(times + 1) / out.size());
    out[i].time_ns += done * step;
  }
  return out;
}

// One record stamped far ahead.
Segments wild_stamp(const Segments& in, std::int64_t ahead, std::size_t place) {
  Segments out = in;
  out[place].time_ns += ahead;
  return out;
}

using Quality = analysis::CaptureQuality;

struct Distortion {
  const char* name;
  std::function<Segments(const Segments&)> apply;
  std::uint64_t Quality::*counted = nullptr;  // where it must show
};

std::vector<Distortion> distortions() {
  return {
      {"one record in a hundred lost", [](const auto& s) { return lose_some(s, 10); }},
      {"one record in ten lost", [](const auto& s) { return lose_some(s, 100); },
       &Quality::gap_bytes},
      {"a third lost", [](const auto& s) { return lose_some(s, 333); }, &Quality::gap_bytes},
      {"20 ms of each second lost", [](const auto& s) { return lose_stretches(s, 20 * kMs); }},
      {"200 ms of each second lost", [](const auto& s) { return lose_stretches(s, 200 * kMs); },
       &Quality::gap_bytes},
      {"each record twice at once", [](const auto& s) { return twice(s, 0, 0); },
       &Quality::duplicates},
      {"each record twice, 300 us later", [](const auto& s) { return twice(s, 300 * kUs, 0); },
       &Quality::duplicates},
      {"both sides of a router", [](const auto& s) { return twice(s, 50 * kUs, 1); },
       &Quality::routed_duplicates},
      {"both sides of a router, 3 ms", [](const auto& s) { return twice(s, 3 * kMs, 1); },
       &Quality::routed_duplicates},
      {"three hops", [](const auto& s) { return twice(twice(s, 40 * kUs, 1), 100 * kUs, 2); },
       &Quality::routed_duplicates},
      {"mirror order, 100 us", [](const auto& s) { return mirror_order(s, 100 * kUs); }},
      {"mirror order, 3 ms", [](const auto& s) { return mirror_order(s, 3 * kMs); },
       &Quality::out_of_order},
      {"mirror order and twice",
       [](const auto& s) { return mirror_order(twice(s, 20 * kUs, 0), 500 * kUs); },
       &Quality::duplicates},
      {"client's card 2 ms behind", [](const auto& s) { return skewed(s, 2 * kMs, true); }},
      {"server's card 2 ms behind", [](const auto& s) { return skewed(s, 2 * kMs, false); }},
      {"client's card 40 ms behind", [](const auto& s) { return skewed(s, 40 * kMs, true); }},
      {"server's card 40 ms behind", [](const auto& s) { return skewed(s, 40 * kMs, false); }},
      {"client's card 1 s behind", [](const auto& s) { return skewed(s, kSecond, true); },
       &Quality::effect_first},
      {"server's card 1 s behind", [](const auto& s) { return skewed(s, kSecond, false); },
       &Quality::effect_first},
      {"clock set back 80 ms", [](const auto& s) { return clock_steps(s, -80 * kMs, 1); },
       &Quality::clock_steps},
      {"clock set back an hour", [](const auto& s) { return clock_steps(s, -3600 * kSecond, 1); },
       &Quality::clock_steps},
      {"clock set back 20 ms five times",
       [](const auto& s) { return clock_steps(s, -20 * kMs, 5); }, &Quality::clock_steps},
      {"clock set ahead 80 ms", [](const auto& s) { return clock_steps(s, 80 * kMs, 1); }},
      {"clock set ahead 2 s", [](const auto& s) { return clock_steps(s, 2 * kSecond, 1); },
       &Quality::clock_steps},
      {"clock set ahead two hours", [](const auto& s) { return clock_steps(s, 7200 * kSecond, 1); },
       &Quality::clock_steps},
      {"second record 46 years ahead",
       [](const auto& s) { return wild_stamp(s, 46 * 365 * 86'400 * kSecond, 1); },
       &Quality::wild_stamps},
      {"a record two hours ahead",
       [](const auto& s) { return wild_stamp(s, 7'200 * kSecond, s.size() / 2); },
       &Quality::wild_stamps},
      {"a record two hours back",
       [](const auto& s) { return wild_stamp(s, -7'200 * kSecond, s.size() / 2); },
       &Quality::wild_stamps},
      {"a record 3 s ahead", [](const auto& s) { return wild_stamp(s, 3 * kSecond, s.size() / 2); },
       &Quality::clock_steps},
  };
}

class Distorted : public testing::TestWithParam<Row> {};

TEST_P(Distorted, RightOrUnknownOrWithoutConfidence) {
  const Row& row = GetParam();
  const Segments whole = segments_of(row.file);
  for (const Distortion& distortion : distortions()) {
    SCOPED_TRACE(distortion.name);
    const auto results = analyse(distortion.apply(whole));
    ASSERT_FALSE(results.empty());
    std::uint64_t counted = 0;
    for (const analysis::ConnectionResult& c : results) {
      if (distortion.counted != nullptr) counted += c.quality.*distortion.counted;
      for (const analysis::DirectionResult& d : c.directions) {
        if (d.from_client) continue;
        const rules::Assessment a = rules::assess(c, d, {}, rules::Catalogue::built_in());
        const std::string limit(analysis::word(a.verdict.limit));
        const bool sure = a.verdict.confidence == rules::Confidence::high;
        EXPECT_TRUE(limit == row.limit || limit == "unknown" || !sure)
            << limit << " with high confidence instead of " << row.limit << ", " << c.packets
            << " packets of " << results.size() << " connections";
      }
    }
    // In a few packets a step may fall into a pause that hides it.
    const bool must_show = distortion.counted != nullptr && whole.size() > 100;
    EXPECT_TRUE(!must_show || counted > 0) << "not noticed";
  }
}

INSTANTIATE_TEST_SUITE_P(Manifest, Distorted, testing::ValuesIn(rows()), name_of);

}  // namespace
}  // namespace rwin
