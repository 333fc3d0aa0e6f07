#include "text/address.h"

#include <arpa/inet.h>

#include <array>

namespace rwin {
inline namespace text {

std::string address_text(const analysis::Address& address) {
  if (address.family != 4 && address.family != 6) return {};
  std::array<char, INET6_ADDRSTRLEN> text{};
  const int family = address.family == 4 ? AF_INET : AF_INET6;
  if (inet_ntop(family, address.bytes.data(), text.data(), text.size()) == nullptr) return {};
  return text.data();
}

std::string endpoint_text(const analysis::Endpoint& endpoint) {
  const std::string address = address_text(endpoint.address);
  const std::string port = std::to_string(endpoint.port);
  return endpoint.address.family == 6 ? "[" + address + "]:" + port : address + ":" + port;
}

std::optional<analysis::Address> parse_address(std::string_view text) {
  if (text.size() > 2 && text.front() == '[' && text.back() == ']')
    text = text.substr(1, text.size() - 2);
  const std::string name(text);
  analysis::Address address;
  if (inet_pton(AF_INET, name.c_str(), address.bytes.data()) == 1) {
    address.family = 4;
    return address;
  }
  address.bytes = {};
  if (inet_pton(AF_INET6, name.c_str(), address.bytes.data()) == 1) {
    address.family = 6;
    return address;
  }
  return std::nullopt;
}

}  // namespace text
}  // namespace rwin
