// What a key of the settings means: long options without their hyphens, and the commands' tables.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "app/command_table.h"

namespace rwin::app {

// nullptr: there is none of that name.
const OptionSpec* find_key(std::span<const OptionSpec> specs, std::string_view key);
// Among the options of the report, then of all commands.
const OptionSpec* find_anywhere(std::string_view key);
const CommandSpec* find_command(std::string_view name);

// The keys that the table of a command may have; of no command (""): those at the top.
std::vector<std::string> keys_of(std::string_view command);

// "RWIN_TOP"; with a command "RWIN_TUNE_RATE".
std::string variable_name(std::string_view command, const OptionSpec& spec);

}  // namespace rwin::app
