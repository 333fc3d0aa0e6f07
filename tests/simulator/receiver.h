// The receiving host: buffer, reading program, acknowledgements and windows, after Linux
// (__tcp_select_window(), tcp_cleanup_rbuf(), tcp_rcv_space_adjust()).
#pragma once

#include <functional>
#include <vector>

#include "tests/simulator/clock.h"
#include "tests/simulator/packet.h"
#include "tests/simulator/spec.h"

namespace rwin::sim {

class Receiver {
 public:
  Receiver(Clock& clock, const Spec& spec, std::function<void(const Packet&)> send);
  // Opens the connection (where the receiver is the client).
  void open();
  void on_packet(const Packet& p);
  // What the program has not read keeps the window well below what the buffer would allow.
  [[nodiscard]] bool pressed() const { return unread_ > 0 && (edge_ - next_) * 2 < buffer_; }
  [[nodiscard]] std::int64_t received() const { return next_ - 1; }
  [[nodiscard]] bool done() const { return done_; }

 private:
  [[nodiscard]] Packet fresh() const;
  [[nodiscard]] std::uint32_t stamp() const;
  void syn(bool answer);
  void request();
  void take(const Packet& p);
  void settle();
  void take_in_order();
  void adjust_buffer(std::int64_t bytes);
  void start_reader();
  void read();
  void copied(std::int64_t bytes);
  [[nodiscard]] std::int64_t ooo_bytes() const;
  [[nodiscard]] std::int64_t select_window() const;
  [[nodiscard]] std::uint16_t advertise();
  void acknowledge();
  void ack_later();

  Clock& clock_;
  const Spec& spec_;
  std::function<void(const Packet&)> send_;
  std::optional<std::uint8_t> peer_scale_;
  std::uint8_t shift_ = 0;
  bool open_ = false, done_ = false, thinking_ = false, reader_on_ = false;
  std::int64_t next_ = 1, edge_ = 0, wnd_ = 0, unread_ = 0, buffer_;
  std::int64_t own_next_ = 1;  // of its requests
  std::int64_t asked_ = 0;     // bytes of answers asked for
  std::vector<Range> ooo_;     // in order of sequence numbers
  std::vector<Range> recent_;  // SACK blocks, newest first
  Range twice_{};              // D-SACK owed
  std::uint32_t ts_recent_ = 0;
  std::int64_t last_ack_sent_ = 1;
  std::int64_t owed_ = 0;  // bytes not acknowledged
  bool now_ = false;       // an ACK is due at once
  bool settling_ = false, ack_timer_ = false;
  int quick_ = 16;  // segments acknowledged at once (quickack)
  double budget_ = 0;
  Time owed_since_ = 0;
  Time copied_since_ = 0;
  std::int64_t copied_ = 0;
  std::uint16_t ip_id_ = 30'000;
};

}  // namespace rwin::sim
