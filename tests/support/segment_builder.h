// Segments for unit tests, written the way one reads a trace:
//
//   Talk talk(0xffffffec);                     // initial sequence number of both sides
//   engine.add(talk.server(10 * kMs).seq(1).len(1448).ack(101).win(512).push());
//
// Sequence and acknowledgement numbers are relative to the initial ones: the SYN is 0, the first
// byte of data 1.
#pragma once

#include <array>
#include <cstdint>

#include "analysis/segment.h"

namespace rwin::test {

inline constexpr std::int64_t kMs = 1'000;  // times of unit tests are microseconds
inline constexpr std::int64_t kSecond = 1'000'000;
inline constexpr std::int64_t kEpochNs = 1'700'000'000'000'000'000;

// Every test of windows and flights runs at these: zero, one, both sides of the sign, just before
// the wrap.
inline constexpr std::array<std::uint32_t, 5> kIsns = {0U, 1U, 0x7fffffffU, 0xffffffecU,
                                                       0xffffffffU};

inline analysis::Endpoint endpoint4(std::uint32_t address, std::uint16_t port) {
  analysis::Endpoint e;
  e.address.family = 4;
  for (std::size_t i = 0; i < 4; ++i) {
    e.address.bytes[i] = static_cast<std::uint8_t>(address >> (24 - 8 * i));
  }
  e.port = port;
  return e;
}

// One segment in the making; converts to analysis::Segment.
class Line {
 public:
  Line(const analysis::Endpoint& from, const analysis::Endpoint& to, std::int64_t time_us,
       std::uint32_t isn, std::uint32_t peer_isn)
      : isn_(isn), peer_isn_(peer_isn) {
    s_.source = from;
    s_.destination = to;
    s_.time_ns = kEpochNs + time_us * 1000;
    s_.seq = isn + 1;
    s_.window = 65535;
    s_.ttl = 64;
    s_.dont_fragment = true;
    s_.timestamps = analysis::Presence::absent;
  }
  Line& seq(std::int64_t relative) {
    s_.seq = isn_ + static_cast<std::uint32_t>(relative);
    return *this;
  }
  Line& ack(std::int64_t relative) {
    s_.ack = peer_isn_ + static_cast<std::uint32_t>(relative);
    return flags(analysis::flag::kAck);
  }
  Line& len(std::uint32_t payload) {
    s_.payload = payload;
    return *this;
  }
  Line& win(std::uint16_t field) {
    s_.window = field;
    return *this;
  }
  Line& flags(std::uint8_t bits) {
    s_.flags = static_cast<std::uint8_t>(s_.flags | bits);
    return *this;
  }
  Line& push() { return flags(analysis::flag::kPsh); }
  Line& fin() { return flags(analysis::flag::kFin); }
  Line& rst() { return flags(analysis::flag::kRst); }
  // SYN without any option: what it does not carry is absent, not unknown.
  Line& syn() {
    s_.seq = isn_;
    s_.mss = analysis::Tri<std::uint16_t>::none();
    s_.window_scale = analysis::Tri<std::uint8_t>::none();
    s_.sack_permitted = analysis::Tri<bool>::none();
    return flags(analysis::flag::kSyn);
  }
  Line& mss(std::uint16_t value) {
    s_.mss = analysis::Tri<std::uint16_t>::of(value);
    return *this;
  }
  Line& wscale(std::uint8_t shift) {
    s_.window_scale = analysis::Tri<std::uint8_t>::of(shift);
    return *this;
  }
  Line& sack_permitted() {
    s_.sack_permitted = analysis::Tri<bool>::of(true);
    return *this;
  }
  Line& options_cut() {
    s_.options_cut = true;
    s_.mss = {};
    s_.window_scale = {};
    s_.sack_permitted = {};
    s_.timestamps = analysis::Presence::unknown;
    return *this;
  }
  Line& ts(std::uint32_t value, std::uint32_t echo) {
    s_.timestamps = analysis::Presence::known;
    s_.tsval = value;
    s_.tsecr = echo;
    return *this;
  }
  // [left, right) of the peer's data, relative like ack().
  Line& sack(std::int64_t left, std::int64_t right) {
    if (s_.sack_count < analysis::kMaxSackBlocks) {
      s_.sack[s_.sack_count++] = {peer_isn_ + static_cast<std::uint32_t>(left),
                                  peer_isn_ + static_cast<std::uint32_t>(right)};
    }
    return *this;
  }
  Line& id(std::uint16_t ip_id) {
    s_.ip_id = ip_id;
    return *this;
  }
  operator analysis::Segment() const { return s_; }  // NOLINT: meant to convert

 private:
  analysis::Segment s_;
  std::uint32_t isn_, peer_isn_;
};

// A conversation of two hosts: makes segments of either side.
class Talk {
 public:
  explicit Talk(std::uint32_t isn = 1000) : Talk(isn, isn) {}
  Talk(std::uint32_t client_isn, std::uint32_t server_isn)
      : client_isn_(client_isn), server_isn_(server_isn) {}
  [[nodiscard]] Line client(std::int64_t time_us) const {
    return {client_end, server_end, time_us, client_isn_, server_isn_};
  }
  [[nodiscard]] Line server(std::int64_t time_us) const {
    return {server_end, client_end, time_us, server_isn_, client_isn_};
  }

  analysis::Endpoint client_end = endpoint4(0xc000020a, 51544);  // 192.0.2.10
  analysis::Endpoint server_end = endpoint4(0xc6336407, 443);    // 198.51.100.7

 private:
  std::uint32_t client_isn_, server_isn_;
};

}  // namespace rwin::test
