// Name and version of the program.
#pragma once

#include <string_view>

namespace rwin::app {

inline constexpr std::string_view kVersion = RWIN_VERSION;  // from project() in CMakeLists.txt

}  // namespace rwin::app
