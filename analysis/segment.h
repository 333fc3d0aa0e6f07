// The one packet type that everything speaks: capture/decode makes it, analysis reads it.
// Plain data, fixed size, trivially copyable. All integers are in host order.
#pragma once

#include <array>
#include <bit>
#include <compare>
#include <cstdint>

#include "analysis/tunnel.h"

namespace rwin::analysis {

// A fact that only a handshake tells. Never read `value` unless state == known.
enum class Presence : std::uint8_t { unknown, absent, known };

template <class T>
struct Tri {
  Presence state = Presence::unknown;
  T value{};

  [[nodiscard]] constexpr bool known() const { return state == Presence::known; }
  static constexpr Tri of(T v) { return {Presence::known, v}; }
  static constexpr Tri none() { return {Presence::absent, T{}}; }
  friend constexpr bool operator==(const Tri&, const Tri&) = default;
};

// IPv4 uses the first 4 bytes, the rest stays zero.
struct Address {
  std::array<std::uint8_t, 16> bytes{};
  std::uint8_t family = 0;  // 4, 6, or 0 for "none"
  friend constexpr auto operator<=>(const Address&, const Address&) = default;
  friend constexpr bool operator==(const Address& a, const Address& b) {
    return a.difference(b) == 0;
  }
  // 0 for the same address. No branch and no call: this is asked for every packet.
  [[nodiscard]] constexpr std::uint64_t difference(const Address& other) const {
    using Halves = std::array<std::uint64_t, 2>;
    const auto [a0, a1] = std::bit_cast<Halves>(bytes);
    const auto [b0, b1] = std::bit_cast<Halves>(other.bytes);
    return (a0 ^ b0) | (a1 ^ b1) | static_cast<std::uint64_t>(family ^ other.family);
  }
};

struct Endpoint {
  Address address;
  std::uint16_t port = 0;
  friend constexpr auto operator<=>(const Endpoint&, const Endpoint&) = default;
  friend constexpr bool operator==(const Endpoint& a, const Endpoint& b) {
    return (a.address.difference(b.address) | static_cast<std::uint64_t>(a.port ^ b.port)) == 0;
  }
};

// Bits of the TCP flags byte (RFC 9293 3.1, RFC 3168).
namespace flag {
inline constexpr std::uint8_t kFin = 0x01;
inline constexpr std::uint8_t kSyn = 0x02;
inline constexpr std::uint8_t kRst = 0x04;
inline constexpr std::uint8_t kPsh = 0x08;
inline constexpr std::uint8_t kAck = 0x10;
inline constexpr std::uint8_t kUrg = 0x20;
inline constexpr std::uint8_t kEce = 0x40;
inline constexpr std::uint8_t kCwr = 0x80;
}  // namespace flag

// One SACK block as it stands in the option: [left, right) in the peer's sequence space (RFC 2018).
struct SackBlock {
  std::uint32_t left = 0;
  std::uint32_t right = 0;
  friend constexpr bool operator==(const SackBlock&, const SackBlock&) = default;
};

inline constexpr int kMaxSackBlocks = 4;
inline constexpr int kMaxOptionKinds = 20;

struct Segment {
  std::int64_t time_ns = 0;  // nanoseconds since 1970 UTC
  std::uint64_t record = 0;  // number of the record in the whole input, from 1
  Endpoint source;
  Endpoint destination;

  std::uint32_t seq = 0;
  std::uint32_t ack = 0;  // meaningless without flag::kAck
  std::uint32_t payload =
      0;  // TCP payload bytes on the wire, from the IP header, not what was captured
  std::uint16_t window = 0;  // the raw field
  std::uint8_t flags = 0;

  std::uint8_t ttl = 0;        // IPv4 TTL or IPv6 hop limit
  std::uint16_t ip_id = 0;     // IPv4 identification; 0 for IPv6
  bool dont_fragment = false;  // IPv4 DF; true for IPv6
  bool cut = false;  // the record was cut (snap length) somewhere in or before the payload
  Tunnel tunnel = Tunnel::none;  // what it was found in, behind an outer IP header

  // Options. With `options_cut` the option list was not captured whole or is malformed: what was
  // not seen is Presence::unknown, never absent.
  bool options_cut = false;
  Tri<std::uint16_t> mss;                   // option 2
  Tri<std::uint8_t> window_scale;           // option 3, as it stands in the packet (may exceed 14)
  Tri<bool> sack_permitted;                 // option 4; value is always true when known
  Presence timestamps = Presence::unknown;  // option 8
  bool fast_open = false;                   // option 34
  bool multipath = false;                   // option 30
  std::uint8_t sack_count = 0;  // option 5: whole blocks captured, at most kMaxSackBlocks
  std::uint8_t option_kind_count = 0;
  std::uint32_t tsval = 0;
  std::uint32_t tsecr = 0;
  // From here on a part tells whether the rest means anything; where it does not, it may be left
  // from another segment.
  std::array<SackBlock, kMaxSackBlocks> sack{};  // the first sack_count
  // Kinds of the options in their order (NOP = 1, EOL = 0), on SYN segments only: the fingerprint
  // reads it. The first option_kind_count, the others 0.
  std::array<std::uint8_t, kMaxOptionKinds> option_kinds{};

  // The tunnel's ends: of the IP header that `tunnel` stands behind. Only with a tunnel.
  Address outer_source, outer_destination;

  friend constexpr bool operator==(const Segment&, const Segment&) = default;
  [[nodiscard]] constexpr bool has(std::uint8_t bit) const { return (flags & bit) != 0; }
  // Sequence numbers that the segment takes: payload plus one each for SYN and FIN.
  [[nodiscard]] constexpr std::uint32_t sequence_length() const {
    return payload + (has(flag::kSyn) ? 1U : 0U) + (has(flag::kFin) ? 1U : 0U);
  }
};

}  // namespace rwin::analysis
