// The arithmetic of windows: `rwin calc`, and the sizes that advice prints. Pure.
#pragma once

#include <cstdint>
#include <optional>

namespace rwin::rules {

// Bytes that fill a path: rate x RTT (no head-room added). Rounded to the nearest byte.
std::uint64_t needed_window(double rate_bps, std::int64_t rtt_us);

// Rate a window allows, bit/s.
double window_rate(std::uint64_t window_bytes, std::int64_t rtt_us);

// Up to a multiple of the MSS, then to a multiple of 1 << shift, shift being the smallest that can carry it
// (65535 << shift >= window; at most 14, RFC 7323 2.3).
std::uint64_t round_window(std::uint64_t window_bytes, std::uint32_t mss);
std::uint8_t shift_for(std::uint64_t window_bytes);

// Line rate to TCP payload rate for full segments, one direction.
enum class Link : std::uint8_t { payload, ethernet, pppoe, ptm, atm };
double payload_factor(Link link);

}  // namespace rwin::rules
