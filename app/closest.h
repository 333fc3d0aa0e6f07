// What a word that nobody knows was probably meant to be.
#pragma once

#include <span>
#include <string>
#include <string_view>

namespace rwin::app {

// The word of `known` that `given` is a slip of: at most two characters missing, added, changed or
// swapped, and no more than half of them. Empty: none is so near.
std::string closest(std::string_view given, std::span<const std::string> known);

// The same among the commands, for a first word that is neither a command nor a file. Never for a
// path, a name with an ending or an option.
std::string closest_command(std::string_view given);

}  // namespace rwin::app
