// A running capture: reads packets in one thread, analyses them in another, and gives an immutable
// snapshot several times a second.
//
//   capture thread -> bounded ring -> analysis thread -> latest() -> screen or report
//
// The ring never grows: while it is full the capture thread waits, the kernel's own ring fills, and
// the kernel counts what it drops.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <vector>

#include "analysis/engine.h"
#include "app/live/snapshot.h"
#include "app/report.h"
#include "capture/source/live.h"

namespace rwin::app {

struct SessionOptions {
  std::string kind = "live";       // RunInfo::kind
  std::vector<std::string> names;  // of the source, for reports
  std::string filter;
  std::optional<double> target_bps;
  std::optional<double> interface_bps;  // rules::Settings
  std::vector<analysis::EngineOptions::AssumedScale> assume_wscale;
  std::uint32_t chart_points = 0;           // of every direction, for the dashboard; 0: no charts
  int interval_ms = 500;                    // between snapshots; 0: only the last one
  std::optional<std::int64_t> duration_ms;  // stop after that
  std::optional<std::uint64_t> count;       // stop after that many packets
  // Called for each packet in the capture thread (-w).
  std::function<void(const capture::RawPacket&)> on_packet;
  // Called in the capture thread several times a second, and at its end.
  std::function<void()> on_pause;
  // Called in the analysis thread with each snapshot, before it becomes the latest.
  std::function<void(const LiveSnapshot&)> on_snapshot;
  // This host's sockets, asked in the analysis thread before each snapshot; may be null.
  std::shared_ptr<LocalSockets> local;
};

class LiveSession {
 public:
  // Starts both threads.
  LiveSession(std::unique_ptr<capture::LiveSource> source, SessionOptions options);
  ~LiveSession();  // stop() and join
  LiveSession(const LiveSession&) = delete;
  LiveSession& operator=(const LiveSession&) = delete;

  // The newest snapshot; never null.
  [[nodiscard]] SnapshotPtr latest() const;
  // Waits until there is one with a larger number, or `timeout_ms` have passed; the newest.
  [[nodiscard]] SnapshotPtr wait_after(std::uint64_t number, int timeout_ms) const;

  // Asks the capture to end. From any thread, and from a signal handler; returns at once.
  void stop();
  // Other words for the capture filter, at once; from any thread. The failure: they are no filter,
  // and the old one stays.
  std::optional<capture::Error> change_filter(const std::string& words);
  // Everything is read and analysed: by stop(), the duration, the count, or no interface is left.
  [[nodiscard]] bool ended() const;

  // After the end: every connection, judged, in order of the first packet, then the hosts. Once.
  // Waits for the end. True when a verdict has one of the words of `fail_on`.
  // `wanted`: connections to report; empty function: all.
  bool report(Report& report, ExitCode code, const std::vector<std::string>& fail_on,
              const std::function<bool(const Judged&)>& wanted = {});
  // The counters of the whole, after the end; warnings may be added before report().
  RunInfo& info();

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace rwin::app
