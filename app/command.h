// What a command hands to main: its text and exit code. Failures travel as Failure.
#pragma once

#include <string>
#include <variant>
#include <vector>

#include "app/exit_code.h"

namespace rwin::app {

struct CommandResult {
  std::string text;  // for standard output
  ExitCode code = ExitCode::ok;
  std::vector<std::string> warnings{};  // for standard error, one line each
  std::string page{};                   // for --html
};
using CommandAnswer = std::variant<CommandResult, Failure>;

}  // namespace rwin::app
