// A running capture in the dashboard.
#pragma once

#include "app/dashboard/dashboard.h"
#include "app/live/session.h"

namespace rwin::app {

// Points of every direction's charts that a session keeps for the dashboard.
inline constexpr std::uint32_t kLiveChartPoints = 256;

// What the dashboard shows of a live snapshot; shares its connections.
tui::SnapshotPtr dashboard_snapshot(const LiveSnapshot& live);

// The dashboard over a running session. `source.latest` is filled in here; the rest is the
// caller's.
std::variant<DashboardEnd, Failure> view_session(const Options& options, const LiveSession& session,
                                                 DashboardSource source);

}  // namespace rwin::app
