#include <gtest/gtest.h>

#include "flows.h"

namespace rwin::rules {
namespace {

using test::HandshakeSide;
using test::offer;

struct Syn {
  const char* layout;
  std::uint8_t ttl;
  std::uint16_t window;
  int shift;
  const char* os;
  const char* platform;
};

// SYNs as published by collectors of fingerprints.
constexpr Syn kSyns[] = {
    {"mss,sok,ts,nop,ws", 64, 64240, 7, "Linux 4.20 to 6.15", "linux"},
    {"mss,sok,ts,nop,ws", 51, 64240, 7, "Linux 4.20 to 6.15", "linux"},
    {"mss,sok,ts,nop,ws", 64, 64240, 10, "Linux 6.16 or later", "linux"},
    {"mss,sok,ts,nop,ws", 64, 64240, 9, "Linux 4.20 or later", "linux"},
    {"mss,sok,ts,nop,ws", 64, 32120, 7, "Linux 6.6 to 6.9", "linux"},
    {"mss,sok,ts,nop,ws", 64, 32120, 0, "Linux 2.2", "linux-2.6"},
    {"mss,sok,ts,nop,ws", 64, 29200, 7, "Linux 3.11 to 4.19", "linux"},
    {"mss,sok,ts,nop,ws", 64, 14600, 5, "Linux 3.1 to 3.10", "linux"},
    {"mss,sok,ts,nop,ws", 64, 5840, 7, "Linux 2.6", "linux-2.6"},
    {"mss,sok,ts,nop,ws", 64, 5840, 1, "Linux 2.4", "linux-2.6"},
    {"mss,nop,nop,sok,nop,ws", 64, 64240, 7, "Linux 4.20 to 6.15", "linux"},
    {"mss,sok,ts,nop,ws", 64, 26280, 0, "Linux", "linux"},  // a program's own receive buffer
    {"mss,sok,ts", 64, 64240, -1, "Linux 4.20 or later", "linux"},  // scaling switched off
    {"mss,sok,ts,nop,ws", 64, 65535, 8, "Android 5 to 10", "device"},
    {"mss,nop,nop,sok", 128, 16384, -1, "Windows 2000 or XP", "windows-xp"},
    {"mss,nop,ws,nop,nop,sok", 128, 8192, 8, "Windows Vista to 10 1607", "windows"},
    {"mss,nop,ws,nop,nop,sok", 117, 64240, 8, "Windows 10 1703 or later", "windows"},
    {"mss,nop,ws,nop,nop,sok", 128, 65535, 8, "Windows 10 1703 or later", "windows"},
    {"mss,nop,ws,sok,ts", 128, 64240, 8, "Windows 10 1703 or later", "windows"},
    {"mss,nop,ws,nop,nop,sok", 128, 64240, 4, "Windows 10 or later, autotuning restricted",
     "windows"},
    {"mss,nop,ws,nop,nop,sok", 128, 64240, 2, "Windows 10 or later, autotuning restricted",
     "windows"},
    {"mss,nop,nop,sok", 128, 64240, -1, "Windows with autotuning disabled, or XP", "windows"},
    {"mss,nop,nop,sok", 128, 8192, -1, "Windows Vista to 10 1607, autotuning disabled", "windows"},
    {"mss,nop,ws,nop,nop,ts", 64, 32768, 0, "Mac OS X 10.0 to 10.2", "macos-10.4"},
    {"mss,nop,ws,nop,nop,ts", 64, 65535, 0, "Mac OS X 10.3 or 10.4", "macos-10.4"},
    {"mss,nop,ws,nop,nop,ts,sok,eol", 64, 65535, 0, "Mac OS X 10.3 or 10.4", "macos-10.4"},
    {"mss,nop,ws,nop,nop,ts", 64, 65535, 5, "Mac OS X 10.3 or 10.4, tuned", "macos-10.4"},
    {"mss,nop,ws,nop,nop,ts,sok,eol", 64, 65535, 3, "Mac OS X 10.5 to 10.7", "macos-10.5"},
    {"mss,nop,ws,nop,nop,ts,sok,eol", 64, 65535, 4, "OS X 10.8 or 10.9", "macos-10.8"},
    {"mss,nop,ws,nop,nop,ts,sok,eol", 64, 65535, 5, "macOS 10.10 to 10.13, or 11 or later",
     "macos-10.8"},
    {"mss,nop,ws,nop,nop,ts,sok,eol", 64, 65535, 6, "macOS 10.14 or later", "macos"},
    {"mss,nop,ws,sok,ts", 64, 65535, 6, "FreeBSD 9 or later", "generic"},
    {"mss,nop,ws,sok,ts", 64, 65535, 3, "FreeBSD 7 or 8", "generic"},
    {"mss,nop,nop,sok,nop,ws,nop,nop,ts", 64, 16384, 3, "OpenBSD", "generic"},
    {"mss,nop,ws,nop,nop,sok", 64, 49640, 0, "Solaris 10", "generic"},
    {"mss", 255, 4128, -1, "Cisco IOS", "generic"},
    {"mss", 255, 5760, -1, "Device with a small TCP stack", "device"},
    {"mss,nop,ws,nop,nop,sok", 64, 17520, 0, "Xbox 360", "device"},
};

TEST(Fingerprint, KnownSyns) {
  for (const Syn& syn : kSyns) {
    const OsGuess guess =
        Catalogue::built_in().guess(offer(syn.layout, syn.ttl, syn.window, syn.shift), false);
    EXPECT_EQ(guess.os, syn.os) << syn.layout << " " << syn.window << " " << syn.shift;
    ASSERT_FALSE(guess.platforms.empty()) << syn.layout;
    EXPECT_EQ(guess.platforms.front(), syn.platform) << syn.layout << " " << syn.window;
    EXPECT_GT(guess.confidence, 0);
    EXPECT_LE(guess.confidence, 1);
  }
}

TEST(Fingerprint, MssLoweredOnTheWayKeepsTheSystem) {
  // Window 64240 is 44 x 1460, no multiple of the clamped MSS 1452; and 44 x 1452 of a host behind
  // PPPoE.
  EXPECT_EQ(Catalogue::built_in().guess(offer("mss,sok,ts,nop,ws", 60, 64240, 7, 1452), false).os,
            "Linux 4.20 to 6.15");
  EXPECT_EQ(Catalogue::built_in().guess(offer("mss,sok,ts,nop,ws", 60, 63888, 7, 1452), false).os,
            "Linux 4.20 to 6.15");
}

TEST(Fingerprint, AnswersCountLess) {
  const HandshakeSide answer = offer("mss,sok,ts,nop,ws", 64, 65160, 7);
  const OsGuess guess = Catalogue::built_in().guess(answer, true);
  EXPECT_EQ(guess.os, "Linux 4.20 to 6.15");
  EXPECT_LT(
      guess.confidence,
      Catalogue::built_in().guess(offer("mss,sok,ts,nop,ws", 64, 64240, 7), false).confidence);
  // An answer without scale may only mean that the SYN had none.
  EXPECT_EQ(Catalogue::built_in().guess(offer("mss,sok,ts", 64, 28960, -1), true).os,
            "Linux 3.11 to 4.19");
}

TEST(Fingerprint, SilentWhereNothingIsKnown) {
  EXPECT_TRUE(Catalogue::built_in().guess(HandshakeSide{}, false).os.empty());
  HandshakeSide cut = offer("mss,sok,ts,nop,ws", 64, 64240, 7);
  cut.options_cut = true;
  EXPECT_TRUE(Catalogue::built_in().guess(cut, false).os.empty());
  EXPECT_TRUE(Catalogue::built_in().guess(offer("ts,mss,ws", 64, 1234, 3), false).os.empty());
  // The order of Windows with the TTL of Linux is neither.
  EXPECT_NE(Catalogue::built_in().guess(offer("mss,nop,ws,nop,nop,sok", 64, 64240, 8), false).os,
            "Windows 10 1703 or later");
}

TEST(Fingerprint, InitialTtl) {
  EXPECT_EQ(initial_ttl(1), 32);
  EXPECT_EQ(initial_ttl(32), 32);
  EXPECT_EQ(initial_ttl(33), 64);
  EXPECT_EQ(initial_ttl(64), 64);
  EXPECT_EQ(initial_ttl(117), 128);
  EXPECT_EQ(initial_ttl(129), 255);
  EXPECT_EQ(initial_ttl(255), 255);
}

}  // namespace
}  // namespace rwin::rules
