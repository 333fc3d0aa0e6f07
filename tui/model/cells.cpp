#include "tui/model/cells.h"

#include <fmt/format.h>

#include <cmath>

#include "text/text.h"

namespace rwin::tui {
namespace {

// Three significant digits.
std::string three(double v) {
  if (v >= 99.95) return fmt::format("{:.0f}", v);
  if (v >= 9.995) return fmt::format("{:.1f}", v);
  if (v >= 0.0095 || v <= 0) return fmt::format("{:.2f}", v);
  return fmt::format("{:.3f}", v);
}

}  // namespace

std::string rate_cell(std::optional<double> bps, Units units) {
  if (!bps) return "?";
  const double v = *bps / (units == Units::bits ? 1e6 : 8e6);
  return v <= 0 ? "0" : three(v);
}

std::string_view rate_unit(Units units) { return units == Units::bits ? "Mbit/s" : "MB/s"; }

std::string bytes_cell(std::optional<std::uint64_t> bytes) {
  if (!bytes) return "?";
  auto v = static_cast<double>(*bytes);
  if (v < 1000) return fmt::format("{}", *bytes);
  char unit = 'K';
  v /= 1024;
  for (const char next : {'M', 'G', 'T'}) {
    if (v < 999.5) break;
    v /= 1024;
    unit = next;
  }
  return v < 9.95 && v != std::floor(v) ? fmt::format("{:.1f} {}", v, unit)
                                        : fmt::format("{:.0f} {}", v, unit);
}

std::string time_cell(std::optional<std::int64_t> us) {
  if (!us) return "?";
  const auto v = static_cast<double>(*us);
  if (v < 9'950) return fmt::format("{:.1f} ms", v / 1e3);
  if (v < 999'500) return fmt::format("{:.0f} ms", v / 1e3);
  return fmt::format("{:.1f} s", v / 1e6);
}

std::string clock_cell(std::int64_t seconds) {
  if (seconds < 0) seconds = 0;
  if (seconds < 3600) return fmt::format("{:02}:{:02}", seconds / 60, seconds % 60);
  return fmt::format("{}:{:02}:{:02}", seconds / 3600, seconds / 60 % 60, seconds % 60);
}

std::string endpoint_cell(const std::string& host, std::uint16_t port, bool brackets,
                          std::size_t limit) {
  const std::string tail = fmt::format("{}:{}", brackets ? "]" : "", port);
  const std::size_t frame = tail.size() + (brackets ? 1 : 0);
  const std::size_t room = limit > frame + 3 ? limit - frame : 3;
  return (brackets ? "[" : "") + elide_middle(host, room) + tail;
}

}  // namespace rwin::tui
