// Round trips as the unit of judgement: each epoch is about one round trip of a data direction, with the figures that
// tell a full path from a lossy one, a growing window from a capped one, a pacer from an idle program.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "analysis/direction/delays.h"
#include "analysis/direction/release.h"
#include "analysis/direction/trace.h"
#include "analysis/limit.h"

namespace rwin::analysis {

struct Epoch {
  std::int64_t from = 0, to = 0;
  std::int64_t acked = 0;          // bytes that the acks of this epoch covered newly
  std::int64_t sent = 0;           // new bytes
  std::int64_t flight_max = 0;     // as the sender sees it
  std::int64_t rtt_min = -1;       // -1: no sample
  std::int64_t longest_gap = 0;    // between new segments
  std::uint32_t fresh = 0, again = 0, shorts = 0, bursts = 0, acks = 0;
  std::int64_t active_us = 0, blocked_us = 0, idle_us = 0;
  bool in_recovery = false;
  Limit limit = Limit::unknown;    // for its active time
  [[nodiscard]] double rate_bps() const {
    return to > from ? 8e6 * static_cast<double>(acked) / static_cast<double>(to - from) : 0;
  }
};

struct Path {
  std::optional<double> full_bps;       // rate at which the path was seen full (with a queue behind it)
  std::optional<double> dispersion_bps; // what packet trains say: no more than the bottleneck passes
  bool dispersion_independent = false;  // the trains ran that fast while the flow did not
};

// Cuts the trace into epochs; `spans` gives the waiting in each.
std::vector<Epoch> cut_epochs(const Trace& trace, const Delays& delays, const std::vector<Span>& spans,
                              std::uint32_t mss);

// The path's capacity, from trains of ACKs and from epochs with a queue.
Path measure_path(const Trace& trace, std::vector<Epoch>& epochs, const Delays& delays, std::uint32_t mss);

// Judges the active time of every epoch.
void judge_epochs(std::vector<Epoch>& epochs, const Path& path, const Delays& delays, std::uint32_t mss);

}  // namespace rwin::analysis
