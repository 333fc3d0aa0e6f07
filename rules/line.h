// What a line needs: from rate and round trip to the window that fills it. Pure.
#pragma once

#include <cstdint>

#include "rules/calc.h"

namespace rwin::rules {

struct Line {
  double rate_bps = 0;  // of payload, or of the line where `link` says so
  std::int64_t rtt_us = 0;
  Link link = Link::payload;
};

struct LineNeed {
  double payload_bps = 0;  // TCP payload that the line carries
  std::int64_t rtt_us = 0;
  std::uint32_t mss = 1460;       // MTU 1500; 1452 behind PPPoE (MTU 1492)
  std::uint64_t exact_bytes = 0;  // payload rate x RTT
  // Up to whole segments and units of the scale; at most what TCP can advertise.
  std::uint64_t window_bytes = 0;
  std::uint8_t shift = 0;  // smallest that carries the window
};
LineNeed line_need(const Line& line);

// Connections side by side that fill the line with `window` bytes each; 0 for a window of 0.
std::uint32_t connections_for(const LineNeed& need, std::uint64_t window);

}  // namespace rwin::rules
