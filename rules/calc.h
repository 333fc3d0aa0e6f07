// The arithmetic of windows: `rwin calc`, and the sizes that advice prints. Pure.
#pragma once

#include <cstdint>
#include <optional>

namespace rwin::rules {

// Largest window TCP can advertise: 65535 << 14 (RFC 7323 2.3).
inline constexpr std::uint64_t kLargestWindow = 65535ULL << 14;

// Bytes that fill a path: rate x RTT (no head-room added). Rounded to the nearest byte; 0 for
// values that are not positive and finite.
std::uint64_t needed_window(double rate_bps, std::int64_t rtt_us);

// Rate a window allows, bit/s; 0 where the RTT is not positive.
double window_rate(std::uint64_t window_bytes, std::int64_t rtt_us);

// Up to a multiple of the MSS, then to a multiple of 1 << shift, shift being the smallest that can
// carry it (65535 << shift >= window; at most 14, RFC 7323 2.3). Never above kLargestWindow. An MSS
// of 0 does not round.
std::uint64_t round_window(std::uint64_t window_bytes, std::uint32_t mss);
std::uint8_t shift_for(std::uint64_t window_bytes);

// The rule of thumb of the Windows XP days: 12 full segments, 12 x (MTU - 40); 0 for an MTU of 40
// or less.
std::uint64_t rule_of_thumb_window(std::uint32_t mtu);

// What a frame takes of a Linux receive buffer, 1500 bytes or less (skb->truesize): 2 KiB of data
// and its description; drivers that give each frame a page of its own take more.
inline constexpr std::uint32_t kFrameTruesize = 2304, kPageFrameTruesize = 4352;

// Share of such a buffer that is payload, 0 to 1; 0 where nothing is taken.
double buffer_share(std::uint32_t payload_bytes, std::uint32_t truesize_bytes);

// Connections with full buffers until all of TCP together reaches a mark of net.ipv4.tcp_mem, which
// counts pages. 0: not even one; also for a buffer of 0.
std::uint64_t full_buffers(std::uint64_t pages, std::uint64_t page_bytes,
                           std::uint64_t buffer_bytes);

// Line rate to TCP payload rate for full segments with timestamps, one direction.
enum class Link : std::uint8_t { payload, ethernet, pppoe, ptm, atm };

// What stands around each segment on a link.
struct Framing {
  std::uint32_t mtu = 1500;
  bool ipv6 = false;
  bool timestamps = true;
  bool vlan = false;                // 4 bytes in the Ethernet frame
  bool ppp = false;                 // 8 bytes of PPPoE and PPP in the Ethernet frame
  std::uint32_t atm_overhead = 32;  // in front of the packet: PPPoE LLC 32, PPPoE VC 24, PPPoA 2
};
Framing usual_framing(Link link);
double payload_factor(Link link, const Framing& framing);
double payload_factor(Link link);  // with the usual framing

}  // namespace rwin::rules
