#include "analysis/direction/delays.h"

#include <algorithm>
#include <deque>
#include <limits>

namespace rwin::analysis {
namespace {

constexpr std::int64_t kNone = std::numeric_limits<std::int64_t>::max();

// d_R of the newest segment that each ACK covers, Karn's rule: not when any of it was sent twice. The newest waits
// least for a delayed ACK.
void match_acks(Trace& trace) {
  std::size_t next = 0;
  std::int64_t highest = 0;
  bool any = false;
  std::int64_t again_until = std::numeric_limits<std::int64_t>::min();  // no sample at or below: sent twice
  std::size_t scanned = 0;
  for (AckPoint& a : trace.acks) {
    for (; scanned < a.data_before; ++scanned) {
      const DataPoint& d = trace.data[scanned];
      if (d.again() || (d.flags & event::kReordered) != 0) again_until = std::max(again_until, d.sent_before);
    }
    if (any && a.ack <= highest) continue;
    std::size_t best = trace.data.size();
    while (next < a.data_before && (trace.data[next].end <= a.ack || !trace.data[next].fresh())) {
      if (trace.data[next].fresh()) best = next;
      ++next;
    }
    highest = a.ack;
    any = true;
    if (best == trace.data.size()) continue;
    const DataPoint& d = trace.data[best];
    if (d.end <= again_until || d.end != a.ack) continue;
    a.d_r = a.t - d.t;
  }
}

// Smallest value within +-`reach` of each query time; queries and samples in time order.
class SlidingMin {
 public:
  explicit SlidingMin(std::int64_t reach) : reach_(reach) {}
  void add(std::int64_t t, std::int64_t v) { samples_.push_back({t, v}); }
  // Queries must not go back in time.
  std::int64_t at(std::int64_t t) {
    while (ahead_ < samples_.size() && samples_[ahead_].t <= t + reach_) {
      while (!window_.empty() && samples_[window_.back()].v >= samples_[ahead_].v) window_.pop_back();
      window_.push_back(ahead_++);
    }
    while (!window_.empty() && samples_[window_.front()].t < t - reach_) window_.pop_front();
    return window_.empty() ? kNone : samples_[window_.front()].v;
  }

 private:
  struct Sample {
    std::int64_t t, v;
  };
  std::int64_t reach_;
  std::vector<Sample> samples_;
  std::deque<std::size_t> window_;
  std::size_t ahead_ = 0;
};

}  // namespace

Delays measure_delays(Trace& trace, const DelayHints& hints) {
  Delays out;
  match_acks(trace);
  bool timed = false;
  std::int64_t d_s = kNone;
  std::int64_t d_r = kNone;
  for (const DataPoint& d : trace.data) {
    if (d.echo_us == 0 || !d.fresh()) continue;
    d_s = std::min<std::int64_t>(d_s, d.echo_us);
    timed = true;
  }
  for (const AckPoint& a : trace.acks) {
    if (a.d_r >= 0) d_r = std::min(d_r, a.d_r);
  }
  if (d_r == kNone) {  // no newest segment ever matched: the time stamps still tell (delayed ACKs included)
    for (const AckPoint& a : trace.acks) {
      if (a.echo_us != 0) d_r = std::min<std::int64_t>(d_r, a.echo_us);
    }
  }
  out.method = timed ? RttMethod::timestamps : (hints.sender_us ? RttMethod::handshake : RttMethod::none);
  if (hints.sender_us) d_s = std::min(d_s, *hints.sender_us);
  if (hints.receiver_us) d_r = std::min(d_r, *hints.receiver_us);
  if (d_s != kNone) out.d_s = d_s;
  if (d_r != kNone) out.d_r = d_r;
  const std::int64_t base = (out.d_s ? *out.d_s : 0) + (out.d_r ? *out.d_r : 0);

  // d_S around each moment. A sample after a pause of the sender measures the pause: left out.
  SlidingMin local(std::max<std::int64_t>(base / 2, 20'000));
  std::int64_t previous = -1;
  for (const DataPoint& d : trace.data) {
    if (d.echo_us != 0 && d.fresh() && previous >= 0 && d.t - previous < std::max<std::int64_t>(d.echo_us / 2, 1'000)) {
      local.add(d.t, d.echo_us);
    }
    if (!d.probe()) previous = d.t;
  }
  for (DataPoint& d : trace.data) {
    const std::int64_t v = local.at(d.t);
    d.d_s = v != kNone ? v : out.d_s.value_or(0);
  }
  return out;
}

}  // namespace rwin::analysis
