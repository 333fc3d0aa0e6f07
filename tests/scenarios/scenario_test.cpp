// One test for each file of tests/scenarios, at every capture point that it names and at five
// initial sequence numbers.
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <numeric>

#include "tests/analysis/engine_helpers.h"
#include "tests/scenarios/judge.h"

namespace rwin::test {
namespace {

std::vector<std::string> scenario_names() {
  std::vector<std::string> names;
  for (const auto& entry :
       std::filesystem::directory_iterator(RWIN_SOURCE_DIR "/tests/scenarios")) {
    const bool scenario =
        entry.path().extension() == ".txt" && entry.path().filename() != "CMakeLists.txt";
    if (scenario) names.push_back(entry.path().stem().string());
  }
  std::sort(names.begin(), names.end());
  return names;
}

// Contiguous from 0 to the connection's end, no piece empty, sums equal to the shares.
void check_timeline(const analysis::ConnectionResult& c) {
  const std::int64_t length = (c.end_ns - c.start_ns) / 1000;
  for (const analysis::DirectionResult& d : c.directions) {
    std::int64_t at = 0;
    std::array<std::int64_t, analysis::kLimitCount> sums{};
    for (const analysis::TimelinePiece& p : d.timeline) {
      ASSERT_EQ(p.start_us, at);
      ASSERT_GT(p.duration_us, 0);
      at += p.duration_us;
      sums[static_cast<std::size_t>(p.limit)] += p.duration_us;
    }
    EXPECT_EQ(at, length);
    EXPECT_EQ(sums, d.limit_us);
    EXPECT_EQ(std::accumulate(sums.begin(), sums.end(), std::int64_t{0}), length);
    EXPECT_LE(d.busy_us.value_or(0), length);
    EXPECT_LE(d.blocked_us.value_or(0), d.busy_us.value_or(0));
    if (d.scale.state == analysis::Presence::unknown) {
      EXPECT_FALSE(d.window_max);
      EXPECT_FALSE(d.blocked_us);
      EXPECT_NE(d.limit, analysis::Limit::receiver_window);
    }
  }
}

class ScenarioTest : public testing::TestWithParam<std::string> {};

TEST_P(ScenarioTest, SaysWhatIsExpected) {
  const Scenario scenario = load_scenario("tests/scenarios/" + GetParam() + ".txt");
  RecordProperty("shows", scenario.title);
  for (const View view : scenario.views) {
    for (const std::uint32_t isn : kIsns) {
      SCOPED_TRACE(scenario.title + " | capture at " + word(view) + ", initial sequence number " +
                   std::to_string(isn));
      const Judgement judged = judge(scenario, view, isn);
      for (const std::string& line : judged.wrong) ADD_FAILURE() << line;
      for (const Judged& j : judged.connections) check_timeline(j.result);
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Scenarios, ScenarioTest, testing::ValuesIn(scenario_names()),
                         [](const testing::TestParamInfo<std::string>& i) {
                           std::string name = i.param;
                           for (char& c : name) {
                             if (std::isalnum(static_cast<unsigned char>(c)) == 0) c = '_';
                           }
                           return name;
                         });

// Other limits than the window, in small stretches: played scenarios, whole and cut.
TEST(Scenario, LogLimitDoesNotChangeTheVerdictOfScenarios) {
  for (const char* name : {"c20-zero-window-for-good", "c39-send-buffer-16k",
                           "c48-loss-that-looks-like-a-window", "c59-queue-grows-with-the-window",
                           "c21-paced-reader", "c74-window-full-of-the-right-side"}) {
    SCOPED_TRACE(name);
    const Scenario scenario = load_scenario(std::string("tests/scenarios/") + name + ".txt");
    for (const View view : scenario.views) {
      SCOPED_TRACE(word(view));
      const auto segments = play(scenario, view, 0xfffffff0);
      analysis::EngineOptions options;
      options.log_limit = 2000;
      const auto whole = analyse(segments);
      const auto cut = analyse(segments, options);
      const auto* w = from_server(whole.at(0));
      const auto* d = from_server(cut.at(0));
      ASSERT_TRUE(w != nullptr && d != nullptr);
      EXPECT_EQ(analysis::word(d->limit), analysis::word(w->limit));
      EXPECT_EQ(d->retransmitted_segments, w->retransmitted_segments);
      EXPECT_EQ(d->rtt_base_us, w->rtt_base_us);
      EXPECT_EQ(d->window_max, w->window_max);
      EXPECT_EQ(d->longest_stall_us, w->longest_stall_us);
      const double length = static_cast<double>(whole[0].end_ns - whole[0].start_ns) / 1000;
      for (const analysis::Limit l : analysis::kAllLimits) {
        EXPECT_NEAR(static_cast<double>(share_us(*d, l)) / length,
                    static_cast<double>(share_us(*w, l)) / length, 0.06)
            << analysis::word(l);
      }
    }
  }
}

}  // namespace
}  // namespace rwin::test
