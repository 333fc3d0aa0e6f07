// Addresses as text, and back.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "analysis/segment.h"

namespace rwin {
inline namespace text {

// "192.0.2.1", "2001:db8::1" (RFC 5952); empty for an address of no family.
std::string address_text(const analysis::Address& address);
// "192.0.2.1:443", "[2001:db8::1]:443".
std::string endpoint_text(const analysis::Endpoint& endpoint);
// IPv4 or IPv6, brackets allowed.
std::optional<analysis::Address> parse_address(std::string_view text);

}  // namespace text
}  // namespace rwin
