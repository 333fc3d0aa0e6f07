// How fast this host's network devices are.
#pragma once

#include <optional>
#include <string>
#include <vector>

namespace rwin::capture {

// Bit/s that the device has agreed on with its other end (Linux: /sys/class/net/NAME/speed).
// nullopt for what has no such speed: Wi-Fi, tunnels, virtual links (which report an invented one),
// a device that is down, other systems. `root`: a folder that stands for "/".
std::optional<double> link_speed_bps(const std::string& root, const std::string& interface);

// The slowest of them; nullopt when one has none ("any" has none).
std::optional<double> slowest_link_bps(const std::string& root,
                                       const std::vector<std::string>& interfaces);

}  // namespace rwin::capture
