// What --print-config prints.
#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <set>

#include "app/command_table.h"
#include "app/option_words.h"
#include "app/settings.h"
#include "text/text.h"

namespace rwin::app {
namespace {

constexpr std::size_t kWidth = 98;

// A TOML string that reads back as `text`. Bytes that are no UTF-8, which no TOML text can hold,
// stand as escape_terminal() shows them.
std::string toml_quoted(std::string_view text) {
  std::string out = "\"";
  while (!text.empty()) {
    char32_t c = 0;
    const std::size_t length = utf8_sequence(text, c);
    if (length == 0)
      out += "\\" + escape_terminal(text.substr(0, 1), false);
    else if (steers_terminal(c))
      out += fmt::format("\\u{:04x}", static_cast<std::uint32_t>(c));
    else if (c == '"' || c == '\\')
      out += {'\\', static_cast<char>(c)};
    else
      out += text.substr(0, length);
    text.remove_prefix(std::max<std::size_t>(length, 1));
  }
  return out + '"';
}

bool is_number(const std::string& text) {
  return !text.empty() && text.size() < 16 && (text == "0" || text[0] != '0') &&
         text.find_first_not_of("0123456789") == std::string::npos;
}

std::string value_text(const OptionSpec& spec, bool on, const std::vector<std::string>& values) {
  if (spec.argument.empty() || values.empty()) return on ? "true" : "false";
  std::vector<std::string> parts;
  parts.reserve(values.size());
  for (const std::string& value : values)
    parts.push_back(is_number(value) ? value : toml_quoted(value));
  return parts.size() == 1 ? parts[0] : fmt::format("[{}]", fmt::join(parts, ", "));
}

// "top = 20  # default", or in a comment what has no value.
std::string line_of(const OptionSpec& spec, std::string_view command, const Settings& settings,
                    const Words& words) {
  const std::string key(long_name(spec).substr(2));
  const auto line = [&](bool on, const std::vector<std::string>& values, std::string_view from) {
    return fmt::format("{} = {}  # {}\n", key, value_text(spec, on, values),
                       escape_terminal(from, true));
  };
  if (command.empty() && words.has(spec.id))
    return line(true, words[spec.id].values, "command line");
  const auto given = words.options.find(spec.id);
  if (command.empty() && given != words.options.end() && given->second.refused)
    return line(false, {}, "command line");
  for (const Setting& one : settings.all) {
    if (one.id == spec.id && one.command == command) return line(one.on, one.values, one.where);
  }
  if (!command.empty()) return {};
  if (spec.argument.empty()) return line(false, {}, "default");
  if (!spec.standard.empty()) return line(true, {std::string(spec.standard)}, "default");
  return fmt::format("#{} = {}\n", key, toml_quoted(spec.argument));
}

}  // namespace

std::string settings_text(const Settings& settings, const Words& words) {
  std::string out =
      "# Settings of rwin: a key is a long option without its hyphens. Read from config.toml in\n"
      "# $XDG_CONFIG_HOME/rwin (else ~/.config/rwin), then from /etc/rwin/config.toml. The command "
      "line\n"
      "# (--top 50, --json=false) wins over the environment (RWIN_TOP=50, RWIN_JSON=0), it over "
      "the user's\n"
      "# file, that over the system's. Behind each value stands where it comes from.\n"
      "# Tables [calc], [compare], [tune], [check] and [run] hold keys for one command; its "
      "variables are\n"
      "# called RWIN_TUNE_RATE. Keys at the top count for commands as well, but for platform "
      "(tune),\n"
      "# fail-on (check), and rate, rtt and window (calc).\n";
  std::set<std::string_view> seen;
  const auto add = [&](const OptionSpec& spec) {
    if (spec.help.empty() || spec.id == OptionId::config || spec.id == OptionId::print_config ||
        !seen.insert(long_name(spec)).second)
      return;
    out += '\n';
    for (const std::string& part : wrap(spec.help, kWidth)) out += "# " + part + '\n';
    out += line_of(spec, {}, settings, words);
  };
  const OptionSpec* previous = nullptr;
  for (const OptionSpec& spec : kOptions) {
    if (previous == nullptr || previous->group != spec.group)
      out += fmt::format("\n# -- {} --\n", group_title(spec.group));
    add(spec);
    previous = &spec;
  }
  out += "\n# -- Of the commands --\n";
  for (const CommandSpec& command : kCommands) {
    for (const OptionSpec& spec : command.options) add(spec);
  }
  for (const CommandSpec& command : kCommands) {
    std::string lines;
    for (const OptionSpec& spec : command.options)
      lines += line_of(spec, command.name, settings, words);
    if (!lines.empty()) out += fmt::format("\n[{}]\n{}", command.name, lines);
  }
  return out;
}

}  // namespace rwin::app
