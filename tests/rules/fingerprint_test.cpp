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

// SYNs as published by collectors of fingerprints: every row of p0f and satori that the notes on
// tuning list.
constexpr Syn kSyns[] = {
    // Linux 2.0, 2.2, 2.4, 2.6
    {"mss", 64, 512, -1, "Linux 2.0", "generic"},
    {"mss", 64, 16384, -1, "AIX, or Linux 2.0", "aix"},
    {"mss,sok,ts,nop,ws", 64, 32120, 0, "Linux 2.2", "generic"},
    {"mss,sok,ts,nop,ws", 64, 16060, 0, "Linux 2.2", "generic"},
    {"mss,sok,ts,nop,ws", 64, 5840, 0, "Linux 2.4", "linux-2.4"},
    {"mss,sok,ts,nop,ws", 64, 5840, 1, "Linux 2.4", "linux-2.4"},
    {"mss,sok,ts,nop,ws", 64, 5840, 3, "Linux 2.6", "linux-2.6"},
    {"mss,sok,ts,nop,ws", 64, 5840, 7, "Linux 2.6", "linux-2.6"},
    // Linux 3.1 and later
    {"mss,sok,ts,nop,ws", 64, 14600, 4, "Linux 3.1 to 3.10", "linux"},
    {"mss,sok,ts,nop,ws", 64, 14600, 5, "Linux 3.1 to 3.10", "linux"},
    {"mss,sok,ts,nop,ws", 64, 14600, 7, "Linux 3.1 to 3.10, or a television or media player",
     "linux"},
    {"mss,sok,ts,nop,ws", 64, 29200, 7, "Linux 3.11 to 4.19", "linux"},
    {"mss,sok,ts,nop,ws", 64, 29200, 10, "Linux 3.11 to 4.19", "linux"},
    {"mss,sok,ts,nop,ws", 64, 64240, 7, "Linux 4.20 to 6.15", "linux"},
    {"mss,sok,ts,nop,ws", 51, 64240, 7, "Linux 4.20 to 6.15", "linux"},
    {"mss,sok,ts,nop,ws", 64, 64240, 10, "Linux 6.16 or later", "linux-6.16"},
    {"mss,sok,ts,nop,ws", 64, 64240, 9, "Linux 4.20 or later", "linux"},
    {"mss,sok,ts,nop,ws", 64, 32120, 7, "Linux 6.6 to 6.9", "linux-6.6"},
    {"mss,nop,nop,sok,nop,ws", 64, 64240, 7, "Linux 4.20 to 6.15", "linux"},
    {"mss,nop,nop,sok,nop,ws", 64, 29200, 7, "Linux 3.11 to 4.19", "linux"},
    {"mss,sok,ts,nop,ws", 64, 26280, 0, "Linux", "linux"},  // a program's own receive buffer
    {"mss,sok,ts", 64, 64240, -1, "Linux 4.20 or later", "linux"},  // scaling switched off
    // Android, televisions
    {"mss,sok,ts,nop,ws", 64, 13880, 1, "Android 4 or earlier", "android"},
    {"mss,sok,ts,nop,ws", 64, 64240, 4,
     "Linux 4.20 or later with small buffers, or Android 4 or earlier", "linux"},
    {"mss,sok,ts,nop,ws", 64, 65535, 8, "Android 5 to 10, or a media player", "android"},
    {"mss,sok,ts,nop,ws", 64, 42340, 5, "Television or media player", "device"},
    {"mss,sok,ts,nop,ws", 64, 65535, 4, "Television or media player", "device"},
    // Windows
    {"mss", 32, 8192, -1, "Windows 95, 98 or NT 4", "windows-xp"},
    {"mss,nop,nop,sok", 32, 8192, -1, "Windows 95, 98 or NT 4", "windows-xp"},
    {"mss", 128, 8192, -1, "Windows 95, 98 or NT 4", "windows-xp"},
    {"mss,nop,nop,sok", 128, 16384, -1, "Windows 2000 or XP", "windows-xp"},
    {"mss,nop,ws,nop,nop,sok", 128, 64240, 0, "Windows 2000, XP or Server 2003, tuned",
     "windows-xp"},
    {"mss,nop,ws,nop,nop,sok", 128, 65535, 1, "Windows 2000, XP or Server 2003, tuned",
     "windows-xp"},
    {"mss,nop,ws,nop,nop,sok", 128, 16384, 2, "Windows 2000, XP or Server 2003, tuned",
     "windows-xp"},
    {"mss,nop,ws,nop,nop,sok", 128, 8192, 8, "Windows Vista to 10 1607", "windows-vista"},
    {"mss,nop,ws,nop,nop,sok", 128, 8192, 2, "Windows Vista to 10 1607", "windows-vista"},
    {"mss,nop,nop,sok", 128, 8192, -1,
     "Windows Vista to 10 1607, autotuning disabled, or 95, 98, NT 4", "windows-vista"},
    {"mss,nop,ws,nop,nop,sok", 117, 64240, 8, "Windows 10 1703 or later", "windows"},
    {"mss,nop,ws,nop,nop,sok", 128, 65535, 8, "Windows 10 1703 or later", "windows"},
    {"mss,nop,ws,sok,ts", 128, 64240, 8, "Windows 10 1703 or later", "windows"},
    {"mss,nop,ws,sok,ts", 128, 8192, 8, "Windows Vista to 10 1607", "windows-vista"},
    {"mss,nop,ws,nop,nop,sok", 128, 64240, 4, "Windows 10 or later, autotuning restricted",
     "windows"},
    {"mss,nop,ws,nop,nop,sok", 128, 64240, 2,
     "Windows 10 or later, autotuning highly restricted, or a tuned XP", "windows"},
    {"mss,nop,ws,nop,nop,sok", 128, 64240, 14, "Windows, autotuning experimental", "windows"},
    {"mss,nop,nop,sok", 128, 64240, -1, "Windows with autotuning disabled, or XP", "windows"},
    // Apple
    {"mss,ws,nop", 255, 32768, 0, "Mac OS 9", "generic"},
    {"mss,nop,ws,nop,nop,ts", 64, 32768, 0, "Mac OS X 10.0 to 10.2", "macos-10.4"},
    {"mss,nop,ws,nop,nop,ts", 64, 65535, 0, "Mac OS X 10.3 or 10.4, or FreeBSD 4", "macos-10.4"},
    {"mss,nop,ws,nop,nop,ts,sok,eol", 64, 65535, 0, "Mac OS X 10.4.8 to 10.4.11", "macos-10.4"},
    {"mss,nop,ws,nop,nop,ts", 64, 65535, 3, "Mac OS X 10.3 or 10.4, tuned", "macos-10.4"},
    {"mss,nop,ws,nop,nop,ts", 64, 65535, 5, "Mac OS X 10.3 or 10.4, tuned", "macos-10.4"},
    {"mss,nop,ws,nop,nop,ts,sok,eol", 64, 65535, 3, "Mac OS X 10.5 to 10.7", "macos-10.5"},
    {"mss,nop,ws,nop,nop,ts,sok,eol", 64, 65535, 4, "OS X 10.8 or 10.9", "macos-10.8"},
    {"mss,nop,ws,nop,nop,ts,sok,eol", 64, 65535, 5,
     "macOS 10.10 to 10.13, or 11 or later with little memory, or iOS", "macos-10.8"},
    {"mss,nop,ws,nop,nop,ts,sok,eol", 64, 65535, 6, "macOS 10.14 or later, or iOS", "macos"},
    {"mss,nop,ws,nop,nop,ts,sok,eol", 64, 65535, 7, "iOS 12 or later, or macOS 15 in server mode",
     "ios"},
    {"mss,nop,ws,nop,nop,ts,sok,eol", 64, 65535, 2, "iOS, old", "ios"},
    // BSD
    {"mss,nop,ws,nop,nop,ts", 64, 57344, 0, "FreeBSD 4", "generic"},
    {"mss,nop,ws,nop,nop,ts", 64, 16384, 0, "FreeBSD 4", "generic"},
    {"mss,nop,ws,nop,nop,ts", 64, 57344, 1, "FreeBSD 4", "generic"},
    {"mss,nop,ws,nop,nop,ts", 64, 16384, 1, "FreeBSD 4", "generic"},
    {"mss,nop,ws,nop,nop,ts,sok,eol", 64, 65535, 1, "FreeBSD 6, or Mac OS X 10.5 to 10.7",
     "macos-10.5"},
    {"mss,nop,ws,sok,ts", 64, 65535, 3, "FreeBSD 7 or 8", "freebsd-8"},
    {"mss,nop,ws,sok,ts", 64, 65535, 6, "FreeBSD 9 or later", "freebsd"},
    {"mss,nop,ws,sok,ts", 64, 65535, 9, "VMware ESXi, or FreeBSD with large buffers", "freebsd"},
    {"mss,nop,nop,sok,nop,ws,nop,nop,ts", 64, 16384, 0, "OpenBSD 3", "openbsd"},
    {"mss,nop,nop,sok,nop,ws,nop,nop,ts", 64, 16384, 3, "OpenBSD 4 or 5", "openbsd"},
    {"mss,nop,nop,sok,nop,ws,nop,nop,ts", 64, 16384, 6, "OpenBSD 6 or later", "openbsd"},
    // Commercial Unix
    {"nop,ws,nop,nop,ts,nop,nop,sok,mss", 64, 32850, 1, "Solaris 8", "solaris"},
    {"nop,nop,sok,mss", 64, 24820, -1, "Solaris 8", "solaris"},
    {"mss,nop,ws,nop,nop,sok", 64, 49640, 0, "Solaris 10", "solaris"},
    {"mss", 64, 65535, -1, "AIX", "aix"},
    // Network equipment, devices
    {"mss", 255, 4128, -1, "Cisco IOS", "cisco-ios"},
    {"mss,nop,ws", 64, 5840, 0, "Printer", "device"},
    {"mss,nop,ws", 64, 8760, 0, "Printer", "device"},
    {"mss,nop,ws", 64, 2920, 0, "Printer", "device"},
    {"mss,sok,nop,nop", 128, 6144, -1, "NetWare", "generic"},
    {"mss,sok,nop,nop", 128, 6143, -1, "NetWare", "generic"},
    {"mss,ws,nop", 128, 6144, 0, "NetWare", "generic"},
    {"mss,nop,ws,nop,nop,sok", 64, 17520, 0, "Xbox 360", "device"},
    {"mss,nop,ws,nop,nop,sok", 128, 65518, 8, "Xbox One", "device"},
    {"mss", 64, 32768, -1, "Nintendo console", "device"},
    {"mss", 255, 5760, -1, "Board with lwIP (ESP32)", "esp-idf"},
    {"mss", 64, 5744, -1, "Board with lwIP (ESP32)", "esp-idf"},
    {"mss", 255, 2144, -1, "Board with lwIP", "lwip"},
    {"mss", 64, 1400, -1, "Device with a small TCP stack", "device"},
    {"mss", 52, 1024, -1, "Port scan", "generic"},
};

