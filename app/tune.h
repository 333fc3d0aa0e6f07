// `rwin tune`: settings for a line, for a named system or for this host, shown, applied or
// reverted.
#pragma once

#include <string>
#include <variant>

#include "app/command.h"
#include "app/options.h"
#include "app/style.h"
#include "rules/host_tune.h"

namespace rwin::app {

// Everything, up to the change of the host. Asks on standard error and reads the answer from
// standard input where the host is to be changed without --yes.
CommandAnswer tune(const Options& options, const Style& style);

// One of the forms that are files: sh, reg, ps1, plist, sysctl.d. A failure where the system has
// nothing that this form could hold. `command`: for the first comment.
std::variant<std::string, Failure> tune_file(const rules::TunePlan& plan, TuneFormat format,
                                             const std::string& command);
std::string tune_text(const rules::TunePlan& plan, const std::string& command, const Style& style);
// `host`: the plan for this host, else nullptr. `done`: "", "applied", "reverted", "unchanged".
std::string tune_json(const rules::TunePlan& plan, const rules::HostPlan* host,
                      const std::string& done);

// The part that knows this host (tune_host.cpp).
CommandAnswer tune_host(const Options& options, const Style& style);

}  // namespace rwin::app
