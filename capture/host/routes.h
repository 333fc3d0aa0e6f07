// This network namespace's routes with what they say about windows (rtnetlink(7)). Linux.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "capture/result.h"

namespace rwin::capture {

struct Route {
  std::string destination;     // "default", "192.0.2.0/24"
  std::string device;          // empty: none
  std::uint32_t window = 0;    // bytes; 0: no such attribute
  std::uint32_t initrwnd = 0;  // segments
  // The route as `ip route replace` takes it, `window` left out; empty where it has an attribute
  // that is not known here.
  std::string words;
};

// Unicast routes of all tables but "local", IPv4 then IPv6.
Result<std::vector<Route>> read_routes();

}  // namespace rwin::capture
