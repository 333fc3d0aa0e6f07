// The program: arguments in, exit code out.
#pragma once

#include <string>
#include <vector>

namespace rwin::app {

// `arguments` without the program's name. Writes to standard output and standard error.
int run(const std::vector<std::string>& arguments);

}  // namespace rwin::app
