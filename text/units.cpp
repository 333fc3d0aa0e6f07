#include "text/units.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <chrono>
#include <cmath>

namespace rwin {
inline namespace text {
namespace {

constexpr double kLargest = 1e15;

char lower(char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; }

bool same_word(std::string_view a, std::string_view b) {
  return a.size() == b.size() && std::equal(a.begin(), a.end(), b.begin(),
                                            [](char x, char y) { return lower(x) == lower(y); });
}

std::string_view trimmed(std::string_view s) {
  while (!s.empty() && s.front() == ' ') s.remove_prefix(1);
  while (!s.empty() && s.back() == ' ') s.remove_suffix(1);
  return s;
}

// Takes a plain decimal number off the front: digits with at most one point, no sign, no exponent.
std::optional<double> take_number(std::string_view& s) {
  s = trimmed(s);
  const std::size_t length = std::min(s.find_first_not_of("0123456789."), s.size());
  double value = 0;
  const auto [end, error] =
      std::from_chars(s.data(), s.data() + length, value, std::chars_format::fixed);
  if (error != std::errc{} || end != s.data() + length || s.front() == '.') return std::nullopt;
  s = trimmed(s.substr(length));
  return value;
}

// Takes "k", "Mi", ... off the front; 1 when there is none.
double take_multiple(std::string_view& s) {
  constexpr std::string_view kPrefixes = "kmgt";
  if (s.empty()) return 1;
  const std::size_t power = kPrefixes.find(lower(s.front()));
  if (power == std::string_view::npos) return 1;
  s.remove_prefix(1);
  const bool binary = !s.empty() && lower(s.front()) == 'i';
  if (binary) s.remove_prefix(1);
  return std::pow(binary ? 1024.0 : 1000.0, static_cast<double>(power + 1));
}

// Three significant digits without trailing zeros after the point: 24.1, 100, 0.79.
std::string significant(double value) {
  if (value == 0) return "0";
  if (value < 0.001) return fmt::format("{:.1g}", value);
  int decimals = 2 - static_cast<int>(std::floor(std::log10(value)));
  decimals = std::clamp(decimals, 0, 5);
  const double step = std::pow(10.0, decimals);
  std::string text = fmt::format("{:.{}f}", std::round(value * step) / step, decimals);
  if (text.find('.') != std::string::npos) {
    while (text.back() == '0') text.pop_back();
    if (text.back() == '.') text.pop_back();
  }
  return text;
}

std::string scaled(double value, std::string_view unit) {
  static constexpr std::array<std::string_view, 5> kPrefix = {"", "k", "M", "G", "T"};
  std::size_t power = 0;
  // 999.6 would print as 1000 with three digits: go on to the next prefix.
  while (value >= 999.5 && power + 1 < kPrefix.size()) {
    value /= 1000;
    ++power;
  }
  return fmt::format("{} {}{}", significant(value), kPrefix[power], unit);
}

}  // namespace

std::optional<double> parse_rate(std::string_view text) {
  const auto number = take_number(text);
  if (!number) return std::nullopt;
  const double value = *number * take_multiple(text);
  text = trimmed(text);
  const bool unit_fits =
      text.empty() || same_word(text, "bit/s") || same_word(text, "bit") || same_word(text, "bps");
  if (!unit_fits || !(value > 0) || value > kLargest) return std::nullopt;
  return value;
}

std::optional<std::int64_t> parse_time_us(std::string_view text) {
  const auto number = take_number(text);
  if (!number) return std::nullopt;
  double value = *number;
  if (same_word(text, "s")) {
    value *= 1e6;
  } else if (same_word(text, "ms")) {
    value *= 1e3;
  } else if (!same_word(text, "us")) {
    return std::nullopt;
  }
  if (value < 1 || value > 3600e6) return std::nullopt;
  return std::llround(value);
}

std::optional<std::uint64_t> parse_size(std::string_view text) {
  const auto number = take_number(text);
  if (!number) return std::nullopt;
  const double value = *number * take_multiple(text);
  if (!(text.empty() || same_word(text, "b")) || !(value >= 1) || value > kLargest)
    return std::nullopt;
  return static_cast<std::uint64_t>(std::llround(value));
}

std::optional<std::uint64_t> parse_count(std::string_view text, std::uint64_t low,
                                         std::uint64_t high) {
  std::uint64_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc{} || end != text.data() + text.size() || value < low || value > high)
    return std::nullopt;
  return value;
}

std::string grouped(std::uint64_t value, char separator) {
  std::string digits = std::to_string(value);
  for (std::size_t i = digits.size(); i > 3; i -= 3) digits.insert(i - 3, 1, separator);
  return digits;
}

std::string bytes_text(std::uint64_t bytes, char separator) {
  return grouped(bytes, separator) + " B";
}

std::string volume_text(std::uint64_t bytes) { return scaled(static_cast<double>(bytes), "B"); }

std::string rate_text(double bps, Units units) {
  if (units == Units::bytes) {
    const double bytes = bps / 8;
    return bytes >= 9.5e3 && bytes < 999.5e3 ? fmt::format("{:.0f} kB/s", bytes / 1e3)
                                             : scaled(bytes, "B/s");
  }
  // What people compare is Mbit/s: 0.79 reads easier beside 25 than 794 k.
  if (bps >= 0.1e6 && bps < 0.9995e6) return fmt::format("{:.2f} Mbit/s", bps / 1e6);
  return scaled(bps, "bit/s");
}

std::string time_text(std::int64_t us) {
  const double value = static_cast<double>(us);
  if (us < 0) return "-" + time_text(-us);
  if (value >= 999.5e3)
    return us < 100'000'000 ? significant(value / 1e6) + " s"
                            : fmt::format("{:.0f} s", value / 1e6);
  if (value >= 999.5) return significant(value / 1e3) + " ms";
  return fmt::format("{} us", us);
}

std::string percent_text(double fraction) {
  const double percent = fraction * 100;
  if (percent > 0 && percent < 0.1) return "< 0.1 %";
  if (percent > 99.5 && percent < 100) return fmt::format("{:.1f} %", std::min(percent, 99.9));
  return percent < 9.95 && percent > 0 ? fmt::format("{:.1f} %", percent)
                                       : fmt::format("{:.0f} %", percent);
}

std::string utc_text(std::int64_t ns) {
  using std::chrono::floor;
  const std::chrono::sys_time<std::chrono::nanoseconds> time{std::chrono::nanoseconds{ns}};
  const auto day = floor<std::chrono::days>(time);
  const std::chrono::year_month_day date{day};
  const auto rest = floor<std::chrono::seconds>(time - day).count();
  return fmt::format("{:04}-{:02}-{:02} {:02}:{:02}:{:02} +0000", static_cast<int>(date.year()),
                     static_cast<unsigned>(date.month()), static_cast<unsigned>(date.day()),
                     rest / 3600, rest / 60 % 60, rest % 60);
}

}  // namespace text
}  // namespace rwin
