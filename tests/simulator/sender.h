// The sending host: a plain TCP sender after Linux where it matters for what limits a transfer
// (tcp_write_xmit(), RACK, proportional rate reduction, the persist timer), and its program. It
// notes at every step what holds it.
#pragma once

#include <deque>
#include <functional>

#include "tests/simulator/clock.h"
#include "tests/simulator/congestion.h"
#include "tests/simulator/packet.h"
#include "tests/simulator/spec.h"
#include "tests/simulator/truth.h"

namespace rwin::sim {

class Sender {
 public:
  // `pressed`: does unread data fill the receiver's buffer?
  Sender(Clock& clock, const Spec& spec, std::function<void(const Packet&)> send,
         std::function<bool()> pressed);
  void open();
  void on_packet(const Packet& p);
  [[nodiscard]] const TruthLog& log() const { return log_; }
  [[nodiscard]] std::uint64_t sent() const { return sent_; }
  [[nodiscard]] std::uint64_t sent_again() const { return sent_again_; }
  [[nodiscard]] bool done() const { return over_; }

 private:
  struct Flying {
    std::int64_t left, right;
    Time sent;
    bool sacked = false, lost = false, flying = true, again = false;
  };
  // The program.
  void start_program();
  void next_chunk();
  void write();
  // Sending.
  void pump();
  Hold try_to_send();
  [[nodiscard]] bool send_new();
  void resend_first_lost();
  [[nodiscard]] double pace() const;
  void emit(const Flying& f);
  [[nodiscard]] std::int64_t full_segment() const;
  [[nodiscard]] Hold window_hold() const;
  [[nodiscard]] Hold cwnd_hold() const;
  void wake_at(Time t);
  void finish();
  // Hearing.
  void hear_window(const Packet& p);
  void on_ack(const Packet& p);
  double take_ack(std::int64_t ack, std::uint32_t echo);
  double take_sack(const Packet& p);
  void delivered(Flying& f);
  void sample_rtt(Time rtt);
  bool mark_lost();
  void count_duplicates(const Packet& p);
  void react(double newly, bool lost, bool advanced);
  // Timers.
  void arm();
  void on_timer();
  void probe();
  [[nodiscard]] Packet fresh() const;
  [[nodiscard]] double in_flight() const;
  void drop_counts(const Flying& f);

  Clock& clock_;
  const Spec& spec_;
  std::function<void(const Packet&)> send_;
  std::function<bool()> pressed_;
  TruthLog log_;
  CongestionWindow window_;

  std::deque<Flying> flight_;
  std::int64_t flying_ = 0, sacked_ = 0, lost_ = 0;  // segments
  std::int64_t una_ = 1, nxt_ = 1, edge_ = 0, snd_wnd_ = 0, max_wnd_ = 0;
  std::int64_t wanted_ = 0, written_ = 0;  // by the program: bytes, and what the socket took
  std::int64_t small_ = 0;                 // end of the last segment below full size
  bool blocked_write_ = false, started_ = false, over_ = false, fin_sent_ = false;
  std::int64_t recover_ = -1;
  bool timed_out_ = false, ever_lost_ = false;
  std::int64_t duplicates_ = 0;
  double prr_delivered_ = 0, prr_out_ = 0, prr_from_ = 1;
  Time rack_sent_ = -1, rack_rtt_ = 0;
  std::int64_t highest_sacked_ = 0;
  bool reordering_ = false, undone_ = false;
  std::int64_t needless_ = 0;  // retransmissions of this recovery not yet known to be needless
  Time srtt_ = -1, rttvar_ = 0, rto_ = kSecond, smallest_rtt_ = INT64_MAX, last_sent_ = 0;
  int backoff_ = 0;
  Time deadline_ = -1, timer_set_ = -1, pace_at_ = 0, woken_ = -1;
  Hold hold_ = Hold::not_started;
  std::optional<std::uint8_t> peer_scale_;
  std::uint8_t peer_shift_ = 0;
  std::int64_t rcv_next_ = 1;
  std::uint32_t ts_recent_ = 0;
  std::uint16_t ip_id_ = 1000;
  std::uint64_t sent_ = 0, sent_again_ = 0;
};

}  // namespace rwin::sim
