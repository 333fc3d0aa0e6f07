#include "analysis/direction/delays.h"

#include <algorithm>
#include <utility>

namespace rwin::analysis {

void SlidingMin::clear(std::int64_t reach) {
  reach_ = reach;
  samples_.clear();
  window_.clear();
  ahead_ = 0;
}

std::int64_t SlidingMin::at(std::int64_t t) {
  while (ahead_ < samples_.size() && samples_[ahead_].t <= t + reach_) {
    while (!window_.empty() && samples_[window_.back()].v >= samples_[ahead_].v) window_.pop_back();
    window_.push_back(ahead_++);
  }
  while (!window_.empty() && samples_[window_.front()].t < t - reach_) window_.pop_front();
  return window_.empty() ? kNone : samples_[window_.front()].v;
}

void Delays::begin(const DelayHints& hints) {
  hints_ = hints;
  d_s_ = hints.sender_us.value_or(kNone);
  d_r_ = hints.receiver_us.value_or(kNone);
  d_r_echo_ = kNone;
  highest_ack_ = again_until_ = previous_data_us_ = recent_us_ = -1;
  recent_d_s_ = 0;
  timed_ = answered_ = false;
  answer_ = kNone;
  answers_agreeing_ = 0;
}

std::optional<std::int64_t> Delays::base() const {
  const auto s = d_s();
  const auto r = d_r();
  if (!s || !r) return std::nullopt;
  return *s + *r;
}

RttMethod Delays::method() const {
  if (!base()) return RttMethod::none;
  if (timed_) return RttMethod::timestamps;
  if (answered_) return RttMethod::release_lag;
  return hints_.sender_us ? RttMethod::handshake : RttMethod::seq_ack;
}

std::int64_t Delays::rtt(const Trace& trace, const AckPoint& ack) const {
  const std::int64_t d_s = ack.data_before > 0 ? trace.data[ack.data_before - 1].d_s
                           : d_s_ == kNone     ? 0
                                               : d_s_;
  return ack.d_r + d_s;
}

// d_R of the newest segment that each ACK covers, Karn's rule: not when any of it was sent twice.
// The newest waits least for a delayed ACK.
void Delays::match_acks(Trace& trace) {
  std::size_t next = 0;
  std::size_t scanned = 0;
  for (std::size_t i = trace.old_acks; i < trace.acks.size(); ++i) {
    AckPoint& a = trace.acks[i];
    for (; scanned < a.data_before; ++scanned) {
      const DataPoint& d = trace.data[scanned];
      const bool step = (d.flags & event::kClockStep) != 0;
      if ((!d.fresh() && !d.probe()) || step) again_until_ = std::max(again_until_, d.sent_before);
    }
    if ((a.flags & event::kClockStep) != 0 && a.data_before > 0) {
      const DataPoint& d = trace.data[a.data_before - 1];
      again_until_ = std::max({again_until_, d.sent_before, d.end});
    }
    if (a.ack <= highest_ack_) continue;
    highest_ack_ = a.ack;
    const DataPoint* newest = nullptr;
    while (next < a.data_before && (trace.data[next].end <= a.ack || !trace.data[next].fresh())) {
      if (trace.data[next].fresh()) newest = &trace.data[next];
      ++next;
    }
    if (newest == nullptr || newest->end <= again_until_ || newest->end != a.ack) continue;
    a.d_r = a.t - newest->t;
    d_r_ = std::min(d_r_, a.d_r);
  }
}

// Without time stamps: ACKs after a while without any, then data. The data answers the first of
// those ACKs, unless the sender had nothing to send. So the smallest is d_S, where several agree;
// and the one around this moment where the window left no room before the ACK came.
void Delays::answers(const Trace& trace, bool scale_known) {
  constexpr std::uint32_t kAgreeing = 3;
  std::size_t seen = trace.old_acks;
  for (const DataPoint& d : trace.data) {
    const std::size_t first = std::exchange(seen, d.acks_before);
    if (first >= d.acks_before || first == 0 || !d.fresh()) continue;
    const AckPoint& a = trace.acks[first];
    const AckPoint& before = trace.acks[first - 1];
    const std::int64_t sample = std::max<std::int64_t>(d.t - a.t, 1);
    const bool quiet = (a.t - before.t) * 2 >= sample;
    const bool plain = (a.flags & (event::kCarriesData | event::kSack | event::kUnscaled)) == 0;
    if (!quiet || !plain || a.ack <= before.highest) continue;
    const std::int64_t near = std::max<std::int64_t>(300, sample / 32);
    if (sample < answer_ - near) answers_agreeing_ = 0;
    if (sample < answer_ + near) ++answers_agreeing_;
    answer_ = std::min(answer_, sample);
    const bool full =
        scale_known && before.edge() - d.sent_before < std::int64_t{d.length} && a.edge() >= d.end;
    if (full && hints_.sender_us) local_.add(d.t, sample);
  }
  if (hints_.sender_us || answers_agreeing_ < kAgreeing) return;
  d_s_ = answer_;
  answered_ = true;
}

void Delays::measure(Trace& trace, bool scale_known) {
  match_acks(trace);
  for (std::size_t i = trace.old_acks; i < trace.acks.size(); ++i) {
    if (trace.acks[i].echo_us != 0)
      d_r_echo_ = std::min<std::int64_t>(d_r_echo_, trace.acks[i].echo_us);
  }
  for (const DataPoint& d : trace.data) {
    if (d.echo_us == 0 || !d.fresh()) continue;
    d_s_ = std::min<std::int64_t>(d_s_, d.echo_us);
    timed_ = true;
  }
  // d_S around each moment. A sample after a pause of the sender measures the pause: left out.
  local_.clear(std::max<std::int64_t>(base().value_or(0) / 2, 20'000));
  if (!timed_) answers(trace, scale_known);
  for (const DataPoint& d : trace.data) {
    if (d.probe()) continue;
    if (d.echo_us != 0 && d.fresh() && previous_data_us_ >= 0 &&
        d.t - previous_data_us_ < std::max<std::int64_t>(d.echo_us / 2, 1'000)) {
      local_.add(d.t, d.echo_us);
    }
    previous_data_us_ = d.t;
  }
  const std::int64_t smallest = d_s_ == kNone ? 0 : d_s_;
  const std::int64_t step = std::max<std::int64_t>(base().value_or(0) / 64, 200);
  std::int64_t asked_us = -1;
  for (DataPoint& d : trace.data) {
    if (asked_us < 0 || d.t - asked_us >= step) {
      asked_us = d.t;
      if (const std::int64_t v = local_.at(d.t); v != kNone) {
        recent_d_s_ = v;
        recent_us_ = d.t;
      }
    }
    d.d_s = recent_us_ >= 0 && d.t - recent_us_ <= 2 * recent_d_s_ ? recent_d_s_ : smallest;
  }
  trace.find_known_acks();
}

}  // namespace rwin::analysis
