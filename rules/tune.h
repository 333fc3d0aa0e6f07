// Settings for a line on a platform of the catalogue, from the [tune] table of its file. Pure.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "rules/line.h"
#include "rules/platform.h"

namespace rwin::rules {

// How settings outlive a restart.
enum class Persist : std::uint8_t {
  sysctl_d,     // a file in /etc/sysctl.d
  sysctl_conf,  // lines in /etc/sysctl.conf
  launchd,      // a LaunchDaemon that runs sysctl
  itself        // what is set stays set
};

struct SysctlSetting {
  std::string key, value;
};

struct RegistryValue {
  std::string path, name;  // path with HKLM in front
  std::uint32_t value = 0;
};

struct TunePlan {
  std::string platform, title;
  LineNeed need;
  bool tunable = true;               // false: nobody can change this system
  std::uint64_t default_window = 0;  // that an untouched system reaches; 0: not known
  bool enough_untouched = false;
  // What the settings reach: the need, rounded up by the platform's steps, or its largest window.
  std::uint64_t window = 0, buffer = 0, cap = 0;
  std::optional<std::uint32_t> connections;  // side by side, where one cannot fill the line
  double expected_bps = 0;                   // of one connection after the change; at most the line
  // In the order in which they are set, a limit before what it limits.
  std::vector<SysctlSetting> sysctl;
  std::vector<RegistryValue> registry;
  std::vector<std::string> commands, powershell;
  std::vector<std::string> look, persist_lines, undo;  // beside what follows from the above
  Persist persist = Persist::itself;
  std::string takes_effect;
  std::vector<std::string> notes, warnings;
};

// nullopt: no such platform. `buffer`: the value to configure, where the host itself told its
// ratio; else it follows from the platform, and is never below what an untouched system has.
std::optional<TunePlan> plan_for(const Catalogue& catalogue, std::string_view id,
                                 const LineNeed& need,
                                 std::optional<std::uint64_t> buffer = std::nullopt);

}  // namespace rwin::rules
