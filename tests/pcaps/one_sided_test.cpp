// One direction of every capture of pcaps/: what can be said is said, the rest is unknown with the
// reason.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "rules/assess.h"
#include "rules/platform.h"
#include "tests/pcaps/captures.h"

namespace rwin {
namespace {

using analysis::DirectionResult;
using analysis::Segment;

// The server of every capture here is the end with the lower port; it sends the data.
std::vector<Segment> only(const std::vector<Segment>& all, bool of_server) {
  std::vector<Segment> out;
  for (const Segment& s : all)
    if ((s.source.port < s.destination.port) == of_server) out.push_back(s);
  return out;
}

const DirectionResult* download(const analysis::ConnectionResult& c) {
  for (const DirectionResult& d : c.directions)
    if (!d.from_client) return &d;
  return nullptr;
}

class OneSided : public testing::TestWithParam<Row> {
 protected:
  void SetUp() override {
    whole_ = segments_of(GetParam().file);
    const auto results = analyse(whole_);
    ASSERT_EQ(results.size(), 1U);
    ASSERT_NE(download(results[0]), nullptr);
    want_ = *download(results[0]);
  }
  // The direction from the server, and what the rules say of it.
  void look_at(bool of_server) {
    const auto results = analyse(only(whole_, of_server));
    ASSERT_EQ(results.size(), 1U);
    const DirectionResult* d = download(results[0]);
    ASSERT_NE(d, nullptr);
    seen_ = *d;
    assessment_ = rules::assess(results[0], *d, {}, rules::Catalogue::built_in());
  }
  std::vector<Segment> whole_;
  DirectionResult want_, seen_;
  rules::Assessment assessment_;
};

TEST_P(OneSided, OnlyTheData) {
  look_at(true);
  EXPECT_TRUE(seen_.data_seen);
  EXPECT_FALSE(seen_.acks_seen);
  EXPECT_EQ(seen_.segments, want_.segments);
  EXPECT_EQ(seen_.wire_bytes, want_.wire_bytes);
  EXPECT_EQ(seen_.bytes + want_.capture_gap_bytes, want_.bytes);
  EXPECT_EQ(seen_.largest_payload, want_.largest_payload);
  EXPECT_NEAR(seen_.goodput_bps.value_or(0), want_.goodput_bps.value_or(0),
              0.1 * want_.goodput_bps.value_or(0));
  EXPECT_FALSE(seen_.window_max.has_value());
  EXPECT_FALSE(seen_.blocked_us.has_value());
  EXPECT_NE(assessment_.verdict.confidence, rules::Confidence::high);
  EXPECT_EQ(assessment_.verdict.limit, analysis::Limit::unknown);
  EXPECT_THAT(assessment_.verdict.unproven, testing::AnyOf(testing::Contains("other_direction"),
                                                           testing::Contains("window_scale")));
  EXPECT_FALSE(assessment_.verdict.notes.empty());
}

TEST_P(OneSided, OnlyTheAcks) {
  look_at(false);
  EXPECT_FALSE(seen_.data_seen);
  EXPECT_TRUE(seen_.acks_seen);
  EXPECT_EQ(seen_.segments, 0U);
  EXPECT_EQ(seen_.retransmitted_segments, 0U);
  EXPECT_EQ(seen_.window_field_max, want_.window_field_max);
  EXPECT_EQ(seen_.zero_window_count, want_.zero_window_count);
  // Seen from the first ACK on; a FIN that was not seen counts as a byte when it is acknowledged.
  EXPECT_LE(seen_.bytes, want_.bytes + 1);
  EXPECT_GE(seen_.bytes, want_.bytes * 9 / 10);
  EXPECT_FALSE(seen_.blocked_us.has_value());
  EXPECT_EQ(assessment_.verdict.limit, analysis::Limit::unknown);
  EXPECT_THAT(assessment_.verdict.unproven, testing::AnyOf(testing::Contains("other_direction"),
                                                           testing::Contains("window_scale")));
  EXPECT_FALSE(assessment_.verdict.notes.empty());
}

INSTANTIATE_TEST_SUITE_P(Manifest, OneSided, testing::ValuesIn(rows()), name_of);

}  // namespace
}  // namespace rwin
