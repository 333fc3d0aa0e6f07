// Name and version of the program.
#pragma once

#include <string>
#include <string_view>

namespace rwin::app {

inline constexpr std::string_view kVersion = RWIN_VERSION;  // from project() in CMakeLists.txt

// For -V: name and version, then what this build can do and what it was made without.
std::string version_text();

}  // namespace rwin::app
