// The two halves of the round trip, as the capture point sees them (METHOD: d_S and d_R), over
// time.
//
// d_S: capture point -> sender -> capture point, from an ACK to the data it released. d_R likewise
// at the receiver. Every sample is the true delay plus waiting (delayed ACK, sender idle, coarse
// time stamp clock), never less, so the smallest over a short while is the delay then, queues
// included, and the smallest of all is the base.
#pragma once

#include <cstdint>
#include <deque>
#include <limits>
#include <optional>
#include <vector>

#include "analysis/direction/trace.h"
#include "analysis/result.h"

namespace rwin::analysis {

struct DelayHints {
  std::optional<std::int64_t> sender_us, receiver_us;  // from SYN and FIN
  bool handshake = false;                              // the sender's from the handshake
};

// Smallest value within +-reach of each query time; queries and samples in time order.
class SlidingMin {
 public:
  void clear(std::int64_t reach);
  void add(std::int64_t t, std::int64_t v) { samples_.push_back({t, v}); }
  // Queries must not go back in time. kNone when there is no sample.
  std::int64_t at(std::int64_t t);
  static constexpr std::int64_t kNone = std::numeric_limits<std::int64_t>::max();

 private:
  struct Sample {
    std::int64_t t, v;
  };
  std::int64_t reach_ = 0;
  std::vector<Sample> samples_;
  std::deque<std::size_t> window_;
  std::size_t ahead_ = 0;
};

class Delays {
 public:
  void begin(const DelayHints& hints);
  // What was learnt since: lowers the smallest delays.
  void hint(const DelayHints& hints);
  // Fills d_s and known_acks of every data point and d_r of the acks. `scale_known`: the trace's
  // windows are scaled.
  void measure(Trace& trace, bool scale_known);

  [[nodiscard]] std::optional<std::int64_t> d_s() const { return some(d_s_); }
  [[nodiscard]] std::optional<std::int64_t> d_r() const {
    return some(d_r_ != kNone ? d_r_ : d_r_echo_);
  }
  [[nodiscard]] std::optional<std::int64_t> base() const;
  [[nodiscard]] RttMethod method() const;
  // Round trip around an ack that has d_r.
  [[nodiscard]] std::int64_t rtt(const Trace& trace, const AckPoint& ack) const;

 private:
  static constexpr std::int64_t kNone = SlidingMin::kNone;
  static std::optional<std::int64_t> some(std::int64_t v) {
    return v == kNone ? std::nullopt : std::optional<std::int64_t>(v);
  }
  void match_acks(Trace& trace);
  void answers(const Trace& trace, bool scale_known);

  DelayHints hints_;
  std::int64_t d_s_ = kNone, d_r_ = kNone, d_r_echo_ = kNone;
  std::int64_t highest_ack_ = -1;
  std::int64_t again_until_ = -1;  // sent twice up to here: no sample (Karn)
  std::int64_t previous_data_us_ = -1;
  std::int64_t recent_d_s_ = 0, recent_us_ = -1;  // the last local value, and when
  bool timed_ = false;
  bool answered_ = false;  // d_s_ comes from answers()
  SlidingMin local_;
};

}  // namespace rwin::analysis
