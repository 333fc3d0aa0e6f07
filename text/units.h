// Rates, times and sizes: from words of the user to numbers, and from numbers to short text.
// Locale-independent. Rates are bit/s, times microseconds, sizes bytes.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace rwin {
inline namespace text {

enum class Units : std::uint8_t { bits, bytes };

// "25M", "25Mi", "800k", "1.5 Gbit/s": k M G T (either case) = 1000^n, with i = 1024^n, then
// optionally bit/s, bit or bps. Positive and at most 1e15; else nullopt.
std::optional<double> parse_rate(std::string_view text);
inline constexpr std::string_view kRateForms =
    "25M, 25Mi, 800k, 1.5Gbit/s (k M G = 1000^n, Ki Mi Gi = 1024^n)";

// "330ms", "28 ms", "1.5s", "250us": the unit is required. Positive and at most one hour.
std::optional<std::int64_t> parse_time_us(std::string_view text);
inline constexpr std::string_view kTimeForms = "330ms, 0.33s, 250us";

// "65535", "64Ki", "1M", "64KiB": bytes. At most 1e15.
std::optional<std::uint64_t> parse_size(std::string_view text);
inline constexpr std::string_view kSizeForms =
    "65535, 64Ki, 1M (k M G = 1000^n, Ki Mi Gi = 1024^n)";

// A whole number in [low, high], digits only.
std::optional<std::uint64_t> parse_count(std::string_view text, std::uint64_t low,
                                         std::uint64_t high);

// "262 144", or with another character between the groups: "1,031,250".
std::string grouped(std::uint64_t value, char separator = ' ');
// "262 144 B"
std::string bytes_text(std::uint64_t bytes, char separator = ' ');
// Three significant digits: "126 MB" (1000-based).
std::string volume_text(std::uint64_t bytes);
// About three significant digits: "24.1 Mbit/s", "0.79 Mbit/s" or, with Units::bytes, "3.01 MB/s",
// "99 kB/s".
std::string rate_text(double bps, Units units);
// Three significant digits: "82 ms", "38.1 s", "250 us".
std::string time_text(std::int64_t us);
// "91 %", "0.4 %", "< 0.1 %"
std::string percent_text(double fraction);
// "2024-05-03 14:02:11 +0000" from nanoseconds since 1970.
std::string utc_text(std::int64_t ns);

}  // namespace text
}  // namespace rwin
