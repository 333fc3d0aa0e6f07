// One direction of the emulated link, on a clock of its caller: half the delay, the middle of the
// path (capture, loss, middlebox, queue, line), the other half.
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <functional>
#include <queue>
#include <random>
#include <string>

#include "packet.h"

namespace rwin::netlab {

struct LinkRules {
  double rate = 100e6;    // bit/s of the line, headers included
  double delay_ms = 10;   // one way, without queue and line time
  double queue = 100000;  // bytes that may wait for the line; more is dropped
  double loss = 0;        // probability
  double reorder = 0;     // probability that a packet takes `reorder_ms` longer
  double reorder_ms = 0;
  double drop_syn = 0;  // so many SYNs are lost before one passes
  Rewrite rewrite;

  // The field of that name ("rate", "delay_ms", ..., "strip_ws", "zero_ws", "clamp_win"); null for
  // other words.
  double* field(const std::string& name);
};

struct LinkCounts {
  uint64_t in_packets = 0, in_bytes = 0, out_packets = 0, out_bytes = 0;
  uint64_t drop_queue = 0, drop_loss = 0, reordered = 0, rewritten = 0, other_protocol = 0;
  uint64_t max_queue_bytes = 0, late_over_1ms = 0, write_failed = 0;
  double late_max_us = 0, late_sum_us = 0;
};

// Times in nanoseconds. Bytes are those of the IP packet plus the link header.
class Link {
 public:
  using Observer =
      std::function<void(int64_t, const Frame&)>;  // sees packets in the middle of the path

  Link(const LinkRules& start, uint64_t seed, size_t link_header)
      : rules(start), link_header_(link_header), random_(seed) {}

  void arrive(int64_t now, Frame frame);
  // When the next packet passes the middle; kNever without one.
  int64_t next_middle() const;
  // Passes one packet through the middle.
  void pass_middle(const Observer& seen);
  // When to wake next for this direction; kNever when it is empty.
  int64_t next_event() const;
  // The next packet that has arrived at the far end by `now`; false when there is none. Counts how
  // late it is.
  bool depart(int64_t now, Frame& frame);

  // Bytes that the line has carried by `now`, and the time a packet would wait in the queue.
  double carried(int64_t now) const;
  double queue_ms(int64_t now) const;

  static constexpr int64_t kNever = INT64_MAX;
  LinkRules rules;
  LinkCounts counts;

 private:
  struct Waiting {
    int64_t due;
    uint64_t order;
    Frame frame;
    bool operator>(const Waiting& other) const {
      return due != other.due ? due > other.due : order > other.order;
    }
  };

  bool happens(double probability) {
    return probability > 0 && std::uniform_real_distribution<>(0, 1)(random_) < probability;
  }
  bool lost(const TcpPlace& at);
  int64_t half_delay() const { return static_cast<int64_t>(rules.delay_ms * 1e6 / 2); }

  size_t link_header_;
  std::mt19937_64 random_;
  Rewriter rewriter_;
  std::deque<Waiting> before_;  // on the way to the middle
  std::priority_queue<Waiting, std::vector<Waiting>, std::greater<>> after_;
  int64_t line_free_ = 0;  // when the line has sent everything it was given
  double given_ = 0;       // bytes given to the line
  uint64_t order_ = 0;
};

}  // namespace rwin::netlab
