// Between the parser and the meaning: which options were given, with which words. Inside app/ only.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "app/exit_code.h"
#include "app/option_table.h"
#include "app/options.h"

namespace rwin::app {

// What was given for an option: how often, and its arguments.
struct Given {
  std::size_t count = 0;
  std::vector<std::string> values;
  bool refused = false;  // --json=false on the command line: not from elsewhere either
  std::string where;     // of a setting (settings.h); empty: the command line
  [[nodiscard]] const std::string& last() const { return values.back(); }
};

struct Words {
  std::map<OptionId, Given> options;
  std::vector<std::string> rest;
  std::vector<std::string> arguments;  // all of them as typed; only for commands
  // Options that the command does not have were not given.
  [[nodiscard]] bool has(OptionId id) const {
    const auto found = options.find(id);
    return found != options.end() && found->second.count > 0;
  }
  [[nodiscard]] bool typed(OptionId id) const { return has(id) && options.at(id).where.empty(); }
  [[nodiscard]] const Given& operator[](OptionId id) const { return options.at(id); }
};

// A failure of the command line (exit code 2).
Failure usage_failure(std::string message, std::string hint);
std::vector<std::string> split(std::string_view text, char separator);

// Puts `parse(text)` into `out`; a failure that names the forms where it does not fit.
template <class Out, class Parse>
std::optional<Failure> read_value(const Words& words, OptionId id, std::string_view name,
                                  std::string_view forms, Out& out, Parse parse) {
  if (!words.has(id)) return std::nullopt;
  const std::string& text = words[id].last();
  const auto value = parse(text);
  if (!value)
    return usage_failure(std::string(name) + " " + text + ": not understood",
                         "use " + std::string(forms));
  out = *value;
  return std::nullopt;
}

// Runs checks until one fails.
template <class... Checks>
std::optional<Failure> first_failure(Checks... checks) {
  std::optional<Failure> failure;
  ((failure = checks(), failure.has_value()) || ...);
  return failure;
}

// --html and --svg, once the rest is known.
std::optional<Failure> read_pictures(const Words& words, Options& options);

std::optional<Units> units_from(std::string_view word);
std::optional<rules::Link> link_from(std::string_view word);

// What the words mean, for `rwin FILE...` and for each command.
std::variant<Options, Failure> interpret_report(const Words& words);
std::variant<Options, Failure> interpret_calc(const Words& words);
std::variant<Options, Failure> interpret_tune(const Words& words);
std::variant<Options, Failure> interpret_check(const Words& words);
std::variant<Options, Failure> interpret_compare(const Words& words);
std::variant<Options, Failure> interpret_run(Words words, std::vector<std::string> command);

}  // namespace rwin::app
