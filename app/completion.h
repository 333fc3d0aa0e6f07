// Completion of the command line in shells, made from the tables of options and commands.
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace rwin::app {

// The script for "bash", "zsh" or "fish"; nullopt for any other word.
std::optional<std::string> completions(std::string_view shell);

}  // namespace rwin::app
