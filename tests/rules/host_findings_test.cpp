// What several connections of one host tell together: stalls at the same time, the two legs of a
// proxy. Each with a case just on the other side.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "flows.h"

namespace rwin::rules {
namespace {

using namespace test;
using testing::HasSubstr;

HostSummary host_of(const std::vector<Case>& cases, const analysis::Address& address) {
  const Settings settings;
  HostTable table{settings, Catalogue::built_in()};
  for (const Case& c : cases) {
    ConnectionResult whole = c.connection;
    whole.directions.push_back(c.direction);
    table.add(whole, whole.directions[0],
              assess(whole, whole.directions[0], settings, Catalogue::built_in()));
  }
  for (HostSummary& host : table.finish()) {
    if (host.address == address) return host;
  }
  ADD_FAILURE() << "no such host";
  return {};
}

constexpr std::int64_t kSecondUs = 1'000'000;

// An upload to 198.51.100.7 whose window is low for `for_us` from `at_us` on.
Case stalled(std::uint16_t port, std::int64_t at_us, std::int64_t for_us = 4 * kSecondUs) {
  Case c = download();
  c.connection.server.port = port;
  c.direction.from_client = true;
  c.direction.limit = Limit::receiver_app;
  c.direction.low_window_us = for_us;
  c.direction.low_window_at_us = at_us;
  return c;
}

HostSummary stalls(const std::vector<Case>& cases) { return host_of(cases, v4(198, 51, 100, 7)); }

TEST(HostFindings, StallsTogetherAtOnePortAreItsProcess) {
  const HostSummary host =
      stalls({stalled(1883, 0), stalled(1883, kSecondUs / 2), stalled(1883, kSecondUs)});
  EXPECT_EQ(host.stalled_together, 3U);
  EXPECT_EQ(host.cause, "reader-stopped");
  EXPECT_THAT(host.notes, testing::ElementsAre(HasSubstr("all at port 1883")));
}

TEST(HostFindings, StallsTogetherAtSeveralPortsAreTheHost) {
  std::vector<Case> cases = {stalled(1883, 0), stalled(443, 100), stalled(22, 200)};
  HostSummary host = stalls(cases);
  EXPECT_EQ(host.cause, "host-memory");
  EXPECT_THAT(host.notes, testing::ElementsAre(HasSubstr("at different ports: host memory")));
  cases[1].direction.retransmitted_segments = 1;
  EXPECT_THAT(stalls(cases).notes, testing::ElementsAre(HasSubstr("data was sent again there")));
}

TEST(HostFindings, StallsThatAreNotTogether) {
  const auto alone = [](const std::vector<Case>& cases) {
    const HostSummary host = stalls(cases);
    EXPECT_EQ(host.stalled_together, 0U);
    EXPECT_EQ(host.cause, "");
    EXPECT_TRUE(host.notes.empty());
  };
  alone({stalled(1883, 0), stalled(1883, 100)});                                // only two
  alone({stalled(1883, 0), stalled(1883, 100), stalled(1883, kSecondUs + 1)});  // third too late
  alone({stalled(1883, 0), stalled(1883, 100), stalled(1883, 200, 999'999)});   // third too short
  Case elsewhere = stalled(1883, 200);
  elsewhere.connection.server.address = v4(198, 51, 100, 8);
  alone({stalled(1883, 0), stalled(1883, 100), elsewhere});
}

// 192.0.2.10 receives `in` from 198.51.100.7 and sends `on` to 203.0.113.5 at the same time.
struct Relay {
  Case in = window_limited();
  Case on = download();
  Relay() {
    in.direction.bytes = 8'000'000;
    in.direction.duration_us = 10 * kSecondUs;
    on.connection.client = {v4(203, 0, 113, 5), 40'000};
    on.connection.server = {v4(192, 0, 2, 10), 8080};
    on.direction.limit = Limit::sender_app;
    on.direction.bytes = 8'000'000;
    on.direction.duration_us = 10 * kSecondUs;
  }
  [[nodiscard]] std::vector<std::string> notes() const {
    return host_of({in, on}, v4(192, 0, 2, 10)).notes;
  }
};

TEST(HostFindings, TwoLegsOfAProxy) {
  EXPECT_THAT(Relay().notes(),
              testing::ElementsAre(HasSubstr("the leg from 198.51.100.7 is held by its receive "
                                             "window, and the leg to 203.0.113.5 only waits")));
}

TEST(HostFindings, TwoTransfersThatAreNoLegs) {
  Relay less;
  less.on.direction.bytes = 7'100'000;  // a tenth and more is missing
  EXPECT_TRUE(less.notes().empty());
  less.on.direction.bytes = 7'300'000;
  EXPECT_EQ(less.notes().size(), 1U);
  Relay later;
  later.on.connection.start_ns = 2'100'000'000;  // a fifth and more of the time apart
  EXPECT_TRUE(later.notes().empty());
  later.on.connection.start_ns = 1'900'000'000;
  EXPECT_EQ(later.notes().size(), 1U);
  Relay busy;
  busy.on.direction.limit = Limit::bandwidth;  // does not wait
  EXPECT_TRUE(busy.notes().empty());
  Relay held;
  held.in.direction.limit = Limit::bandwidth;  // the window does not hold it
  EXPECT_TRUE(held.notes().empty());
  Relay other;
  other.on.connection.server.address = v4(192, 0, 2, 11);
  EXPECT_TRUE(other.notes().empty());
  Relay small;
  small.in.direction.bytes = small.on.direction.bytes = 99'999;
  EXPECT_TRUE(small.notes().empty());
}

}  // namespace
}  // namespace rwin::rules
