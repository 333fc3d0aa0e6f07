// Hand-made results for the tests of the rules: one download, changed by each test where it
// matters.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "analysis/result.h"
#include "rules/assess.h"
#include "rules/catalogue_data.h"

namespace rwin::rules::test {

using analysis::ConnectionResult;
using analysis::DirectionResult;
using analysis::HandshakeSide;
using analysis::Limit;
using analysis::Presence;
using analysis::Tri;

inline analysis::Address v4(std::uint8_t a, std::uint8_t b, std::uint8_t c, std::uint8_t d) {
  analysis::Address address;
  address.bytes = {a, b, c, d};
  address.family = 4;
  return address;
}

// One end's SYN: options as in the fingerprint file; shift -1 for no window-scale option.
inline HandshakeSide offer(std::string_view layout, std::uint8_t ttl, std::uint16_t window,
                           int shift, std::uint16_t mss = 1460) {
  HandshakeSide side;
  side.seen = true;
  side.mss = Tri<std::uint16_t>::of(mss);
  side.window = window;
  side.ttl = ttl;
  side.window_scale = shift < 0 ? Tri<std::uint8_t>::none()
                                : Tri<std::uint8_t>::of(static_cast<std::uint8_t>(shift));
  const bool with_eol = layout.size() > 4 && layout.substr(layout.size() - 4) == ",eol";
  const auto kinds = parse_layout(layout);
  for (const std::uint8_t kind : *kinds) {
    if (kind == 8) side.timestamps = Tri<bool>::of(true);
    if (kind == 4) side.sack = Tri<bool>::of(true);
    side.option_kinds[side.option_kind_count++] = kind;
  }
  if (with_eol) side.option_kinds[side.option_kind_count++] = 0;
  return side;
}

inline constexpr std::string_view kLinuxLayout = "mss,sok,ts,nop,ws";
inline HandshakeSide linux_offer(int shift = 7) { return offer(kLinuxLayout, 64, 64240, shift); }
inline HandshakeSide windows_offer(int shift = 8) {
  return shift < 0 ? offer("mss,nop,nop,sok", 128, 64240, -1)
                   : offer("mss,nop,ws,nop,nop,sok", 128, 64240, shift);
}
inline HandshakeSide macos_offer(int shift = 6) {
  return offer("mss,nop,ws,nop,nop,ts,sok,eol", 64, 65535, shift);
}
// Mac OS X 10.4 as it left the factory.
inline HandshakeSide tiger_offer() { return offer("mss,nop,ws,nop,nop,ts", 64, 65535, 0); }

struct Case {
  ConnectionResult connection;
  DirectionResult direction;
  Settings settings;

  [[nodiscard]] Assessment assess() const {
    ConnectionResult whole = connection;
    whole.directions.push_back(direction);
    return rules::assess(whole, direction, settings, Catalogue::built_in());
  }
};

// 198.51.100.7:443 sends to 192.0.2.10:51544 (the client); nothing known of the limit yet.
inline Case download() {
  Case c;
  c.connection.id = 1;
  c.connection.client = {v4(192, 0, 2, 10), 51544};
  c.connection.server = {v4(198, 51, 100, 7), 443};
  c.connection.syn_seen = c.connection.syn_ack_seen = true;
  c.connection.client_offer = linux_offer();
  c.connection.server_offer = linux_offer();
  DirectionResult& d = c.direction;
  d.from_client = false;
  d.bytes = 1'000'000;
  d.segments = 700;
  d.acks = 350;
  d.mss = 1460;
  d.largest_payload = 1460;
  d.data_seen = d.acks_seen = true;
  d.scale = {Presence::known, 7, false};
  d.goodput_bps = 790'000;
  d.rtt_base_us = 330'000;
  d.rtt_p50_us = 331'000;
  d.rtt_p90_us = 335'000;
  d.confidence = 0.9;
  return c;
}

// The same, held by a window of 32768 bytes at 330 ms: 0.79 Mbit/s.
inline Case window_limited(std::uint64_t window = 32768, std::int64_t rtt_us = 330'000) {
  Case c = download();
  DirectionResult& d = c.direction;
  d.limit = Limit::receiver_window;
  d.window_max = d.window_p50 = d.window_min = d.window_first = window;
  d.window_field_max = static_cast<std::uint32_t>(window >> 7);
  d.blocked_window = window;
  d.blocked_rtt_us = rtt_us;
  d.rtt_base_us = rtt_us;
  d.rtt_p50_us = rtt_us;
  const double ceiling = static_cast<double>(window) * 8e6 / static_cast<double>(rtt_us);
  d.blocked_rate_bps = 0.98 * ceiling;
  d.goodput_bps = 0.9 * ceiling;
  d.busy_us = 10'000'000;
  d.blocked_us = 9'500'000;
  d.flight_max = window;
  d.flight_p50 = window;
  return c;
}

inline bool has(const std::vector<std::string>& list, std::string_view text) {
  return std::find(list.begin(), list.end(), text) != list.end();
}
inline bool mentions(const std::vector<std::string>& list, std::string_view text) {
  return std::any_of(list.begin(), list.end(),
                     [&](const std::string& s) { return s.find(text) != std::string::npos; });
}
inline const Advice* find(const Assessment& assessment, std::string_view id) {
  for (const Advice& advice : assessment.advice) {
    if (advice.id == id) return &advice;
  }
  return nullptr;
}
inline bool raises(const Assessment& assessment) {
  return std::any_of(assessment.advice.begin(), assessment.advice.end(),
                     [](const Advice& advice) { return advice.window_bytes.has_value(); });
}

}  // namespace rwin::rules::test
