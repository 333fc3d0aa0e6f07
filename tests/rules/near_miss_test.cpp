// Findings on both sides of what decides them.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "flows.h"

namespace rwin::rules {
namespace {

using namespace test;
using testing::HasSubstr;

std::string cause(const Case& c) { return c.assess().verdict.cause; }

// ---- only segments above the MSS are lost ----

Case large_lost() {
  Case c = download();
  c.direction.limit = Limit::congestion;
  c.direction.window_max = 3'000'000;
  c.direction.retransmitted_segments = 40;
  c.direction.large_segments = 50;
  c.direction.large_again = 45;
  c.direction.plain_segments = 600;
  c.direction.plain_again = 5;
  return c;
}

TEST(NearMiss, LargeSegmentsLost) {
  const Assessment a = large_lost().assess();
  EXPECT_EQ(a.verdict.cause, "large-segments-lost");
  EXPECT_THAT(a.verdict.unproven, testing::Contains("offload"));
  const Advice* advice = find(a, "offload.forwarding");
  ASSERT_NE(advice, nullptr);
  EXPECT_EQ(advice->role, Role::middlebox);
  EXPECT_EQ(place_of(*advice), "in the path") << "the host named is where one looks from";
  EXPECT_FALSE(advice->window_bytes.has_value());

  Case c = large_lost();
  c.direction.large_again = 39;  // a fifth and more got through
  EXPECT_EQ(cause(c), "loss");
  c = large_lost();
  c.direction.plain_again = 61;  // segments of the usual size are lost as well
  EXPECT_EQ(cause(c), "loss");
  c = large_lost();
  c.direction.large_segments = c.direction.large_again = 4;  // too few to tell
  EXPECT_EQ(cause(c), "loss");
  c = large_lost();
  c.direction.plain_segments = 4;
  c.direction.plain_again = 0;
  EXPECT_EQ(cause(c), "loss");
  c = large_lost();
  c.direction.limit = Limit::receiver_window;  // it costs nothing here
  EXPECT_NE(cause(c), "large-segments-lost");
}

// ---- who ends the window of a Linux host: its system or a program ----

// A download whose window stands at `window` after a SYN with `first` and `shift`.
Case linux_window(std::uint64_t window, std::uint16_t first, int shift) {
  Case c = window_limited(window, 100'000);
  c.connection.client_offer = offer(kLinuxLayout, 64, first, shift);
  c.direction.scale.shift = static_cast<std::uint8_t>(shift);
  c.direction.window_field_max = static_cast<std::uint32_t>(window >> shift);
  c.direction.window_first = std::min<std::uint64_t>(first, window);
  c.settings.target_bps = 50e6;
  return c;
}

bool first_change_is_tcp_rmem(const Case& c) {
  const Assessment a = c.assess();
  return !a.advice.empty() && a.advice.front().id.ends_with(".buffer-capped") &&
         mentions(a.advice.front().change, "net.ipv4.tcp_rmem=");
}

TEST(NearMiss, ALoweredTcpRmemIsTheSystems) {
  // rmem_max of 4 MiB keeps the shift at 7, whatever tcp_rmem is.
  for (const Case& c : {linux_window(42'112, 32'120, 7),   // tcp_rmem 4096 65536 65536
                        linux_window(26'880, 20'440, 7),   // 4096 42000 42000
                        linux_window(26'880, 20'440, 10),  // the same where rmem_max is 32 MiB
                        linux_window(38'400, 7'300, 7),    // 4096 16384 60000
                        linux_window(82'176, 64'240, 7),   // 4096 131072 128000
                        linux_window(115'584, 64'240, 7),  // 4096 131072 180000
                        linux_window(164'352, 64'240, 7)}) {
    EXPECT_EQ(cause(c), "buffer-capped") << c.direction.window_max.value_or(0);
    EXPECT_TRUE(first_change_is_tcp_rmem(c)) << c.direction.window_max.value_or(0);
    EXPECT_TRUE(mentions(c.assess().verdict.notes, "would have lowered the shift too"));
    EXPECT_TRUE(has(c.assess().verdict.unproven, "buffer_owner")) << "it may be set afterwards";
    EXPECT_TRUE(c.assess().advice.size() > 1 && c.assess().advice[1].id.ends_with(".buffer-fixed"))
        << "the second thing to look at";
  }
}

TEST(NearMiss, TheSameAtAServer) {
  Case c = linux_window(42'112, 32'120, 7);
  std::swap(c.connection.client, c.connection.server);
  c.connection.server_offer = offer(kLinuxLayout, 64, 31'856, 7);  // 22 x 1448
  c.connection.client_offer = linux_offer();
  c.direction.from_client = true;
  EXPECT_EQ(cause(c), "buffer-capped");
  EXPECT_TRUE(first_change_is_tcp_rmem(c));
}

TEST(NearMiss, ASmallShiftIsTheProgramsOwnBuffer) {
  EXPECT_EQ(cause(linux_window(42'112, 32'120, 0)), "buffer-fixed");
  EXPECT_EQ(cause(linux_window(82'176, 64'240, 1)), "buffer-fixed");
  EXPECT_EQ(cause(linux_window(358'664, 64'240, 3)), "buffer-fixed");
}

TEST(NearMiss, AWindowThatNeverPassesTheUsualFirstOneIsTheProgramsOwnBuffer) {
  // Set after the handshake: the system would have let it grow past 64240.
  EXPECT_EQ(cause(linux_window(32'768, 64'240, 7)), "buffer-fixed");
  EXPECT_EQ(cause(linux_window(64'256, 64'240, 7)), "buffer-fixed");
  // SO_RCVBUF 65536 on 6.6 to 6.9: a quarter of 128 KiB.
  EXPECT_EQ(cause(linux_window(32'768, 32'120, 7)), "buffer-fixed");
  // The default of rmem_max, where setsockopt ends.
  EXPECT_EQ(cause(linux_window(212'992, 64'240, 7)), "buffer-fixed");
}

TEST(NearMiss, WithoutTheHandshakeTheShiftTellsNothing) {
  Case c = linux_window(42'112, 32'120, 7);
  c.direction.scale.inferred = true;
  c.connection.client_offer = {};
  EXPECT_FALSE(mentions(c.assess().verdict.notes, "would have lowered the shift too"));
}

TEST(NearMiss, OtherSystemsChooseTheirShiftOtherwise) {
  Case c = linux_window(42'112, 65'535, 6);
  c.connection.client_offer = macos_offer(6);
  c.direction.window_first = 42'112;
  EXPECT_EQ(cause(c), "buffer-fixed");
  c.connection.client_offer = windows_offer(8);
  c.direction.scale.shift = 8;
  EXPECT_EQ(cause(c), "buffer-fixed");
}

// ---- a program known by its port alone ----

TEST(NearMiss, APortIsAHintAndSaysSo) {
  Case c = window_limited(32'768);
  c.connection.server.port = 5201;
  const Assessment a = c.assess();
  const Advice* iperf = find(a, "iperf.buffer-fixed");
  ASSERT_NE(iperf, nullptr);
  EXPECT_THAT(iperf->because, testing::StartsWith("Only port 5201 points to iperf, iperf3. "));
  c.connection.server.port = 5202;
  EXPECT_EQ(find(c.assess(), "iperf.buffer-fixed"), nullptr);
}

TEST(NearMiss, AFileServerIsToldOnce) {
  Case c = window_limited(65'536, 15'000);
  c.direction.from_client = true;
  c.connection.server.port = 445;
  c.settings.target_bps = 900e6;
  const Assessment a = c.assess();
  EXPECT_EQ(a.verdict.cause, "buffer-fixed");
  const Advice* samba = find(a, "samba.buffer-fixed");
  ASSERT_NE(samba, nullptr);
  EXPECT_THAT(samba->because, HasSubstr("SO_RCVBUF holds what is copied to the server"));
  EXPECT_FALSE(mentions(a.verdict.notes, "socket options"));
  c.direction.from_client = false;  // copied from it: the client's window
  EXPECT_EQ(find(c.assess(), "samba.buffer-fixed"), nullptr);
}

}  // namespace
}  // namespace rwin::rules
