// The worked examples of the notes on tuning, figure by figure: rates of a window, links, the
// article of 2006, and what each platform's data says for a line.
#include <gtest/gtest.h>

#include <array>
#include <cmath>

#include "rules/calc.h"
#include "rules/catalogue_data.h"
#include "rules/template.h"

namespace rwin::rules {
namespace {

constexpr double kMi = 1024.0 * 1024.0;

// A figure as it is printed with `digits` significant digits.
double printed(double value, int digits) {
  const double unit = std::pow(10.0, std::floor(std::log10(value)) + 1 - digits);
  return std::round(value / unit) * unit;
}
#define EXPECT_PRINTED(value, digits, figure) \
  EXPECT_NEAR(printed(value, digits), figure, 1e-6 * (figure))

const Platform& platform(std::string_view id) { return *Catalogue::built_in().data().platform(id); }

TEST(WorkedExamples, LargestWindowByScale) {
  constexpr std::array<std::uint64_t, 14> kLargest = {
      131'070,    262'140,    524'280,    1'048'560,   2'097'120,   4'194'240,   8'388'480,
      16'776'960, 33'553'920, 67'107'840, 134'215'680, 268'431'360, 536'862'720, 1'073'725'440};
  for (std::size_t i = 0; i < kLargest.size(); ++i) {
    EXPECT_EQ(shift_for(kLargest[i]), i + 1);
    EXPECT_EQ(round_window(kLargest[i], 0), kLargest[i]);
  }
}

TEST(WorkedExamples, RateOfAWindow) {
  const auto megabit = [](std::uint64_t window, double ms) {
    return window_rate(window, static_cast<std::int64_t>(ms * 1000)) / 1e6;
  };
  EXPECT_PRINTED(megabit(65'535, 10), 3, 52.4);
  EXPECT_PRINTED(megabit(65'535, 28), 3, 18.7);
  EXPECT_PRINTED(megabit(65'535, 50), 3, 10.5);
  EXPECT_PRINTED(megabit(65'535, 100), 3, 5.24);
  EXPECT_PRINTED(megabit(65'535, 184), 3, 2.85);
  EXPECT_PRINTED(megabit(65'535, 330), 3, 1.59);
  EXPECT_PRINTED(megabit(65'535, 600), 2, 0.87);
  EXPECT_PRINTED(megabit(17'424, 28), 3, 4.98);
  EXPECT_PRINTED(megabit(17'424, 330), 2, 0.42);
  EXPECT_PRINTED(megabit(32'768, 28), 3, 9.36);
  EXPECT_PRINTED(megabit(32'768, 330), 2, 0.79);
}

TEST(WorkedExamples, LineRateToPayloadRate) {
  Framing ethernet = usual_framing(Link::ethernet);
  EXPECT_DOUBLE_EQ(payload_factor(Link::ethernet, ethernet), 1448.0 / 1538);
  EXPECT_PRINTED(payload_factor(Link::ethernet), 4, 0.9415);
  ethernet.timestamps = false;
  EXPECT_PRINTED(payload_factor(Link::ethernet, ethernet), 4, 0.9493);
  ethernet = {.ipv6 = true};
  EXPECT_PRINTED(payload_factor(Link::ethernet, ethernet), 4, 0.9285);
  ethernet = {.vlan = true};
  EXPECT_PRINTED(payload_factor(Link::ethernet, ethernet), 4, 0.9390);

  Framing pppoe = usual_framing(Link::pppoe);
  EXPECT_PRINTED(payload_factor(Link::pppoe), 4, 0.9363);
  pppoe.timestamps = false;
  EXPECT_PRINTED(payload_factor(Link::pppoe, pppoe), 4, 0.9441);

  EXPECT_PRINTED(payload_factor(Link::ptm), 4, 0.9291);
  EXPECT_PRINTED(payload_factor(Link::ptm, Framing{.vlan = true}), 4, 0.9343);  // IPoE

  EXPECT_DOUBLE_EQ(payload_factor(Link::atm), 1440.0 / 1696);
  EXPECT_PRINTED(payload_factor(Link::atm), 3, 0.849);
  const Framing pppoa{.atm_overhead = 2};
  EXPECT_DOUBLE_EQ(payload_factor(Link::atm, pppoa), 1448.0 / 1696);
  const Framing filled_cells{.mtu = 1478, .atm_overhead = 2};  // 31 cells to the last byte
  EXPECT_DOUBLE_EQ(payload_factor(Link::atm, filled_cells), 1426.0 / 1643);
}

// Of a full segment with time stamps, 1448 bytes.
TEST(WorkedExamples, BufferMemory) {
  EXPECT_PRINTED(100 * buffer_share(1448, kFrameTruesize), 2, 63);
  EXPECT_PRINTED(100 * buffer_share(1448, kPageFrameTruesize), 2, 33);
  EXPECT_PRINTED(100 * buffer_share(1448, 4864), 2, 30);
  EXPECT_EQ(buffer_share(1448, 0), 0);
  EXPECT_EQ(buffer_share(65'000, 2304), 1);
  // The rule of a half holds for the usual frame, not where each takes a page.
  const double advised = platform("linux").buffer_per_window;
  EXPECT_GT(advised, 1 / buffer_share(1448, kFrameTruesize));
  EXPECT_LT(advised, 1 / buffer_share(1448, kPageFrameTruesize));
  // Connections x buffer against tcp_mem's second value in pages of 4096.
  EXPECT_EQ(full_buffers(252'000, 4096, 6'291'456), 164U);
  EXPECT_EQ(full_buffers(1'536, 4096, 6'291'456), 1U);
  EXPECT_EQ(full_buffers(1'535, 4096, 6'291'456), 0U);
  EXPECT_EQ(full_buffers(1, 4096, 0), 0U);
}

TEST(WorkedExamples, TheArticle) {
  EXPECT_EQ(25 * kMi / 8, 3'276'800);
  EXPECT_EQ(needed_window(25 * kMi, 28'000), 91'750U);
  EXPECT_EQ(needed_window(25e6, 28'000), 87'500U);
  EXPECT_EQ(needed_window(25 * kMi, 330'000), 1'081'344U);
  EXPECT_EQ(needed_window(25e6, 330'000), 1'031'250U);
  EXPECT_EQ(needed_window(50 * kMi, 330'000), 2'162'688U);
  EXPECT_EQ(std::llround(window_rate(1'075'200, 330'000) / 8), 3'258'182);
  EXPECT_PRINTED(100 * (1 - window_rate(1'075'200, 330'000) / (25 * kMi)), 2, 0.57);
  EXPECT_PRINTED(100 * (1 - window_rate(2'150'400, 330'000) / (50 * kMi)), 2, 0.57);
  // Whole segments of 1452, then units of the scale.
  EXPECT_EQ((1'081'344 + 1'451) / 1'452 * 1'452, 1'081'740);
  EXPECT_EQ(round_window(1'081'344, 1452), 1'081'760U);
  EXPECT_EQ(rule_of_thumb_window(1492), 17'424U);
  EXPECT_PRINTED(window_rate(32'768, 330'000) / 8e3, 3, 99.3);
  EXPECT_PRINTED(window_rate(32'768, 28'000) / 8e6, 3, 1.17);
  EXPECT_PRINTED(window_rate(65'535, 330'000) / 8e3, 4, 198.6);
  EXPECT_EQ(std::llround(window_rate(358'400, 184'000) / 8), 1'947'826);
  EXPECT_PRINTED(window_rate(358'400, 330'000) / 8e6, 3, 1.09);
  EXPECT_EQ(shift_for(358'400), 3);
  EXPECT_EQ(shift_for(1'075'200), 5);
  EXPECT_EQ(shift_for(2'150'400), 6);
  // The line is the limit: 49.68 MB in 18 s are less than the window allows at 184 ms.
  EXPECT_GT(window_rate(1'075'200, 184'000) / 8, 49.68e6 / 18);
  EXPECT_GT(window_rate(1'075'200, 184'000), 25 * kMi);
}

TEST(WorkedExamples, TheCapAroundABufferOnMacOs) {
  const double cap = platform("macos-10.4").cap_per_buffer;
  EXPECT_EQ(std::ceil(358'400 * cap), 403'200);
  EXPECT_EQ(std::ceil(1'075'200 * cap), 1'209'600);
  EXPECT_EQ(std::ceil(2'150'400 * cap), 2'419'200);
  EXPECT_EQ(std::floor(2'048'000 / cap), 1'820'444);
  EXPECT_EQ(std::floor(4'096'000 / cap), 3'640'888);
}

struct Line {
  double bps, rtt_ms;
  [[nodiscard]] std::uint64_t window() const {  // payload of an Ethernet line
    return needed_window(bps * payload_factor(Link::ethernet),
                         static_cast<std::int64_t>(rtt_ms * 1000));
  }
};

std::string autotuning(std::uint64_t window) {
  FixValues values;
  values.window = window;
  return fill("{autotuning}", values);
}

TEST(WorkedExamples, LinesAndWhatPlatformsNeed) {
  for (const Line line : {Line{100e6, 30}, Line{1e9, 20}}) {
    for (const char* id : {"linux", "macos", "windows"}) {
      EXPECT_LE(line.window(), platform(id).default_window) << id << " needs no change";
    }
  }
  EXPECT_PRINTED(static_cast<double>(Line{100e6, 30}.window()), 3, 353e3);
  EXPECT_PRINTED(static_cast<double>(Line{1e9, 20}.window()), 3, 2.35e6);

  const std::uint64_t medium = Line{250e6, 150}.window();
  EXPECT_PRINTED(static_cast<double>(medium), 3, 4.41e6);
  EXPECT_PRINTED(static_cast<double>(medium) * platform("linux").buffer_per_window, 3, 8.83e6);
  EXPECT_GT(medium, platform("linux").default_window);
  EXPECT_PRINTED(static_cast<double>(medium) * platform("macos").buffer_per_window, 4, 4.413e6);
  EXPECT_GT(medium, platform("macos").default_window);
  EXPECT_EQ(autotuning(medium), "normal");

  const std::uint64_t large = Line{1e9, 200}.window();
  EXPECT_PRINTED(static_cast<double>(large), 3, 23.5e6);
  EXPECT_PRINTED(static_cast<double>(large) * platform("linux").buffer_per_window, 3, 47.1e6);
  EXPECT_EQ(24 * kMi * platform("macos").cap_per_buffer, 27 * kMi);
  EXPECT_LE(large, platform("macos").largest_window) << "32 MiB of maxsockbuf: 32 GiB of memory";
  EXPECT_EQ(autotuning(large), "experimental");

  const std::uint64_t device = Line{25e6, 100}.window();
  EXPECT_PRINTED(static_cast<double>(device), 3, 294e3);
  EXPECT_EQ(std::ceil(static_cast<double>(device) / 65'535), 5);
}

TEST(WorkedExamples, CeilingsWithDefaultsAt100Ms) {
  const auto megabit = [](std::string_view id) {
    return window_rate(platform(id).default_window, 100'000) / 1e6;
  };
  EXPECT_PRINTED(megabit("linux"), 3, 252);
  EXPECT_PRINTED(megabit("linux-6.16"), 3, 1'340);
  EXPECT_PRINTED(megabit("windows"), 3, 1'340);
  EXPECT_PRINTED(megabit("macos"), 3, 336);
  EXPECT_PRINTED(megabit("freebsd"), 3, 149);
  EXPECT_PRINTED(window_rate(2'097'152, 100'000) / 1e6, 3, 168);  // OpenSSH's channel
}

}  // namespace
}  // namespace rwin::rules
