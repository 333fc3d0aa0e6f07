// Called without any word on a terminal: which interface to watch?
#pragma once

#include <iosfwd>
#include <optional>
#include <string>
#include <vector>

#include "capture/source/live.h"

namespace rwin::app {

// Asks with a numbered list, those that are up first. A number, a name, or nothing for the first;
// nullopt: "q" or the end of the input.
std::optional<std::string> pick_interface(std::vector<capture::InterfaceInfo> interfaces,
                                          std::istream& in, std::ostream& out);

}  // namespace rwin::app
