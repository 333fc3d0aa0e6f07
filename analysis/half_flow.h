// One direction of data, packet by packet: the 64-bit sequence space of its sender, what the
// receiver acknowledged, and what each segment is (new, retransmission, reordered, probe,
// keep-alive). Writes the event log that the direction analysis reads later. Fixed size, no
// allocation but log blocks.
#pragma once

#include <array>
#include <cstdint>
#include <memory>

#include "analysis/event_log.h"
#include "analysis/segment.h"

namespace rwin::analysis {

// When a time stamp value first went by, until its echo comes back (RFC 7323 4; the method of K.
// Nichols' pping). Bounded: a few values are followed at a time, spread over the round trip.
class EchoMatcher {
 public:
  void sent(std::uint32_t tsval, std::int64_t time_us);
  // Microseconds since `tsecr` first went by; 0 when it is not followed or was answered before.
  std::uint32_t echoed(std::uint32_t tsecr, std::int64_t time_us);

  // A value that has not gone by yet: the record of its packet comes after that of its echo.
  [[nodiscard]] bool ahead(std::uint32_t tsecr) const {
    return any_ && static_cast<std::int32_t>(tsecr - newest_) > 0;
  }

  // Forgets what is under way.
  void clear() { count_ = 0; }

 private:
  void thin_out();
  static constexpr std::uint8_t kSlots = 6;
  std::array<std::uint32_t, kSlots> value_{};
  std::array<std::uint32_t, kSlots> time_{};  // low 32 bits of microseconds
  std::uint32_t newest_ = 0;
  std::uint32_t last_taken_ = 0;  // time of the newest value followed
  std::uint32_t spacing_ = 0;     // least time between two values followed
  std::uint8_t first_ = 0, count_ = 0;
  bool any_ = false;
};

struct HalfFlowCounters {
  std::uint64_t wire_bytes = 0, retransmitted_bytes = 0, gap_bytes = 0;
  std::uint64_t segments = 0, acks = 0, pushed = 0;
  std::uint32_t retransmitted_segments = 0, spurious_acked = 0, spurious_dsack = 0, timeouts = 0;
  std::uint32_t reordered = 0, keep_alives = 0, probes = 0, unanswered_probes = 0;
  std::uint32_t after_ack = 0;  // segments recorded after their acknowledgement
};

class HalfFlow {
 public:
  // A segment of this direction's sender that takes sequence space or probes. `now_us` from the
  // connection's start. `echo_us`: delay from a receiver's packet to its echo in this segment, 0
  // none.
  void on_data(const Segment& segment, std::int64_t now_us, std::uint32_t echo_us, EventPool& pool);
  // A segment of the receiver with ACK. `echo_us`: delay from a sender's packet to its echo.
  void on_ack(const Segment& segment, std::int64_t now_us, std::uint32_t echo_us, EventPool& pool);
  // The sender's SYN: fixes the origin of the sequence space.
  void on_syn(std::uint32_t isn);
  // The receiver's SYN or SYN-ACK: its window is unscaled and is the first edge.
  void on_receiver_syn(std::uint16_t window, std::int64_t now_us);
  // The capture's clock was set back: delays across this moment cannot be told.
  void on_clock_step();

  [[nodiscard]] const HalfFlowCounters& counters() const { return counters_; }
  // Data and acknowledgements were seen.
  [[nodiscard]] bool two_sided() const { return counters_.segments > 0 && counters_.acks > 0; }
  [[nodiscard]] bool carries_data() const {
    return started_ && (next_ > origin_ || counters_.segments > 0);
  }
  [[nodiscard]] std::int64_t origin() const { return origin_; }
  [[nodiscard]] std::int64_t next() const { return next_; }
  [[nodiscard]] std::int64_t acked() const { return una_; }
  [[nodiscard]] bool fin_seen() const { return fin_seen_; }
  [[nodiscard]] bool fin_acked() const { return fin_acked_; }
  [[nodiscard]] bool started() const { return started_; }
  [[nodiscard]] EventLog& log() { return log_; }
  [[nodiscard]] const EventLog& log() const { return log_; }
  [[nodiscard]] std::uint32_t largest_payload() const { return largest_payload_; }

  EchoMatcher echoes;  // of the values this direction's sender sent

 private:
  // Ranges that were jumped over and not seen since: most flows never have one.
  struct Hole {
    std::int64_t left = 0, right = 0;
    std::int64_t since_us = 0;
  };
  struct Holes {
    std::array<Hole, 16> list{};
    std::uint8_t count = 0;
    // Acknowledged before they were captured: gaps, unless they still come.
    std::array<Hole, 4> late{};
    std::uint8_t next_late = 0;
  };
  void start_at(std::uint32_t seq);
  void log(EventPool& pool, Event& e);
  [[nodiscard]] bool says_nothing(const Segment& segment) const;
  [[nodiscard]] std::int64_t unwrap(std::uint32_t seq) const {
    return next_ + static_cast<std::int32_t>(seq - static_cast<std::uint32_t>(next_));
  }
  bool probe_or_keep_alive(const Segment& segment, std::int64_t start, std::int64_t now_us,
                           EventPool& pool);
  std::uint16_t classify_old(const Segment& segment, std::int64_t start, std::int64_t end,
                             std::int64_t now_us);
  bool fills_hole(std::int64_t start, std::int64_t end, std::int64_t& since_us);
  Holes& holes();
  void add_late(const Hole& hole);
  bool was_late(std::int64_t start, std::int64_t end, std::int64_t now_us);
  void add_hole(std::int64_t left, std::int64_t right, std::int64_t now_us);
  void drop_holes_below(std::int64_t ack, std::int64_t now_us);
  void flush_pending(EventPool& pool);

  std::unique_ptr<Holes> holes_;
  EventLog log_;
  HalfFlowCounters counters_;
  std::int64_t pending_us_ = 0, pending_ack_ = 0;  // the last ACK before any data
  std::int64_t origin_ = 0, next_ = 0, una_ = 0;
  std::int64_t last_data_us_ = 0, last_progress_us_ = 0;
  std::int64_t fin_seq_ = 0;
  std::int64_t syn_window_us_ = 0;
  std::uint32_t newest_tsval_ = 0;
  std::uint32_t last_echo_ = 0,
                last_stamp_ = 0;  // time stamps of the last data (echo) and the last ACK (own)
  std::uint32_t largest_payload_ = 0;
  std::uint32_t duplicate_acks_ = 0;
  std::uint16_t newest_ip_id_ = 0;
  std::uint16_t last_window_ = 0, pending_window_ = 0;
  std::uint16_t syn_window_ = 0;
  bool started_ = false, has_tsval_ = false, has_pending_ack_ = false;
  bool clock_step_ = false, syn_seen_ = false, has_syn_window_ = false, ack_seen_ = false,
       fin_seen_ = false, fin_acked_ = false, probe_open_ = false;
};

}  // namespace rwin::analysis
