// Round trips as the unit of judgement: each epoch is about one round trip of a data direction,
// with the figures that tell a full path from a lossy one, a growing window from a capped one, a
// pacer from an idle program.
#pragma once

#include <array>
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
  std::int64_t acked = 0;        // bytes that the acks of this epoch covered newly
  std::int64_t flight_max = 0;   // as the sender sees it
  std::int64_t rtt_min = -1;     // -1: no sample
  std::int64_t longest_gap = 0;  // between new segments
  std::int64_t active_us = 0;    // neither held by the window nor idle
  std::int64_t idle_us = 0;      // nothing to send
  std::int64_t covered_us = 0;   // between the first and the last segment: less in the last one
  std::uint32_t fresh = 0, again = 0, shorts = 0, bursts = 0, acks = 0;
  std::uint32_t stamps = 0,
                echoes = 0;  // different time stamps of the acks; of them echoed by the data
  // Half a round trip and more without data that no ACK ended; of them those after a short, pushed
  // segment: nothing more was written.
  std::uint32_t pauses = 0, pauses_after_short = 0;
  // New bytes in each sixteenth of its time.
  static constexpr std::size_t kSlices = 16;
  std::array<std::uint32_t, kSlices> slices{};
  bool in_recovery = false;
  Limit limit = Limit::unknown;  // for its active time
  [[nodiscard]] double rate_bps() const {
    return to > from ? 8e6 * static_cast<double>(acked) / static_cast<double>(to - from) : 0;
  }
  // How far its new bytes are from coming evenly: 0 even, towards 1 all at once. The largest
  // distance of their running sum from a straight line, less what single segments explain.
  [[nodiscard]] double unevenness() const;
  // The data ended in it: its figures are not those of a whole one.
  [[nodiscard]] bool partial() const { return covered_us * 10 < (to - from) * 9; }
};

// What is known of the path when epochs are judged.
struct PathView {
  std::optional<double> full_bps;        // capacity
  bool from_queue = false;               // seen with a queue, not only from the spacing of packets
  bool queue_visible = false;            // a queue would show in the round trips measured here
  std::optional<std::int64_t> base_rtt;  // nullopt: then flights mean nothing
};

// Cuts one stretch after the other into epochs and judges them.
class EpochJudge {
 public:
  void begin();
  // `epochs` is filled with those of this stretch.
  void cut(const Trace& trace, const Delays& delays, const std::vector<Span>& spans,
           std::uint32_t mss, std::vector<Epoch>& epochs);
  // Judges their active time.
  void judge(std::vector<Epoch>& epochs, const PathView& path, std::uint32_t mss);

 private:
  void watch_growth(const std::vector<Epoch>& epochs, std::size_t k);

  std::int64_t highest_ack_ = -1;
  std::int64_t recover_until_ = -1;
  std::int64_t previous_fresh_us_ = -1;
  bool previous_short_ = false;
  std::int64_t largest_flight_ = 0;
  std::uint32_t since_loss_ = 0;     // epochs
  std::uint32_t since_growth_ = 0;   // epochs since the flight last grew and stayed so
  std::int64_t settled_flight_ = 0;  // the flight then
  double pace_bps_ = 0;              // of the pacer seen last; 0: none since a loss or a pause
  bool lost_ = false;
  std::vector<Epoch> last_;  // of the stretch before, for looking around
};

}  // namespace rwin::analysis
