#include "app/setting_keys.h"

#include <fmt/format.h>

#include <algorithm>

namespace rwin::app {

const OptionSpec* find_key(std::span<const OptionSpec> specs, std::string_view key) {
  const auto at = std::find_if(specs.begin(), specs.end(), [&](const OptionSpec& spec) {
    return long_name(spec).substr(2) == key;
  });
  return at == specs.end() ? nullptr : &*at;
}

const OptionSpec* find_anywhere(std::string_view key) {
  if (const OptionSpec* spec = find_key(kOptions, key)) return spec;
  for (const CommandSpec& command : kCommands) {
    if (const OptionSpec* spec = find_key(command.options, key)) return spec;
  }
  return nullptr;
}

const CommandSpec* find_command(std::string_view name) {
  const auto at = std::find_if(kCommands.begin(), kCommands.end(),
                               [&](const CommandSpec& command) { return command.name == name; });
  return at == kCommands.end() ? nullptr : &*at;
}

std::vector<std::string> keys_of(std::string_view command) {
  std::vector<std::string> keys;
  const auto add = [&](std::span<const OptionSpec> specs) {
    for (const OptionSpec& spec : specs) {
      if (!spec.help.empty() && spec.id != OptionId::config)
        keys.emplace_back(long_name(spec).substr(2));
    }
  };
  if (!command.empty()) {
    add(find_command(command)->options);
    return keys;
  }
  add(kOptions);
  for (const CommandSpec& one : kCommands) add(one.options);
  return keys;
}

std::string variable_name(std::string_view command, const OptionSpec& spec) {
  std::string name = command.empty() ? "RWIN_" : fmt::format("RWIN_{}_", command);
  name += long_name(spec).substr(2);
  for (char& c : name) c = c == '-' ? '_' : c >= 'a' && c <= 'z' ? static_cast<char>(c - 32) : c;
  return name;
}

}  // namespace rwin::app
