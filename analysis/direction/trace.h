// A stretch of one data direction as two lists in capture order: what the sender sent and what the
// receiver answered. Built from the event log; the passes of this folder fill in what they find
// out. The lists begin with the last acks of the stretch before (`old_acks` of them), for look-ups
// only.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include "analysis/event_log.h"
#include "analysis/large_memory.h"

namespace rwin::analysis {

struct DataPoint {
  std::int64_t t = 0;            // microseconds from the connection's start, at the capture point
  std::int64_t end = 0;          // sequence number behind the last byte
  std::int64_t sent_before = 0;  // highest end before this segment
  std::int64_t d_s = 0;          // capture point to sender and back, around this moment
  std::uint32_t length = 0;
  std::uint32_t echo_us = 0;      // delay of the receiver's time stamp echoed here, 0 none
  std::uint32_t acks_before = 0;  // acks in the list before this segment
  std::uint32_t known_acks =
      0;  // of them those that the sender knew when it sent this: passed before t - d_s
  std::uint16_t flags = 0;  // event::k...
  [[nodiscard]] bool fresh() const {
    return (flags & (event::kRetransmission | event::kProbe | event::kReordered)) == 0;
  }
  [[nodiscard]] bool probe() const { return (flags & event::kProbe) != 0; }
  [[nodiscard]] bool again() const { return (flags & event::kRetransmission) != 0; }
};

struct AckPoint {
  std::int64_t t = 0;
  std::int64_t ack = 0;
  std::int64_t highest =
      0;  // ack of this and all before: one overtaken on the way takes nothing back
  std::int64_t window = 0;  // scaled; as if unscaled while the scale is unknown
  std::int64_t d_r =
      -1;  // capture point to receiver and back for the newest segment covered, -1 none
  std::uint32_t field = 0;    // raw window
  std::uint32_t echo_us = 0;  // delay of the sender's time stamp echoed here, 0 none
  std::uint32_t data_before = 0;
  std::uint16_t flags = 0;
  [[nodiscard]] std::int64_t edge() const { return ack + window; }
  [[nodiscard]] bool counts_as_window() const {
    return (flags & (event::kUnscaled | event::kReset)) == 0;
  }
};

// What one stretch leaves for the next.
struct TraceTail {
  std::vector<AckPoint> acks;      // the last ones
  std::int64_t highest_sent = -1;  // -1: nothing yet
  void clear() {
    acks.clear();
    highest_sent = -1;
  }
};

struct Trace {
  std::vector<DataPoint, LargeAllocator<DataPoint>> data;
  std::vector<AckPoint, LargeAllocator<AckPoint>> acks;
  std::size_t old_acks = 0;
  std::int64_t highest_sent = -1;  // -1: nothing yet

