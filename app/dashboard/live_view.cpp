#include "app/dashboard/live_view.h"

#include "app/dashboard/kept_report.h"
#include "text/text.h"

namespace rwin::app {
namespace {

tui::Connection live_connection(const LiveFlow& flow) {
  tui::Connection out = dashboard_connection(flow.judged);
  out.closed = flow.closed;
  out.last_ns = flow.last_ns;
  out.rate_bps = flow.recent_bps;
  if (flow.local) out.local = dashboard_local(*flow.local);
  return out;
}

}  // namespace

tui::SnapshotPtr dashboard_snapshot(const LiveSnapshot& live) {
  auto out = std::make_shared<tui::Snapshot>();
  out->live = true;
  out->ended = live.ended;
  out->source = source_text(live.info.names);
  out->filter = escape_terminal(live.info.filter, true);
  out->first_ns = live.start_ns;
  out->now_ns = live.now_ns;
  out->packets = live.info.decode.packets;
  if (live.info.kernel_drops)
    out->drops = *live.info.kernel_drops + live.info.interface_drops.value_or(0);
  out->left_out = live.flows_left_out;
  if (!live.info.warnings.empty()) out->trouble = escape_terminal(live.info.warnings[0], true);
  out->settings.target_bps = live.info.target_bps;
  out->settings.interface_bps = live.info.interface_bps;
  out->connections.reserve(live.flows.size());
  for (const LiveFlow& flow : live.flows) out->connections.push_back(live_connection(flow));
  return out;
}

std::variant<DashboardEnd, Failure> view_session(const Options& options, const LiveSession& session,
                                                 DashboardSource source) {
  app::SnapshotPtr seen;
  tui::SnapshotPtr shown;
  source.latest = [&]() -> tui::SnapshotPtr {
    const app::SnapshotPtr newest = session.latest();
    if (newest->number == 0 || newest == seen) return shown;
    auto next = std::const_pointer_cast<tui::Snapshot>(dashboard_snapshot(*newest));
    if (seen && newest->now_ns > seen->now_ns) {
      const double seconds = static_cast<double>(newest->now_ns - seen->now_ns) / 1e9;
      next->packets_per_second =
          static_cast<double>(newest->info.decode.packets - seen->info.decode.packets) / seconds;
    }
    next->saving_packets = source.saving && source.saving();
    next->filter_can_change = static_cast<bool>(source.set_filter);
    seen = newest;
    shown = std::move(next);
    return shown;
  };
  return run_dashboard(options, source);
}

}  // namespace rwin::app
