// The text of commands, to the byte: 25 Mbit/s at 330 ms, MSS 1460, so a window of 1032224 bytes
// (1031250 up to whole segments, then to the scale).
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "flows.h"

namespace rwin::rules {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using namespace test;

constexpr std::uint64_t kWindow = 1'032'224;

Case fixed_at_32k(const HandshakeSide& receiver) {
  Case c = window_limited();
  c.connection.client_offer = receiver;
  c.direction.scale.shift = receiver.window_scale.value;
  c.settings.target_bps = 25e6;
  return c;
}

// Grew from 64 KiB to 256 KiB and stayed.
Case capped_at_256k(const HandshakeSide& receiver) {
  Case c = window_limited(262'144);
  c.connection.client_offer = receiver;
  c.direction.scale.shift = receiver.window_scale.value;
  c.direction.window_first = 65'536;
  c.direction.window_max_at_us = 4'000'000;
  c.settings.target_bps = 25e6;
  return c;
}

TEST(Commands, LinuxCeiling) {
  const Assessment a = capped_at_256k(linux_offer()).assess();
  EXPECT_EQ(a.verdict.cause, "buffer-capped");
  const Advice* advice = find(a, "linux.buffer-capped");
  ASSERT_NE(advice, nullptr);
  EXPECT_EQ(advice, &a.advice.front());
  EXPECT_EQ(advice->host, "192.0.2.10");
  EXPECT_EQ(advice->platform, "linux");
  EXPECT_EQ(advice->role, Role::receiver);
  EXPECT_EQ(advice->window_bytes, kWindow);
  EXPECT_EQ(advice->buffer_bytes, 2 * kWindow);
  EXPECT_DOUBLE_EQ(advice->expected_bps.value(), 25e6);
  EXPECT_THAT(advice->look, ElementsAre("sysctl net.ipv4.tcp_rmem net.ipv4.tcp_moderate_rcvbuf",
                                        HasSubstr("ss -tmi dst 198.51.100.7 ")));
  EXPECT_THAT(advice->change,
              ElementsAre("sudo sysctl -w net.ipv4.tcp_moderate_rcvbuf=1",
                          "sudo sysctl -w net.ipv4.tcp_rmem=\"4096 131072 2064448\""));
  EXPECT_THAT(
      advice->persist,
      ElementsAre("printf 'net.ipv4.tcp_moderate_rcvbuf = 1\\nnet.ipv4.tcp_rmem = 4096 131072 "
                  "2064448\\n' | sudo tee /etc/sysctl.d/90-tcp-window.conf"));
  EXPECT_THAT(
      advice->undo,
      ElementsAre("sudo rm -f /etc/sysctl.d/90-tcp-window.conf",
                  "sudo sysctl -w net.ipv4.tcp_rmem=\"<the three values from the look step>\"",
                  "sudo sysctl -w net.ipv4.tcp_moderate_rcvbuf=<the value from the look step>"));
}

TEST(Commands, LinuxProgramBuffer) {
  const Assessment a = fixed_at_32k(linux_offer()).assess();
  EXPECT_EQ(a.verdict.cause, "buffer-fixed");
  const Advice* advice = find(a, "linux.buffer-fixed");
  ASSERT_NE(advice, nullptr);
  EXPECT_EQ(advice->buffer_bytes, kWindow);
  EXPECT_TRUE(has(advice->change, "sudo sysctl -w net.core.rmem_max=1032224"));
  // The kernel's ceiling before the program's value.
  const auto limit = std::find(advice->change.begin(), advice->change.end(),
                               "sudo sysctl -w net.core.rmem_max=1032224");
  EXPECT_THAT(*(limit + 1), HasSubstr("1032224"));
  EXPECT_EQ(find(a, "linux.buffer-capped"), nullptr) << "3 MiB of window come untouched";
}

TEST(Commands, LinuxProgramBufferAndCeilingWhereThreeMebibytesAreNotEnough) {
  Case c = fixed_at_32k(linux_offer());
  c.settings.target_bps = 250e6;
  const Assessment a = c.assess();
  EXPECT_NE(find(a, "linux.buffer-fixed"), nullptr);
  EXPECT_NE(find(a, "linux.buffer-capped"), nullptr);
}

TEST(Commands, OldLinuxTakesFourThirds) {
  const Assessment a = capped_at_256k(offer(kLinuxLayout, 64, 5840, 7)).assess();
  const Advice* advice = find(a, "linux-2.6.buffer-capped");
  ASSERT_NE(advice, nullptr);
  EXPECT_EQ(advice->buffer_bytes, 1'376'299U);  // ceil(1032224 x 4 / 3)
  EXPECT_TRUE(has(advice->change, "sudo sysctl -w net.ipv4.tcp_rmem=\"4096 87380 1376299\""));
}

TEST(Commands, MacOsTigerLimitFirst) {
  const Assessment a = fixed_at_32k(tiger_offer()).assess();
  const Advice* advice = find(a, "macos-10.4.buffer-fixed");
  ASSERT_NE(advice, nullptr);
  EXPECT_EQ(advice->window_bytes, kWindow);
  EXPECT_EQ(advice->buffer_bytes, kWindow);
  EXPECT_THAT(advice->change, ElementsAre("sudo sysctl -w kern.ipc.maxsockbuf=1161252",
                                          "sudo sysctl -w net.inet.tcp.recvspace=1032224"));
  EXPECT_THAT(advice->persist,
              ElementsAre("# Only the values that were raised:",
                          "echo 'kern.ipc.maxsockbuf=1161252' | sudo tee -a /etc/sysctl.conf",
                          "echo 'net.inet.tcp.recvspace=1032224' | sudo tee -a /etc/sysctl.conf"));
  // Lowered in the opposite order.
  EXPECT_EQ(advice->undo[0],
            "sudo sysctl -w net.inet.tcp.recvspace=<the value from the look step>");
  EXPECT_EQ(advice->undo[1], "sudo sysctl -w kern.ipc.maxsockbuf=<the value from the look step>");
}

TEST(Commands, MacOsToday) {
  const Assessment a = capped_at_256k(macos_offer()).assess();
  const Advice* advice = find(a, "macos.buffer-capped");
  ASSERT_NE(advice, nullptr);
  EXPECT_EQ(advice, &a.advice.front());
  EXPECT_TRUE(has(advice->change, "sudo sysctl -w kern.ipc.maxsockbuf=1161252"));
  EXPECT_TRUE(has(advice->change, "sudo sysctl -w net.inet.tcp.autorcvbufmax=1032224"));
  EXPECT_TRUE(mentions(advice->persist, "kern.ipc.maxsockbuf=1161252' /Library/LaunchDaemons/"));
  EXPECT_FALSE(mentions(advice->persist, "/etc/sysctl.conf")) << "not read from macOS 11 on";
}

TEST(Commands, WindowsXp) {
  Case c = fixed_at_32k(offer("mss,nop,nop,sok", 128, 16384, -1));
  c.direction.scale = {Presence::absent, 0, false};
  c.direction.window_field_max = 32'768;
  const Assessment a = c.assess();
  EXPECT_EQ(a.verdict.cause, "scaling-absent-receiver");
  const Advice* advice = find(a, "windows-xp.scaling-off");
  ASSERT_NE(advice, nullptr);
  EXPECT_EQ(advice->window_bytes, kWindow);
  constexpr std::string_view kKey =
      R"(reg add HKLM\SYSTEM\CurrentControlSet\Services\Tcpip\Parameters /v )";
  EXPECT_THAT(
      advice->change,
      ElementsAre(std::string(kKey) + "GlobalMaxTcpWindowSize /t REG_DWORD /d 1032224 /f",
                  std::string(kKey) + "TcpWindowSize /t REG_DWORD /d 1032224 /f",
                  std::string(kKey) + "Tcp1323Opts /t REG_DWORD /d 1 /f", "shutdown -r -t 60"));
  EXPECT_THAT(advice->takes_effect, HasSubstr("restart"));
}

TEST(Commands, WindowsAutotuningDisabled) {
  Case c = window_limited(65'535);
  c.connection.client_offer = offer("mss,nop,nop,sok", 128, 8192, -1);
  c.direction.scale = {Presence::absent, 0, false};
  c.direction.window_field_max = 65'535;
  c.settings.target_bps = 25e6;
  const Assessment a = c.assess();
  EXPECT_EQ(a.verdict.cause, "scaling-absent-receiver");
  const Advice* advice = find(a, "windows-vista.scaling-off");
  ASSERT_NE(advice, nullptr);
  EXPECT_EQ(advice->window_bytes, kWindow);
  EXPECT_FALSE(advice->buffer_bytes.has_value()) << "there is no buffer value to configure";
  EXPECT_THAT(advice->change, ElementsAre("netsh interface tcp set heuristics disabled",
                                          "netsh interface tcp set global autotuninglevel=normal"));
  EXPECT_THAT(advice->undo[0], HasSubstr("autotuninglevel=<the level from the look step>"));
}

TEST(Commands, WindowsRestrictedLevelShowsInTheShift) {
  Case c = capped_at_256k(windows_offer(2));
  c.direction.window_max = 262'140;
  c.direction.window_first = 262'140;  // flat, and still the system's cap
  const Assessment a = c.assess();
  EXPECT_EQ(a.verdict.cause, "buffer-capped");
  EXPECT_NE(find(a, "windows.buffer-capped"), nullptr);
}

TEST(Commands, UnknownSystemGetsAllLikelyOnes) {
  Case c = fixed_at_32k(HandshakeSide{});
  c.direction.scale = {Presence::known, 7, false};
  const Assessment a = c.assess();
  std::vector<std::string> platforms;
  for (const Advice& advice : a.advice) platforms.push_back(advice.platform);
  EXPECT_THAT(platforms, ElementsAre("linux", "macos", "windows"));
  EXPECT_TRUE(has(a.verdict.unproven, "platform"));
}

TEST(Commands, Ipv6PeersInBrackets) {
  Case c = capped_at_256k(linux_offer());
  c.connection.server.address.family = 6;
  c.connection.server.address.bytes = {0x20, 1, 0xd, 0xb8, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 7};
  const Assessment a = c.assess();
  EXPECT_TRUE(mentions(a.advice.front().look, "ss -tmi dst '[2001:db8::7]'"));
}

}  // namespace
}  // namespace rwin::rules
