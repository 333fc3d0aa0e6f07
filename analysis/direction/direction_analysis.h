// From a half-flow's log to what the analysis says of that direction. A short flow is read in one
// stretch when it is finished; a long one stretch by stretch while it runs, so that memory stays
// bounded.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "analysis/direction/delays.h"
#include "analysis/direction/epochs.h"
#include "analysis/direction/path.h"
#include "analysis/direction/release.h"
#include "analysis/direction/resent.h"
#include "analysis/direction/samples.h"
#include "analysis/direction/stall.h"
#include "analysis/direction/timeline.h"
#include "analysis/direction/trace.h"
#include "analysis/direction/window_figures.h"
#include "analysis/half_flow.h"
#include "analysis/result.h"

namespace rwin::analysis {

struct DirectionInput {
  bool from_client = false;
  WindowScale scale;  // of the receiver's windows
  DelayHints hints;
  std::optional<std::uint16_t> mss;  // smaller of the two MSS options, where seen
  bool timestamps = false;           // 12 bytes of every segment are options
  std::int64_t handshake_end_us = 0;
  std::uint32_t sample_points = 0;  // for the charts, 0 none
  bool sample_sequence = false;
};

// Working memory that every direction of an engine uses in turn.
struct Scratch {
  Trace trace;
  std::vector<Span> spans;
  std::vector<Epoch> epochs;
  PathMeter::Trains trains;
};

class DirectionAnalysis {
 public:
  void begin(const DirectionInput& input);
  // What SYN and FIN told since; before the last stretch.
  void hint(const DelayHints& hints) { delays_.hint(hints); }
  // Reads and empties a stretch of the log. `two_sided`: HalfFlow::two_sided() at its end; `last`:
  // nothing comes after it.
  void consume(EventLog& log, bool two_sided, bool last, EventPool& pool, Scratch& scratch);
  // The same as a last consume(), but the half-flow keeps its log: for a copy of a running analysis
  // (or a fresh one), to see what finish() would say now.
  void look(const HalfFlow& half, Scratch& scratch);
  // `total_us`: the connection's length. After the last consume().
  [[nodiscard]] DirectionResult finish(const HalfFlow& half, std::int64_t total_us);

 private:
  static constexpr std::size_t kMostPieces = 400;  // of the timeline
  void digest(bool two_sided, bool last, Scratch& scratch);
  void measure_segment_size(const Trace& trace);
  void lay_spans(const std::vector<Span>& spans, const std::vector<Epoch>& epochs,
                 bool queue_visible);
  void lay_head(const Trace& trace);
  void note_end(const Trace& trace);
  void lay_tail(const HalfFlow& half, std::int64_t total_us);
  void flights_and_rtt(const Trace& trace);
  void fill_rtt(DirectionResult& r) const;

  DirectionInput in_;
  WindowScale scale_;
  TraceTail tail_;
  Delays delays_;
  Releases releases_;
  EpochJudge judge_;
  PathMeter path_;
  WindowFigures windows_;
  StallMeter stall_;
  ResentMeter resent_;
  Timeline timeline_;
  Samples samples_;
  Histogram sizes_, flights_, rtts_, held_window_, held_rtt_;
  std::uint64_t shorts_ = 0, rtt_samples_ = 0, pushed_bytes_ = 0;
  std::int64_t largest_flight_ = 0;
  std::int64_t busy_us_ = 0, held_us_ = 0;
  std::int64_t first_data_us_ = -1, last_data_us_ = 0;
  std::int64_t drained_us_ = 0;
  std::uint32_t mss_ = 0;
  bool drained_ = false, shut_ = false;
};

}  // namespace rwin::analysis
