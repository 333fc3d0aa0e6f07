// The dashboard's loop: snapshots and keys in, pictures out. Where snapshots come from:
// file_view.h, live_view.h.
#pragma once

#include <functional>
#include <string>
#include <variant>

#include "app/exit_code.h"
#include "app/options.h"
#include "tui/model/snapshot.h"

namespace rwin::app {

struct DashboardSource {
  // The newest snapshot; null before the first. The same pointer as long as there is no newer one.
  std::function<tui::SnapshotPtr()> latest;
  // Sets the capture filter; what went wrong, empty: nothing. Empty function: not possible here.
  std::function<std::string(const std::string&)> set_filter;
  // Saves report and JSON; one line that says where, or what went wrong.
  std::function<std::string()> save;
  // Begins to save packets, or ends it; one line that says where, or what went wrong.
  std::function<std::string()> save_packets;
  std::function<bool()> saving;  // packets are being saved
  // True once the dashboard shall end by itself (the command of `rwin run` is over). May be empty.
  std::function<bool()> over;
};

struct DashboardEnd {
  bool full_report = false;    // Q
  bool interrupted = false;    // ctrl-c, or SIGINT
  bool terminal_gone = false;  // nothing can be shown any more
  tui::SnapshotPtr last;       // what was shown last; null: nothing
};

// Until the user quits, a signal comes or the terminal is gone. The terminal is given back when it
// returns.
std::variant<DashboardEnd, Failure> run_dashboard(const Options& options,
                                                  const DashboardSource& source);

// The lines that stay in the scrollback, to standard output.
void print_short_verdict(const tui::Snapshot& snapshot, const Options& options);

}  // namespace rwin::app