  // A new stretch behind what `tail` left; then add() each event, then rescale().
  void begin(const TraceTail& tail);
  void add(const Event& e) {
    if ((e.flags & event::kAck) != 0) {
      const std::int64_t before = acks.empty() ? e.seq : (acks.end() - 1)->highest;
      acks.push_back({.t = e.time_us,
                      .ack = e.seq,
                      .highest = std::max(before, e.seq),
                      .field = e.amount,
                      .echo_us = e.sample_us,
                      .data_before = static_cast<std::uint32_t>(data.size()),
                      .flags = e.flags});
      return;
    }
    data.push_back({.t = e.time_us,
                    .end = e.seq,
                    .sent_before = highest_sent < 0 ? e.seq - e.amount : highest_sent,
                    .length = e.amount,
                    .echo_us = e.sample_us,
                    .acks_before = static_cast<std::uint32_t>(acks.size()),
                    .flags = e.flags});
    highest_sent = std::max(highest_sent, e.seq);
  }
  void leave(TraceTail& tail) const;
  // Scales the windows with `shift` (SYN windows never).
  void rescale(std::uint8_t shift);
  // The last cumulative ACK that the sender knew when it sent `d`, or -1.
  [[nodiscard]] std::int64_t known_ack(const DataPoint& d) const {
    return d.known_acks > 0 ? acks.data()[d.known_acks - 1].highest : -1;
  }
  // The acks of this stretch.
  [[nodiscard]] const AckPoint* acks_begin() const { return acks.data() + old_acks; }
  [[nodiscard]] const AckPoint* acks_end() const { return acks.data() + acks.size(); }
  // Shows the stretch in capture order: on_ack(const AckPoint&), on_data(const DataPoint&).
  template <class OnAck, class OnData>
  void walk(OnAck on_ack, OnData on_data) const {
    const AckPoint* a = acks_begin();
    for (const DataPoint& d : data) {
      for (const AckPoint* until = acks.data() + d.acks_before; a < until; ++a) on_ack(*a);
      on_data(d);
    }
    for (const AckPoint* end = acks_end(); a < end; ++a) on_ack(*a);
  }
};

// The right edge as the sender keeps it, fed ACK by ACK. An ACK for more may move the edge left
// (the peer took window back, or its SYN promised more than it keeps); one for the same data only
// right, as an old ACK overtaken on the way would (RFC 9293 3.10.7.4; tcp_ack_update_window()).
class Permission {
 public:
  // False: it changes nothing.
  bool on_ack(const AckPoint& a) {
    if (a.counts_as_window()) largest_ = std::max(largest_, a.window);
    const std::int64_t edge = a.edge();
    const bool newer =
        a.ack > acked_ || (a.ack == acked_ && (unscaled_ || (a.flags & event::kCarriesData) != 0));
    if (!empty_ && (a.ack < acked_ || (!newer && edge <= edge_))) return false;
    acked_ = a.ack;
    window_ = a.window;
    edge_ = edge;
    unscaled_ = (a.flags & event::kUnscaled) != 0;
    empty_ = false;
    return true;
  }
  [[nodiscard]] bool empty() const { return empty_; }
  [[nodiscard]] std::int64_t acked() const { return acked_; }
  [[nodiscard]] std::int64_t edge() const { return edge_; }
  [[nodiscard]] std::int64_t window() const { return window_; }
  [[nodiscard]] std::int64_t largest() const { return largest_; }

 private:
  std::int64_t acked_ = 0;
  std::int64_t window_ = 0;
  std::int64_t edge_ = 0;
  std::int64_t largest_ = 0;  // SYN windows left out
  bool unscaled_ = false;
  bool empty_ = true;
};

// Since when is data up to a number permitted?
class PermissionHistory {
 public:
  static constexpr std::int64_t kBefore = -1;  // permitted since before the first ACK seen
  static constexpr std::int64_t kNever = INT64_MAX;
  struct Answer {
    std::int64_t since = kBefore;
    std::int64_t window_before = 0;   // the window that held it back until then
    std::int64_t largest_before = 0;  // the largest window until then
  };
  // Keeps its memory.
  void clear() {
    std::vector<Edge> edges = std::move(edges_);
    edges.clear();
    *this = PermissionHistory{};
    edges_ = std::move(edges);
  }
  void on_ack(const AckPoint& ack);
  [[nodiscard]] Answer since(std::int64_t end);
  [[nodiscard]] bool empty() const { return now_.empty(); }
  [[nodiscard]] const Permission& now() const { return now_; }

 private:
  struct Edge {
    std::int64_t t = 0;
    std::int64_t edge = 0;
    std::int64_t window_before = 0;
    std::int64_t largest_before = 0;
  };
  void prune();
  static constexpr std::size_t kFew = 256, kMost = 4096;
  std::vector<Edge> edges_;  // rising in both
  std::size_t most_ = kFew;  // pruned above
  std::size_t hint_ = 0;     // where the last answer was: questions mostly go on from there
  std::int64_t first_edge_ = 0;
  Permission now_;
};

}  // namespace rwin::analysis
