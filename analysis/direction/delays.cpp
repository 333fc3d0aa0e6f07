#include "analysis/direction/delays.h"

#include <algorithm>
#include <span>
#include <utility>
#include <vector>

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
  d_s_ = d_r_ = kNone;
  hint(hints);
  d_r_echo_ = kNone;
  highest_ack_ = again_until_ = previous_data_us_ = recent_us_ = -1;
  recent_d_s_ = 0;
  timed_ = answered_ = false;
}

void Delays::hint(const DelayHints& hints) {
  hints_ = hints;
  d_s_ = std::min(d_s_, hints.sender_us.value_or(kNone));
  d_r_ = std::min(d_r_, hints.receiver_us.value_or(kNone));
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
  return hints_.handshake ? RttMethod::handshake : RttMethod::seq_ack;
}

std::int64_t Delays::rtt(const Trace& trace, const AckPoint& ack) const {
  const std::int64_t d_s = ack.data_before > 0 ? trace.data.data()[ack.data_before - 1].d_s
                           : d_s_ == kNone     ? 0
                                               : d_s_;
  return ack.d_r + d_s;
}

// d_R of the newest segment that each ACK covers, Karn's rule: not when any of it was sent twice.
// The newest waits least for a delayed ACK.
void Delays::match_acks(Trace& trace) {
  const DataPoint* next = trace.data.data();
  const DataPoint* scanned = next;
  const DataPoint* const data = next;
  for (AckPoint& a : std::span(trace.acks).subspan(trace.old_acks)) {
    if (a.echo_us != 0) d_r_echo_ = std::min<std::int64_t>(d_r_echo_, a.echo_us);
    for (; scanned < data + a.data_before; ++scanned) {
      constexpr auto kNoSample = event::kRetransmission | event::kReordered;
      const bool step = (scanned->flags & event::kClockStep) != 0;
      if (step || ((scanned->flags & kNoSample) != 0 && !scanned->probe()))
        again_until_ = std::max(again_until_, scanned->sent_before);
    }
    if ((a.flags & event::kClockStep) != 0 && a.data_before > 0) {
      const DataPoint& d = data[a.data_before - 1];
      again_until_ = std::max({again_until_, d.sent_before, d.end});
    }
    if (a.ack <= highest_ack_) continue;
    highest_ack_ = a.ack;
    const DataPoint* newest = nullptr;
    for (; next < data + a.data_before && (next->end <= a.ack || !next->fresh()); ++next) {
      if (next->fresh()) newest = next;
    }
    if (newest == nullptr || newest->end <= again_until_ || newest->end != a.ack) continue;
    a.d_r = a.t - newest->t;
    d_r_ = std::min(d_r_, a.d_r);
  }
}

namespace {

// The gap between segments that halves the time: half of it passes in gaps that are longer. 0 where
// the segments do not come in trains with silence between them.
std::int64_t silence_between_trains(const Trace& trace) {
  constexpr std::int64_t kTrains = 8;
  std::vector<std::int64_t> gaps;
  std::int64_t previous = -1;
  std::int64_t total = 0;
  for (const DataPoint& d : trace.data) {
    if (!d.fresh()) continue;
    if (previous >= 0) {
      gaps.push_back(d.t - previous);
      total += gaps.back();
    }
    previous = d.t;
  }
  if (gaps.size() < 8 || total <= 0) return 0;  // all at once: no trains
  std::sort(gaps.begin(), gaps.end());
  std::int64_t sum = 0;
  std::size_t i = gaps.size();
  while (i > 0 && sum * 2 < total) sum += gaps[--i];
  return gaps[i] > kTrains * gaps[gaps.size() / 2] + 1'000 ? gaps[i] : 0;
}

}  // namespace

// Without time stamps: trains of segments, silence, trains of ACKs, silence. The first segment of a
// train answers the first ACK of the train before it, unless the sender had nothing to send: then
// the train before ended short. So the smallest such time is d_S, where most agree; and the one
// around this moment where the window left no room before the ACK came.
void Delays::answers(const Trace& trace, bool scale_known) {
  const std::int64_t silence = silence_between_trains(trace) / 2;
  if (silence == 0) return;
  std::uint32_t full_length = 0;
  for (const DataPoint& d : trace.data) full_length = std::max(full_length, d.length);
  std::vector<std::int64_t> samples;
  std::size_t next = std::max<std::size_t>(trace.old_acks, 1);
  std::size_t train = 0;  // first ACK of the newest train
  const DataPoint* previous = nullptr;
  for (const DataPoint& d : trace.data) {
    if (!d.fresh()) continue;
    for (; next < d.acks_before; ++next) {
      const AckPoint& a = trace.acks[next];
      const AckPoint& before = trace.acks[next - 1];
      if (a.ack > before.highest && a.t - before.t > silence) train = next;
    }
    const DataPoint* last = std::exchange(previous, &d);
    if (last == nullptr || d.t - last->t <= silence || train == 0) continue;
    const AckPoint& a = trace.acks[train];
    const AckPoint& before = trace.acks[train - 1];
    const bool plain = (a.flags & (event::kCarriesData | event::kSack | event::kUnscaled)) == 0;
    const bool wrote_all = last->length < full_length;
    const std::int64_t sample = std::max<std::int64_t>(d.t - a.t, 1);
    train = 0;
    if (!plain) continue;
    const bool full =
        scale_known && before.edge() - d.sent_before < std::int64_t{d.length} && a.edge() >= d.end;
    if (full && hints_.sender_us) local_.add(d.t, sample);
    if (!wrote_all) samples.push_back(sample);
  }
  if (hints_.sender_us || samples.size() < 3) return;
  const std::int64_t least = *std::min_element(samples.begin(), samples.end());
  const auto agreeing = std::count_if(samples.begin(), samples.end(), [&](std::int64_t v) {
    return v <= least + std::max<std::int64_t>(500, least / 32);
  });
  if (agreeing * 2 < static_cast<std::ptrdiff_t>(samples.size())) return;
  d_s_ = std::min(d_s_, least);
  answered_ = true;
}

void Delays::measure(Trace& trace, bool scale_known) {
  match_acks(trace);
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
  const AckPoint* const acks = trace.acks.data();
  const AckPoint* known = acks;
  for (DataPoint& d : trace.data) {
    if (asked_us < 0 || d.t - asked_us >= step) {
      asked_us = d.t;
      if (const std::int64_t v = local_.at(d.t); v != kNone) {
        recent_d_s_ = v;
        recent_us_ = d.t;
      }
    }
    d.d_s = recent_us_ >= 0 && d.t - recent_us_ <= 2 * recent_d_s_ ? recent_d_s_ : smallest;
    const std::int64_t until = d.t - d.d_s;
    while (known < acks + d.acks_before && known->t <= until) ++known;
    while (known > acks && (known - 1)->t > until) --known;  // d_s grew faster than time went on
    d.known_acks = static_cast<std::uint32_t>(known - acks);
  }
}

}  // namespace rwin::analysis
