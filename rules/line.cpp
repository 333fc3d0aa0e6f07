#include "rules/line.h"

#include <algorithm>

namespace rwin::rules {

LineNeed line_need(const Line& line) {
  LineNeed need;
  need.payload_bps = line.rate_bps * payload_factor(line.link);
  need.rtt_us = line.rtt_us;
  if (line.link == Link::pppoe || line.link == Link::ptm || line.link == Link::atm) need.mss = 1452;
  need.exact_bytes = needed_window(need.payload_bps, need.rtt_us);
  need.window_bytes = round_window(need.exact_bytes, need.mss);
  need.shift = shift_for(need.window_bytes);
  return need;
}

std::uint32_t connections_for(const LineNeed& need, std::uint64_t window) {
  if (window == 0) return 0;
  const std::uint64_t count = (need.exact_bytes + window - 1) / window;
  return static_cast<std::uint32_t>(std::clamp<std::uint64_t>(count, 1, UINT32_MAX));
}

}  // namespace rwin::rules
