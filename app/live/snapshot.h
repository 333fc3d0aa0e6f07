// What a live capture has come to at one moment. Immutable: screens and reports read the same one,
// from any thread, for as long as they hold it.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "app/live/local_socket.h"
#include "app/report.h"
#include "capture/source/live.h"
#include "rules/assess.h"

namespace rwin::app {

struct LiveFlow {
  std::uint64_t id = 0;  // Judged::connection.id, the number in every report
  // The connection so far and its verdicts: what the report would say now. Shared from snapshot to
  // snapshot until more packets come and it is judged again; never null. Under load it may be some
  // snapshots old: judged_packets < packets.
  std::shared_ptr<const Judged> judged;
  std::uint64_t judged_packets = 0;
  // Always of now.
  std::uint64_t packets = 0;
  std::int64_t last_ns = 0;
  std::array<std::uint64_t, 2> bytes{};  // unique payload: from the client, from the server
  std::array<double, 2> rate_bps{};      // the same, over the time since the last snapshot
  std::array<double, 2> recent_bps{};    // the same, over the last 2 to 3 s
  bool closed = false;                   // FIN both ways or RST
  bool over = false;                     // no longer watched: its verdict is final
  // This host's end of it; null where there is none or the system does not tell.
  std::shared_ptr<const LocalSocket> local;
};

struct LiveSnapshot {
  std::uint64_t number = 0;   // from 1
  std::int64_t start_ns = 0;  // when the capture began
  std::int64_t now_ns = 0;    // the clock of the packets; goes on while none come
  RunInfo info;               // counters, names, link types, filter, warnings
  std::vector<capture::InterfaceStatus> interfaces;
  std::vector<LiveFlow> flows;       // in order of the first packet
  std::uint64_t flows_left_out = 0;  // over and forgotten, oldest first: memory is bounded
  double build_us = 0;               // time that making this took
  bool ended = false;                // the last one
};

using SnapshotPtr = std::shared_ptr<const LiveSnapshot>;

}  // namespace rwin::app
