#include "rules/text.h"

#include <arpa/inet.h>
#include <fmt/compile.h>
#include <fmt/format.h>

#include <array>

namespace rwin::rules {

std::string format_address(const analysis::Address& address) {
  // Every connection of a capture is written: inet_ntop takes three times as long for IPv4.
  if (address.family == 4) {
    const auto& b = address.bytes;
    return fmt::format(FMT_COMPILE("{}.{}.{}.{}"), b[0], b[1], b[2], b[3]);
  }
  if (address.family != 6) return "?";
  std::array<char, INET6_ADDRSTRLEN> text{};
  if (inet_ntop(AF_INET6, address.bytes.data(), text.data(), text.size()) == nullptr) return "?";
  return text.data();
}

std::string format_endpoint(const analysis::Endpoint& endpoint) {
  const std::string address = format_address(endpoint.address);
  if (endpoint.address.family == 6)
    return fmt::format(FMT_COMPILE("[{}]:{}"), address, endpoint.port);
  return fmt::format(FMT_COMPILE("{}:{}"), address, endpoint.port);
}

std::string format_count(std::uint64_t value) {
  const std::string digits = std::to_string(value);
  std::string text;
  for (std::size_t i = 0; i < digits.size(); ++i) {
    if (i > 0 && (digits.size() - i) % 3 == 0) text += ' ';
    text += digits[i];
  }
  return text;
}

std::string format_rate(double bps) {
  if (bps >= 999.5e6) return fmt::format("{:.2f} Gbit/s", bps / 1e9);
  if (bps >= 99.95e6) return fmt::format("{:.0f} Mbit/s", bps / 1e6);
  if (bps >= 9.995e6) return fmt::format("{:.1f} Mbit/s", bps / 1e6);
  if (bps >= 0.1e6) return fmt::format("{:.2f} Mbit/s", bps / 1e6);
  return fmt::format("{:.1f} kbit/s", bps / 1e3);
}

std::string format_time(std::int64_t microseconds) {
  const double ms = static_cast<double>(microseconds) / 1e3;
  if (ms >= 999.5) return fmt::format("{:.1f} s", ms / 1e3);
  if (ms >= 9.95) return fmt::format("{:.0f} ms", ms);
  if (ms >= 0.95) return fmt::format("{:.1f} ms", ms);
  return fmt::format("{:.2f} ms", ms);
}

}  // namespace rwin::rules
