// Builds raw packets byte by byte, right ones and wrong ones: nothing is computed that the caller
// can set. Checksums stay zero (rwin does not check them; offload leaves them wrong in real
// captures).
#pragma once

#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <optional>
#include <string_view>
#include <utility>
#include <vector>

namespace rwin::test {

using Bytes = std::vector<std::uint8_t>;

inline Bytes cat(std::initializer_list<Bytes> parts) {
  Bytes all;
  for (const Bytes& part : parts) all.insert(all.end(), part.begin(), part.end());
  return all;
}
inline Bytes zeros(std::size_t count) { return Bytes(count, 0); }
inline Bytes be16(std::uint32_t v) {
  return {static_cast<std::uint8_t>(v >> 8), static_cast<std::uint8_t>(v)};
}
inline Bytes be32(std::uint32_t v) { return cat({be16(v >> 16), be16(v)}); }
inline Bytes le16(std::uint32_t v) {
  return {static_cast<std::uint8_t>(v), static_cast<std::uint8_t>(v >> 8)};
}
inline Bytes le32(std::uint32_t v) { return cat({le16(v), le16(v >> 16)}); }

// "08 00 45" -> bytes; blanks are skipped.
inline Bytes hex(std::string_view text) {
  const auto digit = [](char c) {
    return static_cast<unsigned>(c <= '9' ? c - '0' : (c | 0x20) - 'a' + 10);
  };
  Bytes bytes;
  unsigned high = 0;
  bool half = false;
  for (const char c : text) {
    if (c == ' ' || c == '\n') continue;
    if (half) bytes.push_back(static_cast<std::uint8_t>(high << 4 | digit(c)));
    high = digit(c);
    half = !half;
  }
  return bytes;
}

struct Tcp {
  std::uint16_t source_port = 40000;
  std::uint16_t destination_port = 443;
  std::uint32_t seq = 0x01020304;
  std::uint32_t ack = 0x0a0b0c0d;
  std::uint8_t flags = 0x10;
  std::uint16_t window = 0x1234;
  Bytes options{};                   // padded with zeros (EOL) to whole words
  std::size_t payload = 0;           // bytes of value 0x55
  std::optional<int> data_offset{};  // in words; default: what the options need
};

inline Bytes build(const Tcp& t) {
  Bytes options = t.options;
  options.resize((options.size() + 3) / 4 * 4);
  const int words = t.data_offset.value_or(static_cast<int>(5 + options.size() / 4));
  return cat({be16(t.source_port), be16(t.destination_port), be32(t.seq), be32(t.ack),
              Bytes{static_cast<std::uint8_t>(words << 4), t.flags}, be16(t.window), zeros(4),
              options, Bytes(t.payload, 0x55)});
}

// A UDP datagram to a port.
inline Bytes udp(std::uint16_t to, const Bytes& payload, std::uint16_t from = 50'000) {
  return cat({be16(from), be16(to), be16(static_cast<std::uint32_t>(8 + payload.size())), be16(0),
              payload});
}

struct Ipv4 {
  std::uint8_t protocol = 6;
  std::uint8_t ttl = 57;
  std::uint16_t id = 0xbeef;
  std::uint16_t fragment = 0x4000;       // flags and offset field
  Bytes options{};                       // whole words
  std::optional<std::uint16_t> total{};  // total length; default: the right one
  std::optional<std::uint8_t> first{};   // version and header length byte
  std::uint32_t source = 0x0a000001;     // 10.0.0.1
  std::uint32_t destination = 0x0a000002;
};

inline Bytes build(const Ipv4& ip, const Bytes& payload) {
  const std::size_t header = 20 + ip.options.size();
  const auto total = static_cast<std::uint32_t>(header + payload.size());
  const std::uint8_t first = static_cast<std::uint8_t>(0x40 | header / 4);
  return cat({Bytes{ip.first.value_or(first), 0},
              be16(ip.total.value_or(static_cast<std::uint16_t>(total))), be16(ip.id),
              be16(ip.fragment), Bytes{ip.ttl, ip.protocol, 0, 0}, be32(ip.source),
              be32(ip.destination), ip.options, payload});
}

struct Ipv6 {
  std::uint8_t next = 6;
  std::uint8_t hop_limit = 57;
  std::optional<std::uint16_t> length{};  // payload length; default: the right one
  std::uint8_t source_last = 1;           // 2001:db8::1
  std::uint8_t destination_last = 2;
};

inline Bytes ipv6_address(std::uint8_t last) {
  Bytes address = hex("20010db8 00000000 00000000 00000000");
  address.back() = last;
  return address;
}

// `payload` starts with the extension headers, if any.
inline Bytes build(const Ipv6& ip, const Bytes& payload) {
  const auto length = ip.length.value_or(static_cast<std::uint16_t>(payload.size()));
  return cat({hex("60000000"), be16(length), Bytes{ip.next, ip.hop_limit},
              ipv6_address(ip.source_last), ipv6_address(ip.destination_last), payload});
}

inline Bytes ethernet(std::uint16_t type, const Bytes& payload) {
  return cat({hex("020000000002 020000000001"), be16(type), payload});
}

// Options as they stand on the wire.
namespace option {
inline Bytes mss(std::uint16_t v) { return cat({hex("0204"), be16(v)}); }
inline Bytes scale(std::uint8_t v) { return {3, 3, v}; }
inline Bytes sack_permitted() { return {4, 2}; }
inline Bytes timestamps(std::uint32_t value, std::uint32_t echo) {
  return cat({hex("080a"), be32(value), be32(echo)});
}
inline Bytes nop() { return {1}; }
inline Bytes sack(const std::vector<std::pair<std::uint32_t, std::uint32_t>>& blocks) {
  Bytes all{5, static_cast<std::uint8_t>(2 + 8 * blocks.size())};
  for (const auto& [left, right] : blocks) all = cat({all, be32(left), be32(right)});
  return all;
}
// What Linux sends on a SYN: mss, sack permitted, timestamps, nop, scale.
inline Bytes linux_syn(std::uint16_t mss_value, std::uint8_t shift) {
  return cat({mss(mss_value), sack_permitted(), timestamps(1000, 0), nop(), scale(shift)});
}
}  // namespace option

}  // namespace rwin::test
