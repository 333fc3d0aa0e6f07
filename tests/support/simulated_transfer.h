// "transfer" in a scenario: a sender, a way and a receiver in a closed loop. A plain TCP, in the
// shape of Linux where it matters for what limits a transfer: congestion window with slow start,
// SACK recovery and timeouts, send buffer, pacing, a program that writes in chunks; a receiver with
// a buffer, a reader of some speed and delayed ACKs. Inside tests/support only.
#pragma once

#include <deque>
#include <functional>

#include "tests/support/scenario_net.h"

namespace rwin::test {

class SimulatedTransfer {
 public:
  // `done` is called when all is acknowledged. Must live until the net has run to its end.
  SimulatedTransfer(Net& net, const TransferSpec& spec, std::function<void()> done);
  void start();
  [[nodiscard]] const Simulated& truth() const { return truth_; }

 private:
  struct Flying {
    std::int64_t left, right, number, sent;
    bool sacked = false, lost = false, again = false;
  };
  // Sender.
  void on_ack(const Packet& p);
  void measure(std::int64_t sample);
  [[nodiscard]] bool reading() const;
  void take_sack(const Packet& p);
  void mark_lost();
  void pump();
  bool resend();
  void send_new(std::int64_t length);
  void put(Flying& f);
  [[nodiscard]] Fate fate(const Flying& f);
  bool chance(double share);
  [[nodiscard]] std::int64_t in_flight() const;
  [[nodiscard]] std::int64_t written() const;  // by the program, as a sequence number
  [[nodiscard]] bool drops(std::int64_t number) const;
  void arm_timer();
  void on_timer(std::uint64_t generation);
  void account(bool held);
  void wake(std::int64_t time);
  // Receiver.
  void on_data(const Packet& p, bool odd);
  void read();
  void acknowledge();
  [[nodiscard]] std::int64_t window();

  Net& net_;
  TransferSpec spec_;
  std::function<void()> done_;
  Simulated truth_;
  int sender_, receiver_;
  std::int64_t mss_ = 0, begin_ = 0, end_ = 0, started_ = 0;
  // Sender.
  std::deque<Flying> flying_;
  double cwnd_ = 0, threshold_ = 1e15;
  std::int64_t una_ = 0, next_ = 0, recover_ = -1, segments_ = 0, pace_at_ = 0, last_sent_ = 0,
               woken_ = -1;
  std::int64_t rto_ = 0, backoff_ = 0, smooth_ = -1, deviation_ = 0;
  std::uint64_t timer_ = 0;
  bool troubled_ = false;  // something in flight is sacked or lost
  bool finished_ = false, busy_ = false, held_ = false;
  std::int64_t since_ = 0;
  std::uint64_t dice_ = 1;
  // Receiver.
  std::int64_t read_ = 0, read_at_ = 0, grown_ = 0;
  double read_rest_ = 0;
  std::int64_t unanswered_ = 0;  // bytes since the last ACK
  std::uint64_t ack_timer_ = 0;
  bool ack_owed_ = false;
};

}  // namespace rwin::test
