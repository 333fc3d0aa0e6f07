// A capture file in the dashboard: read to its end, kept, shown with a time cursor.
#pragma once

#include <csignal>

#include "app/exit_code.h"
#include "app/options.h"

namespace rwin::app {

// `rwin --tui FILE...`. Failures are reported on standard error by the caller.
struct FileViewEnd {
  ExitCode code = ExitCode::ok;
  std::optional<Failure> failure;
  std::vector<std::string> warnings;
};
FileViewEnd view_files(const Options& options, const volatile std::sig_atomic_t& stop);

}  // namespace rwin::app
