// The manual page, made from the tables of options, commands, keys and exit codes.
#pragma once

#include <string>

namespace rwin::app {

// rwin(1) in the man macros of troff; the same for everybody and at any time.
std::string manual_page();

}  // namespace rwin::app