// Answers (SYN-ACK), of systems that only show there or differ there.
constexpr Syn kAnswers[] = {
    {"mss,sok,ts,nop,ws", 64, 14480, 5, "Linux 3.1 to 3.10", "linux"},
    {"mss,sok,ts,nop,ws", 64, 28960, 7, "Linux 3.11 to 4.19", "linux"},
    {"mss,sok,ts,nop,ws", 64, 65160, 7, "Linux 4.20 to 6.15", "linux"},
    {"mss,ws,nop", 64, 32768, 0, "HP-UX 11", "hpux"},
    {"mss", 255, 4128, -1, "Cisco IOS", "cisco-ios"},
    {"mss,nop,nop,ts,sok,eol", 255, 4380, -1, "F5 BIG-IP (a proxy)", "f5"},
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

TEST(Fingerprint, KnownAnswers) {
  for (const Syn& syn : kAnswers) {
    const OsGuess guess =
        Catalogue::built_in().guess(offer(syn.layout, syn.ttl, syn.window, syn.shift), true);
    EXPECT_EQ(guess.os, syn.os) << syn.layout << " " << syn.window << " " << syn.shift;
    ASSERT_FALSE(guess.platforms.empty()) << syn.layout;
    EXPECT_EQ(guess.platforms.front(), syn.platform) << syn.layout << " " << syn.window;
  }
}

TEST(Fingerprint, TheShiftTellsTheSetting) {
  const auto setting = [](const HandshakeSide& side, bool answer = false) {
    return Catalogue::built_in().guess(side, answer).setting;
  };
  // Windows: the autotuning level.
  EXPECT_EQ(setting(test::windows_offer(8)), "autotuning level normal: up to 16776960 bytes");
  EXPECT_EQ(setting(test::windows_offer(4)), "autotuning level restricted: at most 1048560 bytes");
  EXPECT_EQ(
      setting(test::windows_offer(2)),
      "autotuning level highly restricted, or a program in compatibility mode: at most 262140 "
      "bytes");
  EXPECT_EQ(setting(test::windows_offer(14)), "autotuning level experimental");
  EXPECT_EQ(setting(test::windows_offer(-1)), "autotuning level disabled: at most 65535 bytes");
  // Linux: the ceiling of the receive buffer.
  EXPECT_EQ(setting(test::linux_offer(7)),
            "receive buffers of 4 to 8 MiB, the default before 6.16");
  EXPECT_EQ(setting(test::linux_offer(10)),
            "receive buffers of 32 to 64 MiB, the default from 6.16 on");
  EXPECT_EQ(setting(test::linux_offer(9)), "receive buffers of 16 to 32 MiB");
  EXPECT_EQ(setting(test::linux_offer(12)), "receive buffers of 128 to 256 MiB");
  EXPECT_EQ(setting(test::linux_offer(2)), "receive buffers up to 256 KiB");
  EXPECT_EQ(setting(test::linux_offer(-1)), "window scaling switched off");
  EXPECT_EQ(setting(offer("mss,sok,ts", 64, 65160, -1), true), "")
      << "an answer without the option may follow a SYN without it";
}

TEST(Fingerprint, TwoThatFitEquallyWellAreBothNamed) {
  Catalogue::Texts texts = Catalogue::built_in_texts();
  texts.fingerprints = {{"f.toml", R"(
[[signature]]
os = "A"
platforms = ["linux"]
layout = ["mss,sok"]
[[signature]]
os = "B"
platforms = ["freebsd"]
layout = ["mss,sok"]
)"}};
  std::vector<std::string> errors;
  const Catalogue catalogue = Catalogue::parse({texts}, errors);
  ASSERT_TRUE(errors.empty());
  const OsGuess guess = catalogue.guess(offer("mss,sok", 64, 1000, -1), false);
  EXPECT_TRUE(guess.ambiguous);
  EXPECT_EQ(guess.os, "A or B");
  EXPECT_EQ(guess.platforms, (std::vector<std::string>{"linux", "freebsd"}));
  EXPECT_FALSE(Catalogue::built_in().guess(test::linux_offer(7), false).ambiguous);
}

TEST(Fingerprint, OptionsOfThePrograms) {
  // Multipath TCP behind the usual list; Fast Open with its padding.
  for (const auto& more : {std::vector<std::uint8_t>{30}, std::vector<std::uint8_t>{34, 1, 1}}) {
    HandshakeSide syn = test::linux_offer(7);
    for (const std::uint8_t kind : more) syn.option_kinds[syn.option_kind_count++] = kind;
    const OsGuess guess = Catalogue::built_in().guess(syn, false);
    EXPECT_EQ(guess.os, "Linux 4.20 to 6.15");
    EXPECT_GT(guess.confidence, 0.9);
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
