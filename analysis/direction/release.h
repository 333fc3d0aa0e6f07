// The window test (METHOD part 2): what released each segment, and so what the sender waited for before it.
//
// Release lag: from the ACK whose right edge first permits a segment to the segment itself. A sender held by the
// window sends as soon as the edge reaches it: lag = d_S. Any other sender lags far behind the permission.
#pragma once

#include <cstdint>
#include <vector>

#include "analysis/direction/delays.h"
#include "analysis/direction/trace.h"

namespace rwin::analysis {

enum class Wait : std::uint8_t {
  window_open,    // held by a window that is near its largest
  window_closed,  // held by a window that has closed
  idle,           // everything was acknowledged and nothing came
  recovery,       // before a retransmission
  active,         // data outstanding, window open: the congestion window, the program or a pacer
};

struct Span {
  std::int64_t from = 0, to = 0;  // microseconds from the connection's start
  Wait wait = Wait::active;
  std::int64_t window = 0;        // for window_*: the window that held it
  [[nodiscard]] std::int64_t length() const { return to - from; }
};

struct ReleaseState {              // carried from one stretch of a long flow to the next
  std::int64_t last_data_us = -1;  // last segment of the sender, probes left out
  std::int64_t largest_window = 0;
};

// How far a lag may be from d_S and still mean "released by the edge".
std::int64_t lag_tolerance(std::int64_t d_s, std::int64_t base_rtt);

// Appends the spans between the segments of `trace`, in time order and without gaps.
// `full_segment`: the largest payload the sender may send (MSS less options), 0 unknown.
void find_waits(Trace& trace, const Delays& delays, bool scale_known, std::uint32_t full_segment, ReleaseState& state,
                std::vector<Span>& out);

}  // namespace rwin::analysis
