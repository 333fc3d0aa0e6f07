// The window test (METHOD part 2): what released each segment, and so what the sender waited for
// before it.
//
// Release lag: from the ACK whose right edge first permits a segment to the segment itself. A
// sender held by the window sends as soon as the edge reaches it: lag = d_S. Any other sender lags
// far behind the permission.
#pragma once

#include <cstdint>
#include <vector>

#include "analysis/direction/delays.h"
#include "analysis/direction/trace.h"

namespace rwin::analysis {

enum class Wait : std::uint8_t {
  window_open,    // held by a window that is near its largest
  window_closed,  // held by a window that has closed
  draining,       // the program had nothing more to send, its last segments are on their way
  idle,           // everything was acknowledged and nothing came
  recovery,       // before a retransmission
  active,         // data outstanding, window open: the congestion window, the program or a pacer
};

struct Span {
  std::int64_t from = 0, to = 0;  // microseconds from the connection's start
  Wait wait = Wait::active;
  std::int64_t window = 0;  // for window_*: the window that held it
  [[nodiscard]] std::int64_t length() const { return to - from; }
  [[nodiscard]] bool held() const {
    return wait == Wait::window_open || wait == Wait::window_closed;
  }
};

// How far a lag may be from d_S and still mean "released by the edge".
std::int64_t lag_tolerance(std::int64_t d_s, std::int64_t base_rtt);

class Releases {
 public:
  void begin();
  // Appends the spans between the segments of `trace`, in time order and without gaps.
  // `full_segment`: the largest payload the sender may send (MSS less options), 0 unknown. With
  // `judge_fit` also fit() is filled.
  void find_waits(const Trace& trace, const Delays& delays, bool scale_known,
                  std::uint32_t full_segment, std::vector<Span>& out, bool judge_fit = false);
  [[nodiscard]] std::uint64_t held_bytes() const { return held_bytes_; }

  // How well the windows, as they are scaled, explain the data: the ground for inferring a scale.
  struct Fit {
    std::uint64_t judged = 0;        // new segments with a known permission
    std::uint64_t too_early = 0;     // of them sent before they were permitted
    std::uint64_t judged_ends = 0;   // last segments before the sender heard another ACK
    std::uint64_t filled = 0;        // of them those that left less than a segment or so of room
    std::uint64_t echoes = 0;        // held segments whose time stamp echo is timed
    std::uint64_t echoes_agree = 0;  // of them those that echo the ACK that permitted them
  };
  [[nodiscard]] const Fit& fit() const { return fit_; }

 private:
  void feed(const Trace& trace, const DataPoint& d);
  void note_fit(const DataPoint& d, const DataPoint* next, std::int64_t since,
                std::int64_t tolerance, std::uint32_t full_segment);
  struct Hold {
    std::int64_t until = 0;   // the gap's begin: not held
    std::int64_t window = 0;  // that held it
    bool closed = false;      // a window that has closed, not one near its largest
  };
  [[nodiscard]] Hold shut(const DataPoint& d, std::int64_t from) const;
  Hold hold(const DataPoint& d, const DataPoint* next, std::int64_t from, std::int64_t base,
            std::uint32_t full_segment);

  PermissionHistory permission_;         // as it passed the capture point
  Permission known_;                     // as the sender knew it
  std::size_t fed_ = 0, fed_known_ = 0;  // acks of the trace fed to them
  std::size_t owed_known_ =
      0;  // acks of the last stretch that the sender did not know yet at its end
  std::int64_t smallest_d_s_ = 0;
  std::int64_t shut_us_ = -1,
               opened_us_ =
                   -1;  // last zero window the sender heard of, and its end; capture point's time
  std::int64_t first_data_us_ = -1;
  std::int64_t last_data_us_ = -1;  // last segment of the sender, probes left out
  std::int64_t burst_released_ =
      -1;  // when the edge came by that released the last segment held back; -1: not held
  std::int64_t burst_gap_ = -1;  // between its first two segments
  bool held_ = false;            // the last segment had waited for the window
  Fit fit_;
  bool judge_fit_ = false;
  std::int64_t tolerance_d_s_ = -1, tolerance_ = 0;  // lag_tolerance() of the last d_S
  std::uint64_t held_bytes_ = 0;                     // sent at the end of a wait for the window
};

}  // namespace rwin::analysis
