// Figures and addresses as people read them. Used by verdicts and advice.
#pragma once

#include <cstdint>
#include <string>

#include "analysis/segment.h"

namespace rwin::rules {

// "192.0.2.10", "2001:db8::1" (RFC 5952); "?" for an address without a family.
std::string format_address(const analysis::Address& address);
// With the port: "192.0.2.10:443", "[2001:db8::1]:443".
std::string format_endpoint(const analysis::Endpoint& endpoint);
// Digits in groups of three: "262 144".
std::string format_count(std::uint64_t value);
// "0.79 Mbit/s", "24.1 Mbit/s", "640 kbit/s", "1.20 Gbit/s".
std::string format_rate(double bps);
// "0.4 ms", "82 ms", "2.1 s".
std::string format_time(std::int64_t microseconds);

}  // namespace rwin::rules
