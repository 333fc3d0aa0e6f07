// The modes that capture: `rwin -i`, `rwin run`, `rwin -D`.
#pragma once

#include <csignal>
#include <functional>

#include "app/exit_code.h"
#include "app/options.h"
#include "app/output.h"

namespace rwin::app {

// What run.cpp lends: the flag that SIGINT sets, and how failures and warnings reach people.
struct LiveHooks {
  const volatile std::sig_atomic_t* stop = nullptr;
  std::function<ExitCode(const Failure&)> fail;  // prints it, in the format asked for
  std::function<ExitCode(const Failure&)> say;   // prints it for people only: the report is out
  std::function<void(const std::string&)> warn;
};

// -i on a terminal, without another output asked for.
bool wants_dashboard(const Options& options);

int run_live(const Options& options, const LiveHooks& hooks);
int run_interfaces(const LiveHooks& hooks);

}  // namespace rwin::app
