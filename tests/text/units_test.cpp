#include "text/units.h"

#include <gtest/gtest.h>

#include <clocale>

namespace rwin {
namespace {

TEST(ParseRate, TakesBitsWithEitherKindOfMultiple) {
  EXPECT_EQ(parse_rate("25M"), 25e6);
  EXPECT_EQ(parse_rate("25m"), 25e6);
  EXPECT_EQ(parse_rate("25Mi"), 25.0 * 1024 * 1024);
  EXPECT_EQ(parse_rate("25mi"), 25.0 * 1024 * 1024);
  EXPECT_EQ(parse_rate("800k"), 800e3);
  EXPECT_EQ(parse_rate("1.5G"), 1.5e9);
  EXPECT_EQ(parse_rate("1Gi"), 1073741824.0);
  EXPECT_EQ(parse_rate("64000"), 64000.0);
  EXPECT_EQ(parse_rate("25Mbit/s"), 25e6);
  EXPECT_EQ(parse_rate("25 Mbit/s"), 25e6);
  EXPECT_EQ(parse_rate("10mbps"), 10e6);
  EXPECT_EQ(parse_rate("300bit/s"), 300.0);
}

TEST(ParseRate, RefusesWhatIsNoRate) {
  for (const char* text : {"", "M", "-1M", "+1M", "0", "0M", "25MB", "25MB/s", "25M!", "1e6", "inf",
                           "nan", "0x10", ".5M", "1.2.3M", "25 M M", "9999999999999T", "25Mii"}) {
    EXPECT_EQ(parse_rate(text), std::nullopt) << text;
  }
}

TEST(ParseTime, NeedsItsUnit) {
  EXPECT_EQ(parse_time_us("330ms"), 330'000);
  EXPECT_EQ(parse_time_us("28 ms"), 28'000);
  EXPECT_EQ(parse_time_us("0.33s"), 330'000);
  EXPECT_EQ(parse_time_us("250us"), 250);
  EXPECT_EQ(parse_time_us("1.5MS"), 1500);
  for (const char* text : {"", "330", "ms", "-5ms", "0ms", "5min", "2h", "3601s", "1 s s"}) {
    EXPECT_EQ(parse_time_us(text), std::nullopt) << text;
  }
}

TEST(ParseSize, IsBytes) {
  EXPECT_EQ(parse_size("65535"), 65535U);
  EXPECT_EQ(parse_size("64Ki"), 65536U);
  EXPECT_EQ(parse_size("64KiB"), 65536U);
  EXPECT_EQ(parse_size("1M"), 1'000'000U);
  for (const char* text : {"", "0", "-1", "64Kibit", "1e3", "99999999T"})
    EXPECT_EQ(parse_size(text), std::nullopt) << text;
}

TEST(ParseCount, IsDigitsInRange) {
  EXPECT_EQ(parse_count("0", 0, 14), 0U);
  EXPECT_EQ(parse_count("14", 0, 14), 14U);
  for (const char* text : {"", "15", "-1", "1.0", "7x", " 7", "99999999999999999999"}) {
    EXPECT_EQ(parse_count(text, 0, 14), std::nullopt) << text;
  }
}

TEST(Grouped, PutsThousandsApart) {
  EXPECT_EQ(grouped(0), "0");
  EXPECT_EQ(grouped(999), "999");
  EXPECT_EQ(grouped(1000), "1 000");
  EXPECT_EQ(grouped(1031250, ','), "1,031,250");
  EXPECT_EQ(grouped(UINT64_MAX), "18 446 744 073 709 551 615");
  EXPECT_EQ(bytes_text(262144), "262 144 B");
}

TEST(RateText, HasAboutThreeDigits) {
  EXPECT_EQ(rate_text(25e6, Units::bits), "25 Mbit/s");
  EXPECT_EQ(rate_text(24.06e6, Units::bits), "24.1 Mbit/s");
  EXPECT_EQ(rate_text(794376, Units::bits), "0.79 Mbit/s");
  EXPECT_EQ(rate_text(794376, Units::bytes), "99 kB/s");
  EXPECT_EQ(rate_text(99'000, Units::bits), "99 kbit/s");
  EXPECT_EQ(rate_text(999'960, Units::bits), "1 Mbit/s");
  EXPECT_EQ(rate_text(999.96e6, Units::bits), "1 Gbit/s");
  EXPECT_EQ(rate_text(25e6, Units::bytes), "3.13 MB/s");
  EXPECT_EQ(rate_text(0, Units::bits), "0 bit/s");
}

TEST(TimeText, PicksItsUnit) {
  EXPECT_EQ(time_text(0), "0 us");
  EXPECT_EQ(time_text(250), "250 us");
  EXPECT_EQ(time_text(1500), "1.5 ms");
  EXPECT_EQ(time_text(330'000), "330 ms");
  EXPECT_EQ(time_text(999'700), "1 s");
  EXPECT_EQ(time_text(42'700'000), "42.7 s");
  EXPECT_EQ(time_text(3'600'000'000), "3600 s");
  EXPECT_EQ(time_text(-1500), "-1.5 ms");
}

TEST(PercentText, NeverRoundsToAllOrNothing) {
  EXPECT_EQ(percent_text(0), "0 %");
  EXPECT_EQ(percent_text(0.0001), "< 0.1 %");
  EXPECT_EQ(percent_text(0.004), "0.4 %");
  EXPECT_EQ(percent_text(0.91), "91 %");
  EXPECT_EQ(percent_text(0.9999), "99.9 %");
  EXPECT_EQ(percent_text(1), "100 %");
}

TEST(UtcText, DoesNotAskTheMachine) {
  EXPECT_EQ(utc_text(0), "1970-01-01 00:00:00 +0000");
  EXPECT_EQ(utc_text(1'709'210'096'999'999'999), "2024-02-29 12:34:56 +0000");
  EXPECT_EQ(utc_text(-1), "1969-12-31 23:59:59 +0000");
}

// A comma as decimal point would break JSON and every script.
TEST(Units, DoNotFollowTheLocale) {
  const std::string before = std::setlocale(LC_ALL, nullptr);
  std::setlocale(LC_ALL, "de_DE.UTF-8");  // has no effect where that locale is not installed
  EXPECT_EQ(parse_rate("1.5G"), 1.5e9);
  EXPECT_EQ(rate_text(24.1e6, Units::bits), "24.1 Mbit/s");
  std::setlocale(LC_ALL, before.c_str());
}

}  // namespace
}  // namespace rwin
