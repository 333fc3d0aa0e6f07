#include "rules/calc.h"

#include <algorithm>
#include <cmath>

namespace rwin::rules {

std::uint64_t needed_window(double rate_bps, std::int64_t rtt_us) {
  if (!std::isfinite(rate_bps) || rate_bps <= 0 || rtt_us <= 0) return 0;
  const double bytes = rate_bps * static_cast<double>(rtt_us) / 8e6;
  constexpr double kMost = 1e18;  // far above any window; keeps the conversion defined
  return static_cast<std::uint64_t>(std::llround(std::min(bytes, kMost)));
}

double window_rate(std::uint64_t window_bytes, std::int64_t rtt_us) {
  if (rtt_us <= 0) return 0;
  return static_cast<double>(window_bytes) * 8e6 / static_cast<double>(rtt_us);
}

std::uint8_t shift_for(std::uint64_t window_bytes) {
  std::uint8_t shift = 0;
  while (shift < 14 && (65535ULL << shift) < window_bytes) ++shift;
  return shift;
}

std::uint64_t round_window(std::uint64_t window_bytes, std::uint32_t mss) {
  std::uint64_t window = std::min(window_bytes, kLargestWindow);
  if (mss > 0) window = (window + mss - 1) / mss * mss;
  const std::uint64_t unit = 1ULL << shift_for(window);
  window = (window + unit - 1) / unit * unit;
  return std::min(window, kLargestWindow);
}

std::uint64_t rule_of_thumb_window(std::uint32_t mtu) { return mtu > 40 ? 12ULL * (mtu - 40) : 0; }

double payload_factor(Link link) {
  switch (link) {
    case Link::payload:
      return 1.0;
    case Link::ethernet:  // MTU 1500; preamble, header, checksum and gap are 38 bytes a frame
      return 1448.0 / 1538.0;
    case Link::pppoe:  // MTU 1492 behind 8 bytes of PPPoE and PPP
      return 1440.0 / 1538.0;
    case Link::ptm: {  // VDSL2: VLAN-tagged PPPoE frame without preamble, 4 bytes of framing, 64/65
                       // code
      constexpr double kFrame = (1492 + 8 + 14 + 4 + 4 + 4) * 65.0 / 64.0;
      return 1440.0 / kFrame;
    }
    case Link::atm:  // ADSL: 32 cells of 53 bytes carry one packet of 1492 bytes (AAL5, PPPoE over
                     // LLC)
      return 1440.0 / (32.0 * 53.0);
  }
  return 1.0;
}

}  // namespace rwin::rules
