// The pipeline of `rwin FILE...`: filter, files, decode, engine, verdicts, report.
#pragma once

#include <csignal>

#include "app/exit_code.h"
#include "app/options.h"
#include "app/report.h"

namespace rwin::app {

// Reads everything, then reports. `stop` set (by SIGINT): reading ends there and what there is gets
// reported. A failure has been reported in the form asked for when it is returned.
struct Outcome {
  ExitCode code = ExitCode::ok;
  std::optional<Failure> failure;
  std::vector<std::string> warnings;
};
Outcome analyze(const Options& options, Report& report, const volatile std::sig_atomic_t& stop,
                bool show_progress);

}  // namespace rwin::app
