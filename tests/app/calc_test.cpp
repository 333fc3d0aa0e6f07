// The worked figures of docs/method.md.
#include "app/calc.h"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

namespace rwin::app {
namespace {

CalcOptions given(std::string_view rate, std::string_view rtt, std::string_view window = {}) {
  CalcOptions options;
  if (!rate.empty()) options.rate_bps = parse_rate(rate);
  if (!rtt.empty()) options.rtt_us = parse_time_us(rtt);
  if (!window.empty()) options.window_bytes = parse_size(window);
  return options;
}

TEST(Calc, WindowForRateAndRoundTrip) {
  EXPECT_EQ(calculate(given("25M", "330ms")).needed_bytes, 1'031'250U);
  EXPECT_EQ(calculate(given("25Mi", "28ms")).needed_bytes, 91'750U);
  EXPECT_EQ(calculate(given("25Mi", "330ms")).needed_bytes, 1'081'344U);
}

TEST(Calc, RateForWindowAndRoundTrip) {
  const CalcOptions options = given("", "330ms", "32768");
  const std::string text = calc_text(options, calculate(options), Units::bits);
  EXPECT_NE(text.find("0.79 Mbit/s = 99 kB/s"), std::string::npos) << text;
  EXPECT_NEAR(*calculate(given("", "184ms", "358400")).window_rate_bps / 8, 1.9478e6, 100);
}

TEST(Calc, LinuxBufferForAWindow) {
  const CalcOptions options = given("", "", "1448000");
  const Calculation c = calculate(options);
  EXPECT_EQ(c.buffer_bytes, 2'304'000U);
  EXPECT_EQ(c.page_buffer_bytes, 4'352'000U);
  EXPECT_NE(
      calc_text(options, c, Units::bits)
          .find("2,304,000 B for the segments, 2,304 B a frame (4,352,000 B where a frame takes "
                "a page)"),
      std::string::npos);
  CalcOptions jumbo = options;
  jumbo.mtu = 9000;
  EXPECT_FALSE(calculate(jumbo).buffer_bytes.has_value());
}

TEST(Calc, RoundTripForWindowAndRate) {
  EXPECT_EQ(calculate(given("8M", "", "100000")).sufficient_rtt_us, 100'000);
}

TEST(Calc, SegmentMultiples) {
  CalcOptions options;
  options.mtu = 1492;
  const Calculation c = calculate(options);
  EXPECT_EQ(c.mss, 1452U);
  EXPECT_EQ(c.twelve_segments, 17'424U);
  EXPECT_EQ(c.largest_unscaled_multiple, 65'340U);
}

TEST(Calc, RoundsUpToSegmentsAndWindowUnits) {
  const Calculation c = calculate(given("25M", "330ms"));
  ASSERT_TRUE(c.rounded_bytes && c.scale_shift);
  EXPECT_EQ(c.scale_shift, 4);
  EXPECT_GE(*c.rounded_bytes, *c.needed_bytes);
  EXPECT_LT(*c.rounded_bytes, *c.needed_bytes + c.mss + (1U << 4));
  EXPECT_EQ(*c.rounded_bytes % 16, 0U);
  EXPECT_LE(*c.rounded_bytes >> 4, 65535U);
}

TEST(Calc, ParallelConnections) {
  EXPECT_EQ(calculate(given("8M", "100ms", "25000")).connections, 4U);
  EXPECT_EQ(calculate(given("8M", "100ms", "25001")).connections, 4U);
  EXPECT_EQ(calculate(given("8M", "100ms", "24999")).connections, 5U);
  EXPECT_EQ(calculate(given("25M", "330ms")).connections, 16U);  // 65,535 bytes each
}

TEST(Calc, NetRateIsAboutFivePercentLess) {
  const Calculation plain = calculate(given("25M", "330ms"));
  EXPECT_NEAR(*plain.net_rate_bps / 25e6, 0.945, 0.006);
  CalcOptions options = given("25M", "330ms");
  options.link = rules::Link::ethernet;
  const Calculation line = calculate(options);
  EXPECT_EQ(line.line_rate_bps, 25e6);
  EXPECT_EQ(line.rate_bps, plain.net_rate_bps);
  EXPECT_EQ(line.needed_bytes, plain.net_needed_bytes);
  EXPECT_FALSE(line.net_rate_bps);
}

TEST(Calc, JsonIsOneDocumentWithTheSameFigures) {
  const CalcOptions options = given("25M", "330ms");
  const auto json = nlohmann::json::parse(calc_json(options, calculate(options)));
  EXPECT_EQ(json["schema"], 1);
  EXPECT_EQ(json["calc"]["needed_window_bytes"], 1031250);
  EXPECT_EQ(json["calc"]["window_bytes"], nullptr);
  EXPECT_EQ(json["error"], nullptr);
}

}  // namespace
}  // namespace rwin::app
