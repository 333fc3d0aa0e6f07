// Between the parser and the meaning: which options were given, with which words. Inside app/ only.
#pragma once

#include <map>
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
  [[nodiscard]] const std::string& last() const { return values.back(); }
};

struct Words {
  std::map<OptionId, Given> options;
  std::vector<std::string> rest;
  [[nodiscard]] bool has(OptionId id) const { return options.at(id).count > 0; }
  [[nodiscard]] const Given& operator[](OptionId id) const { return options.at(id); }
};

// A failure of the command line (exit code 2).
Failure usage_failure(std::string message, std::string hint);
std::vector<std::string> split(std::string_view text, char separator);

// What the words mean, for `rwin FILE...` and for `rwin calc`.
std::variant<Options, Failure> interpret_report(const Words& words);
std::variant<Options, Failure> interpret_calc(const Words& words);

}  // namespace rwin::app
