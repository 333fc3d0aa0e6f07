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

double buffer_share(std::uint32_t payload_bytes, std::uint32_t truesize_bytes) {
  if (truesize_bytes == 0) return 0;
  return std::min(1.0, static_cast<double>(payload_bytes) / truesize_bytes);
}

std::uint64_t full_buffers(std::uint64_t pages, std::uint64_t page_bytes,
                           std::uint64_t buffer_bytes) {
  return buffer_bytes == 0 ? 0 : pages * page_bytes / buffer_bytes;
}

Framing usual_framing(Link link) {
  Framing framing;
  framing.ppp = link == Link::pppoe || link == Link::ptm;
  framing.vlan = link == Link::ptm;
  if (framing.ppp || link == Link::atm) framing.mtu = 1492;
  return framing;
}

double payload_factor(Link link, const Framing& framing) {
  const std::uint32_t headers =
      (framing.ipv6 ? 40 : 20) + 20 + (framing.timestamps ? 12 : 0);  // IP, TCP, RFC 7323
  if (link == Link::payload || framing.mtu <= headers) return 1.0;
  const double payload = framing.mtu - headers;
  const double packet = framing.mtu + (framing.vlan ? 4.0 : 0.0) + (framing.ppp ? 8.0 : 0.0);
  switch (link) {
    case Link::payload:
      break;
    case Link::ethernet:
    case Link::pppoe:  // header 14, checksum 4, preamble 8, gap 12
      return payload / (packet + 38);
    case Link::ptm:  // VDSL2: header 14, checksum 4, 4 of framing, then the 64/65 code
      return payload / ((packet + 22) * 65.0 / 64.0);
    case Link::atm: {  // ADSL: cells of 48 bytes in 53, the last one filled up; AAL5 trailer 8
      const double cells = std::ceil((framing.mtu + framing.atm_overhead + 8) / 48.0);
      return payload / (cells * 53);
    }
  }
  return 1.0;
}

double payload_factor(Link link) { return payload_factor(link, usual_framing(link)); }

}  // namespace rwin::rules
