// All connections of a running engine with their verdicts, kept from look to look: what did not
// move is not judged again, and under load only so many are judged at each look. No threads here.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <vector>

#include "analysis/engine.h"
#include "app/live/snapshot.h"

namespace rwin::app {

class FlowBook {
 public:
  struct Limits {
    std::int64_t linger_ns = 120'000'000'000;  // a closed connection is watched that much longer
    std::size_t keep = 10'000;  // connections that are over and still shown; older ones are dropped
    std::int64_t judge_us = 100'000;  // time for judging at each update, at least one connection
  };

  FlowBook(rules::Settings settings, Limits limits);

  // Brings all up to date with the engine. `now_ns` is the clock of the packets. `local` may be
  // null.
  void update(analysis::Engine& engine, std::int64_t now_ns, LocalSockets* local);

  [[nodiscard]] const std::vector<LiveFlow>& flows() const { return flows_; }
  // Connections moved that there was no time to judge.
  [[nodiscard]] bool behind() const { return behind_; }
  [[nodiscard]] std::uint64_t left_out() const { return left_out_; }

  // The end: every connection that is not left out goes to `sink` in order of the first packet, and
  // the hosts of those for which it returned true come back. The book and the engine are empty
  // then.
  std::vector<rules::HostSummary> finish(
      analysis::Engine& engine, const std::function<bool(const Judged&, const LiveFlow*)>& sink);

 private:
  void take_released(analysis::Engine& engine, std::int64_t now_ns);
  void forget_oldest();
  void measure(std::size_t at, const std::array<std::uint64_t, 2>& bytes, std::int64_t now_ns);
  static void look_up(LiveFlow& flow, const analysis::ConnectionResult& connection,
                      const LocalSockets* local);
  LiveFlow* find(std::uint64_t id);

  rules::Settings settings_;
  Limits limits_;
  std::vector<LiveFlow> flows_;       // ascending ids
  rules::HostTable forgotten_hosts_;  // of connections that were left out
  analysis::Memory memory_;
  std::uint64_t left_out_ = 0;
  bool behind_ = false;
  std::int64_t last_update_ns_ = 0;
  std::array<std::int64_t, 3> marks_ns_{};  // a second and more apart, newest first; 0: none yet
  std::size_t over_ = 0;                    // of flows_: no longer watched
  std::uint64_t update_ = 0;
  struct Entry {
    std::uint64_t judged_at = 0;                          // number of the update, 0: never
    std::uint64_t seen_at = 0;                            // the engine watched it then
    std::int64_t since_ns = 0;                            // not seen before
    std::array<std::array<std::uint64_t, 2>, 3> bytes{};  // at marks_ns_
  };
  std::vector<Entry> entries_;  // beside flows_
};

// The receivers of all connections of a snapshot. Milliseconds for thousands of them, so only when
// somebody asks.
std::vector<rules::HostSummary> hosts_of(const LiveSnapshot& snapshot);

}  // namespace rwin::app
