// One data direction as two lists in capture order: what the sender sent and what the receiver answered.
// Built from the event log; the passes of this folder fill in what they find out.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "analysis/event_log.h"

namespace rwin::analysis {

struct DataPoint {
  std::int64_t t = 0;              // microseconds from the connection's start, at the capture point
  std::int64_t end = 0;            // sequence number behind the last byte
  std::uint32_t length = 0;
  std::uint16_t flags = 0;         // event::k...
  std::uint32_t echo_us = 0;       // delay of the receiver's time stamp echoed here, 0 none
  std::uint32_t acks_before = 0;   // acks in the list before this segment
  std::int64_t sent_before = 0;    // highest end before this segment
  std::int64_t d_s = 0;            // capture point to sender and back, around this moment
  std::int64_t permitted = -1;     // when the edge that permits `end` went by, -1: before the trace
  [[nodiscard]] bool fresh() const {
    return (flags & (event::kRetransmission | event::kProbe | event::kReordered)) == 0;
  }
  [[nodiscard]] bool probe() const { return (flags & event::kProbe) != 0; }
  [[nodiscard]] bool again() const { return (flags & event::kRetransmission) != 0; }
};

struct AckPoint {
  std::int64_t t = 0;
  std::int64_t ack = 0;
  std::uint32_t field = 0;         // raw window
  std::int64_t window = 0;         // scaled; as if unscaled while the scale is unknown
  std::uint16_t flags = 0;
  std::uint32_t echo_us = 0;       // delay of the sender's time stamp echoed here, 0 none
  std::uint32_t data_before = 0;
  std::int64_t d_r = -1;           // capture point to receiver and back for the newest segment covered, -1 none
  [[nodiscard]] std::int64_t edge() const { return ack + window; }
  [[nodiscard]] bool counts_as_window() const { return (flags & (event::kUnscaled | event::kReset)) == 0; }
};

// The right edge as the sender keeps it, fed ACK by ACK: since when is data up to a number permitted?
// An ACK for more may move the edge left (the peer took window back, or its SYN promised more than it keeps); one for
// the same data only right, as an old ACK overtaken on the way would (RFC 9293 3.10.7.4; tcp_ack_update_window()).
class PermissionHistory {
 public:
  static constexpr std::int64_t kBefore = -1;   // permitted since before the first ACK seen
  static constexpr std::int64_t kNever = INT64_MAX;
  void on_ack(const AckPoint& ack);
  [[nodiscard]] std::int64_t since(std::int64_t end) const;
  [[nodiscard]] bool empty() const { return edges_.empty(); }
  [[nodiscard]] std::int64_t edge() const { return edges_.empty() ? 0 : edges_.back().edge; }

 private:
  struct Edge {
    std::int64_t t = 0;
    std::int64_t edge = 0;
  };
  std::vector<Edge> edges_;  // rising in both
  std::int64_t first_edge_ = 0;
  std::int64_t acked_ = 0;
  bool unscaled_ = false;
};

struct Trace {
  std::vector<DataPoint> data;
  std::vector<AckPoint> acks;
  void clear();
  // Splits the events and scales the windows with `shift` (SYN windows never).
  void build(const std::vector<Event>& events, std::uint8_t shift);
  // Windows again, for another shift.
  void rescale(std::uint8_t shift);
  // Index behind the last ack with t <= `when` (binary search).
  [[nodiscard]] std::size_t acks_until(std::int64_t when) const;
};

}  // namespace rwin::analysis
