#include "capture/host/link_speed.h"

#include <unistd.h>

#include <algorithm>
#include <fstream>

namespace rwin::capture {

std::optional<double> link_speed_bps(const std::string& root, const std::string& interface) {
  if (interface.empty() || interface.find('/') != std::string::npos) return std::nullopt;
  const std::string folder = root + "/sys/class/net/" + interface;
  if (access((folder + "/device").c_str(), F_OK) != 0) return std::nullopt;  // virtual
  long megabits = 0;
  std::ifstream file(folder + "/speed");
  if (!(file >> megabits) || megabits <= 0) return std::nullopt;
  return static_cast<double>(megabits) * 1e6;
}

std::optional<double> slowest_link_bps(const std::string& root,
                                       const std::vector<std::string>& interfaces) {
  std::optional<double> slowest;
  for (const std::string& name : interfaces) {
    const auto speed = link_speed_bps(root, name);
    if (!speed) return std::nullopt;
    slowest = std::min(slowest.value_or(*speed), *speed);
  }
  return slowest;
}

}  // namespace rwin::capture
