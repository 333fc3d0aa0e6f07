#include <gtest/gtest.h>

#include "flows.h"
#include "rules/calc.h"

namespace rwin::rules {
namespace {

using namespace test;

class Hosts : public testing::Test {
 protected:
  void add(const Case& c) {
    ConnectionResult whole = c.connection;
    whole.directions.push_back(c.direction);
    table_.add(whole, whole.directions[0],
               assess(whole, whole.directions[0], settings_, Catalogue::built_in()));
  }
  Settings settings_;
  HostTable table_{settings_, Catalogue::built_in()};
};

TEST_F(Hosts, OneRowForEachReceiverSizedForTheFarthestSender) {
  Case near = window_limited(32'768, 28'000);
  near.direction.capacity_bps = 25e6;
  near.direction.capacity_from = analysis::CapacityFrom::dispersion;
  Case far = window_limited(32'768, 330'000);
  far.connection.server.address = v4(203, 0, 113, 9);
  Case other = download();
  other.connection.client.address = v4(192, 0, 2, 22);
  other.direction.limit = Limit::bandwidth;
  add(near);
  add(other);
  add(far);
  add(near);

  const auto hosts = table_.finish();
  ASSERT_EQ(hosts.size(), 2U);
  EXPECT_EQ(hosts[0].address, v4(192, 0, 2, 10));
  EXPECT_EQ(hosts[0].os, "Linux 4.20 to 6.15");
  EXPECT_EQ(hosts[0].connections, 3U);
  EXPECT_EQ(hosts[0].window_limited, 3U);
  EXPECT_EQ(hosts[0].worst_rtt_us, 330'000);
  // The rate seen near by, at the distance of the far one.
  EXPECT_EQ(hosts[0].needed_window_bytes, round_window(needed_window(25e6, 330'000), 1460));
  ASSERT_FALSE(hosts[0].advice.empty());
  EXPECT_EQ(hosts[0].advice.front().window_bytes, hosts[0].needed_window_bytes);

  EXPECT_EQ(hosts[1].connections, 1U);
  EXPECT_EQ(hosts[1].window_limited, 0U);
  EXPECT_FALSE(hosts[1].worst_rtt_us.has_value());
  EXPECT_FALSE(hosts[1].needed_window_bytes.has_value());
  EXPECT_TRUE(hosts[1].advice.empty());
}

TEST_F(Hosts, UploadsCountForTheServer) {
  Case up = window_limited();
  up.direction.from_client = true;
  add(up);
  const auto hosts = table_.finish();
  ASSERT_EQ(hosts.size(), 1U);
  EXPECT_EQ(hosts[0].address, v4(198, 51, 100, 7));
}

TEST_F(Hosts, ManyReceivers) {
  Case c = download();
  c.direction.limit = Limit::sender_app;
  for (int i = 0; i < 70'000; ++i) {
    c.connection.client.address =
        v4(10, static_cast<std::uint8_t>(i >> 16), static_cast<std::uint8_t>(i >> 8),
           static_cast<std::uint8_t>(i));
    add(c);
  }
  EXPECT_EQ(table_.finish().size(), 70'000U);
}

}  // namespace
}  // namespace rwin::rules
