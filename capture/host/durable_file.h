// Small files that are there as a whole or not at all, also after a crash or a power cut.
#pragma once

#include <optional>
#include <string>

#include "capture/result.h"

namespace rwin::capture {

// nullopt inside: no such file. At most 1 MiB.
Result<std::optional<std::string>> read_small_file(const std::string& path);

// Writes a new file beside `path`, syncs it, renames it over `path`, syncs the folder (mode 0644).
// The folder is made where it is missing.
std::optional<Error> replace_file(const std::string& path, const std::string& content);

// Removes `path` (none: fine) and syncs the folder.
std::optional<Error> remove_file(const std::string& path);

// An error of the last system call: "cannot write PATH: Permission denied".
Error system_error(const std::string& what);

}  // namespace rwin::capture
