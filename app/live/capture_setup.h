// The first steps of a live capture, in this order: may it be done at all, open the interfaces,
// make the command's process, open the outputs (so that they belong to the caller), give up all
// privileges, close the sandbox. Before any thread.
#pragma once

#include <cstdio>
#include <memory>
#include <optional>
#include <string>

#include "app/live/command.h"
#include "app/live/local_socket.h"
#include "app/live/metrics.h"
#include "app/options.h"
#include "app/output.h"
#include "capture/source/live.h"
#include "capture/source/writer.h"

namespace rwin::app {

struct CaptureSetup {
  std::unique_ptr<capture::LiveSource> source;
  std::unique_ptr<capture::CaptureWriter> writer;  // null without -w
  MetricsFile metrics;
  Command command;  // of `rwin run`
  // What the command says while the dashboard has the terminal; null: it says it itself.
  std::unique_ptr<std::FILE, int (*)(std::FILE*)> command_output{nullptr, std::fclose};
  std::shared_ptr<LocalSockets> local;  // this host's sockets
  std::optional<double> interface_bps;  // of the slowest interface
  std::string note;                     // what could not be closed; empty: all is
};

// `out` is opened too. On failure nothing is left running.
std::optional<Failure> set_up(const Options& options, CaptureSetup& setup, Output& out);

// From the capture's errors to the program's.
Failure failure_from(const capture::Error& error, const std::string& filter);

// "permission missing", with the exact commands for this call.
Failure missing_privilege(const std::string& interface, const std::string& call);

}  // namespace rwin::app
