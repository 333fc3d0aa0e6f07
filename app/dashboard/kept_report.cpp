#include "app/dashboard/kept_report.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>

#include "text/text.h"
#include "text/units.h"

namespace rwin::app {

void KeptReport::end(const RunInfo& info, const std::vector<rules::HostSummary>& hosts,
                     ExitCode code) {
  info_ = info;
  hosts_ = hosts;
  code_ = code;
}

void KeptReport::failure(const RunInfo& info, const Failure&) { info_ = info; }

void KeptReport::replay(Report& report) const {
  report.begin(info_);
  for (const auto& judged : connections_) report.connection(Judged(*judged));
  report.end(info_, hosts_, code_);
}

tui::LocalEnd dashboard_local(const LocalSocket& socket) {
  tui::LocalEnd local;
  local.client = socket.client;
  local.process = escape_terminal(socket.process, true);
  local.pid = socket.pid;
  local.receive_buffer_fixed = receive_buffer_fixed(socket);
  local.settings = socket.settings;
  if (socket.kernel && socket.kernel->busy_us > 0)
    local.kernel_window_share = static_cast<double>(socket.kernel->rwnd_limited_us) /
                                static_cast<double>(socket.kernel->busy_us);
  return local;
}

tui::Connection dashboard_connection(const std::shared_ptr<const Judged>& judged) {
  tui::Connection out;
  const analysis::ConnectionResult& c = judged->connection;
  out.id = c.id;
  out.client_os = judged->client_os;
  out.server_os = judged->server_os;
  out.closed = c.end != analysis::End::open;
  out.last_ns = c.end_ns;
  if (judged->local) out.local = dashboard_local(*judged->local);
  // Both live as long as `judged` does.
  out.result = {judged, &judged->connection};
  out.assessments = {judged, &judged->assessments};
  return out;
}

std::string source_text(const std::vector<std::string>& names) {
  if (names.empty()) return "?";
  std::string text = escape_terminal(names[0], true);
  if (const std::size_t slash = text.rfind('/');
      slash != std::string::npos && slash + 1 < text.size())
    text.erase(0, slash + 1);
  return names.size() == 1 ? text : fmt::format("{} and {} more", text, names.size() - 1);
}

tui::SnapshotPtr KeptReport::snapshot() const {
  auto out = std::make_shared<tui::Snapshot>();
  out->source = source_text(info_.names);
  out->filter = escape_terminal(info_.filter, true);
  out->first_ns = info_.first_ns.value_or(0);
  out->now_ns = info_.last_ns.value_or(0);
  out->packets = info_.decode.packets;
  out->settings.target_bps = info_.target_bps;
  if (!info_.warnings.empty()) out->trouble = escape_terminal(info_.warnings[0], true);
  out->connections.reserve(connections_.size());
  for (const auto& judged : connections_) out->connections.push_back(dashboard_connection(judged));
  return out;
}

std::string save_stem(std::int64_t now_ns) {
  std::string name = "rwin-" + utc_text(now_ns).substr(0, 19);
  std::replace(name.begin(), name.end(), ' ', '-');
  name.erase(std::remove(name.begin(), name.end(), ':'), name.end());
  if (access(".", W_OK) == 0) return name;
  // Started by root itself it is another user by now, who may rarely write where root stood.
  static const std::string kFolder = [] {
    std::string folder = "/tmp/rwin-XXXXXX";
    return mkdtemp(folder.data()) != nullptr ? folder + "/" : std::string();
  }();
  return kFolder + name;
}

std::string save_reports(const Options& options, std::int64_t now_ns,
                         const std::function<void(Report&)>& fill) {
  const std::string stem = save_stem(now_ns);
  for (const auto& [ending, format] :
       {std::pair{".txt", Format::text}, std::pair{".json", Format::json}}) {
    Output out;
    Options one = options;
    one.format = format;
    if (const auto failure = out.open(stem + ending, options.files)) return failure->message;
    fill(*make_report(out, one, Style{}));
    if (const auto failure = out.commit()) return failure->message;
  }
  return fmt::format("saved {}.txt and {}.json", stem, stem);
}

}  // namespace rwin::app
