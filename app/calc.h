// `rwin calc`: the arithmetic of windows, as text or JSON.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "app/options.h"

namespace rwin::app {

// Everything that follows from what was given; the rest stays empty.
struct Calculation {
  std::optional<double> rate_bps;       // payload
  std::optional<double> line_rate_bps;  // what --link says the line carries; only with --link
  std::optional<double>
      net_rate_bps;  // payload if --rate were the rate of an Ethernet line; only without --link
  std::optional<std::int64_t> rtt_us;
  std::optional<std::uint64_t> window_bytes;      // given
  std::optional<std::uint64_t> needed_bytes;      // rate x RTT
  std::optional<std::uint64_t> rounded_bytes;     // needed, up to whole segments and window units
  std::optional<std::uint64_t> net_needed_bytes;  // net rate x RTT
  std::optional<int>
      scale_shift;  // smallest shift that carries the needed window, or the given one
  // Linux receive buffer that holds the needed window, or the given one, when each frame takes
  // what is usual, or a page; only for an MTU of 1500 or less.
  std::optional<std::uint64_t> buffer_bytes, page_buffer_bytes;
  std::optional<double> window_rate_bps;    // what the given window allows at this RTT
  std::optional<double> unscaled_rate_bps;  // what 65,535 bytes allow
  std::optional<std::uint64_t>
      connections;  // that fill the rate with the given window, or with 65,535 bytes
  std::optional<std::int64_t> sufficient_rtt_us;  // up to which the given window carries the rate
  std::uint32_t mtu = 1500;
  std::uint32_t mss = 1460;                     // MTU - 40 (IPv4 and TCP headers without options)
  std::uint64_t twelve_segments = 0;            // rule of thumb for systems without scaling
  std::uint64_t largest_unscaled_multiple = 0;  // of the MSS, at most 65,535
};
Calculation calculate(const CalcOptions& given);

std::string calc_text(const CalcOptions& given, const Calculation& c, Units units);
std::string calc_json(const CalcOptions& given, const Calculation& c);

}  // namespace rwin::app
