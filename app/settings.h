// Options that are not on the command line: files and the environment. The command line wins over
// the environment, it over the user's file, that over the system's. Inside app/ only.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "app/exit_code.h"
#include "app/option_table.h"

namespace rwin::app {

struct Words;

// One option as somebody set it.
struct Setting {
  std::string_view command;  // of a command's own table; empty: for all that have the option
  OptionId id;
  bool on = true;                     // a flag
  std::vector<std::string> values{};  // as they would be typed; of an option with an argument
  std::string where{};                // "/etc/rwin/config.toml:3" or "RWIN_TOP"
  bool environment = false;
};

struct Settings {
  std::vector<Setting> all;           // what wins stands first
  std::vector<std::string> warnings;  // one line each
};
using SettingsRead = std::variant<Settings, Failure>;

// Where settings come from; tests give their own.
struct Surroundings {
  std::function<std::optional<std::string>(const std::string& name)> variable;
  std::string system_file;  // /etc/rwin/config.toml
  unsigned user = 0;        // that the program runs as
};
Surroundings surroundings();

// `file` (--config) instead of the user's and the system's. A fault is a Failure that names the
// file and the line, or the variable.
SettingsRead read_settings(const Surroundings& from, const std::optional<std::string>& file);

// The keys in one file's text, for read_settings().
std::optional<Failure> read_settings_text(const std::string& file, std::string_view text,
                                          std::vector<Setting>& out);

// Adds what `command` (empty: none) takes from `settings` to the words of the command line.
void add_settings(const Settings& settings, std::string_view command,
                  std::span<const OptionSpec> specs, Words& words);

// For --print-config: every key with its value and where that comes from, as TOML that can be read
// back. `settings` are those read, `words` the command line's; without any it is a template.
std::string settings_text(const Settings& settings, const Words& words);

}  // namespace rwin::app
