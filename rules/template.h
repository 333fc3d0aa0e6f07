// Fills the placeholders of a fix: "{window}" in a command becomes the figure of this flow. Inside
// rules/ only.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>

namespace rwin::rules {

// What the placeholders stand for. Sizes are bytes, printed as plain digits (commands need them
// so).
struct FixValues {
  std::uint64_t window = 0;      // wanted
  std::uint64_t window_now = 0;  // the present largest
  std::uint64_t buffer = 0;      // to configure
  std::uint64_t cap = 0;         // the limit around it
  std::uint64_t flight = 0;      // the present largest flight
  std::uint32_t mss = 0;
  std::uint32_t connections =
      0;                   // {connections_16}: the same, at most 16 (the most that aria2c takes)
  std::uint8_t shift = 0;  // that the wanted window needs
  std::string host, peer;  // addresses: the end to change, the other end
  std::string peer_ss;     // the peer as ss takes it: IPv6 in quoted brackets
  std::uint16_t host_port = 0, peer_port = 0;
};

inline constexpr std::array<std::string_view, 16> kPlaceholders = {
    "connections_16", "window", "window_now", "buffer", "cap",     "flight",    "mss",
    "rmem_max",  // the buffer, but never below Linux' default of net.core.rmem_max
    "connections",    "shift",  "host",       "peer",   "peer_ss", "host_port", "peer_port",
    "autotuning"};  // Windows' level for the window: normal, or experimental above 16776960

// Every placeholder replaced. The text must have passed check_template.
std::string fill(std::string_view text, const FixValues& values);

// Every "{name}" replaced by what `append(out, name)` adds.
template <class Append>
std::string fill_with(std::string_view text, const Append& append) {
  std::string out;
  out.reserve(text.size() + 24);
  while (!text.empty()) {
    const std::size_t open = text.find('{');
    out += text.substr(0, open);
    if (open == std::string_view::npos) break;
    const std::size_t close = text.find('}', open);
    if (close == std::string_view::npos) break;
    append(out, text.substr(open + 1, close - open - 1));
    text.remove_prefix(close + 1);
  }
  return out;
}

// Empty when every brace belongs to a placeholder in `known`, else what is wrong.
std::string check_template(std::string_view text,
                           std::span<const std::string_view> known = kPlaceholders);

}  // namespace rwin::rules
