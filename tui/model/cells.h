// Figures short enough for a table.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "analysis/segment.h"
#include "text/units.h"

namespace rwin::tui {

// Mbit/s or MB/s, three digits, without the unit: "24.9", "0.004", "1250"; "?" for nullopt.
std::string rate_cell(std::optional<double> bps, Units units);
std::string_view rate_unit(Units units);  // "Mbit/s" "MB/s"
// "256 K", "1.5 M", "0": binary multiples.
std::string bytes_cell(std::optional<std::uint64_t> bytes);
// "82 ms", "0.4 ms", "2.1 s"
std::string time_cell(std::optional<std::int64_t> us);
// "01:42", "1:02:03"
std::string clock_cell(std::int64_t seconds);

// At most `limit` wide: `host` is elided in the middle, the port is never cut. "198.5..7:443",
// "[2001:d..8::1]:443".
std::string endpoint_cell(const std::string& host, std::uint16_t port, bool brackets,
                          std::size_t limit);

}  // namespace rwin::tui
