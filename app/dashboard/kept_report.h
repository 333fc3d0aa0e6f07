// A report kept in memory: what the dashboard shows, and what it saves or prints when asked.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "app/report.h"
#include "tui/model/snapshot.h"

namespace rwin::app {

class KeptReport : public Report {
 public:
  void begin(const RunInfo& info) override { info_ = info; }
  void connection(Judged&& judged) override {
    connections_.push_back(std::make_shared<const Judged>(std::move(judged)));
  }
  void end(const RunInfo& info, const std::vector<rules::HostSummary>& hosts,
           ExitCode code) override;
  void failure(const RunInfo& info, const Failure& failure) override;

  // The same once more into another report.
  void replay(Report& report) const;
  [[nodiscard]] tui::SnapshotPtr snapshot() const;

 private:
  RunInfo info_;
  std::vector<std::shared_ptr<const Judged>> connections_;
  std::vector<rules::HostSummary> hosts_;
  ExitCode code_ = ExitCode::ok;
};

// This host's end of a connection.
tui::LocalEnd dashboard_local(const LocalSocket& socket);
// One connection as the dashboard takes it; shares `judged`.
tui::Connection dashboard_connection(const std::shared_ptr<const Judged>& judged);
// "slow.pcap", "eth0 and 2 more"
std::string source_text(const std::vector<std::string>& names);

// Where the dashboard's files go: "rwin-2026-11-30-092133" of this moment in this folder, or, where
// the user may not write, in one of its own below /tmp. Without ending.
std::string save_stem(std::int64_t now_ns);

// Writes `fill`'s reports as text and as JSON into new files, named as save_stem()
// says; one line that says where, or what went wrong.
std::string save_reports(const Options& options, std::int64_t now_ns,
                         const std::function<void(Report&)>& fill);

}  // namespace rwin::app
