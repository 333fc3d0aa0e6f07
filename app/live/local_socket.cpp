#include "app/live/local_socket.h"

#include <cstdlib>

namespace rwin::app {

std::optional<bool> receive_buffer_fixed(const LocalSocket& socket) {
  if (socket.receive_buffer_fixed) return socket.receive_buffer_fixed;
  if (!socket.kernel || !socket.settings) return std::nullopt;
  const auto found = socket.settings->find("net.ipv4.tcp_rmem");  // least, first, most
  if (found == socket.settings->end()) return std::nullopt;
  const std::string& value = found->second;
  const std::size_t last = value.find_last_of(" \t");
  if (last == std::string::npos) return std::nullopt;
  const unsigned long most = std::strtoul(value.c_str() + last + 1, nullptr, 10);
  if (most > 0 && socket.kernel->receive_buffer == most) return false;
  return std::nullopt;
}

}  // namespace rwin::app
