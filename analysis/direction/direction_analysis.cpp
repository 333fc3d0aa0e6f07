#include "analysis/direction/direction_analysis.h"

#include <algorithm>
#include <span>

#include "analysis/direction/scale_inference.h"

namespace rwin::analysis {
namespace {

constexpr double kLineFull = 0.93;  // from here a window-limited sender fills the line all the same
constexpr std::uint32_t kLargestFrame =
    9216;  // payloads above are super-segments of an offloading host

// Round trip around an epoch: the smallest of it and its neighbours, since a single sample may have
// waited for a delayed ACK.
std::optional<std::int64_t> rtt_around(const std::vector<Epoch>& epochs, std::size_t k) {
  constexpr std::size_t kReach = 2;
  std::optional<std::int64_t> best;
  for (std::size_t i = k > kReach ? k - kReach : 0; i < epochs.size() && i <= k + kReach; ++i) {
    if (epochs[i].rtt_min >= 0 && (!best || epochs[i].rtt_min < *best)) best = epochs[i].rtt_min;
  }
  return best;
}

}  // namespace

void DirectionAnalysis::begin(const DirectionInput& input) {
  in_ = input;
  scale_ = input.scale;
  tail_.clear();
  delays_.begin(input.hints);
  releases_.begin();
  judge_.begin();
  path_.begin();
  windows_.begin();
  stall_.begin();
  resent_.begin();
  timeline_.clear();
  samples_.begin(input.sample_points, input.sample_sequence);
  for (Histogram* h : {&sizes_, &flights_, &rtts_, &held_window_, &held_rtt_}) h->clear();
  shorts_ = rtt_samples_ = 0;
  largest_flight_ = busy_us_ = held_us_ = 0;
  first_data_us_ = -1;
  last_data_us_ = drained_us_ = 0;
  mss_ = 0;
  pushed_bytes_ = 0;
  drained_ = shut_ = false;
}

// Payload of a full segment: the handshake's MSS less options, or the commonest size on the wire,
// never a super-segment of an offloading host.
void DirectionAnalysis::measure_segment_size(const Trace& trace) {
  constexpr double kEnough = 4e6;  // bytes: the size does not change later
  for (const DataPoint& d : trace.data) {
    if (sizes_.total() >= kEnough) break;
    if (d.probe() || d.length == 0 || d.length > kLargestFrame) continue;
    sizes_.add(d.length, d.length);
    if ((d.flags & event::kPush) != 0) pushed_bytes_ += d.length;
  }
  std::uint32_t bound = 0;
  if (in_.mss) bound = std::max(*in_.mss - (in_.timestamps ? 12 : 0), 1);
  const auto seen = static_cast<std::uint32_t>(sizes_.quantile(0.5).value_or(0));
  const bool enough = sizes_.total() >= 20.0 * seen;
  // Below the handshake's by a little: a tunnel on the way. By much: small writes.
  // Each pushed: writes of that size.
  const bool writes = static_cast<double>(pushed_bytes_) >= 0.7 * sizes_.total();
  const bool lowered = seen < bound && seen * 2 > bound && enough && !writes;
  mss_ = bound == 0 || lowered ? seen : bound;
  const auto shorts = std::count_if(trace.data.begin(), trace.data.end(), [&](const DataPoint& d) {
    return d.length > 0 && d.length < mss_ && !d.probe();
  });
  shorts_ += static_cast<std::uint64_t>(shorts);
  resent_.consume(trace, mss_);
}

// Quantiles of long stretches come from every n-th point; the largest flight from all.
void DirectionAnalysis::flights_and_rtt(const Trace& trace) {
  constexpr std::size_t kEnough = 4096;
  const std::size_t every_data = trace.data.size() / kEnough + 1;
  std::int64_t largest = largest_flight_;
  std::size_t to_go = 1;
  for (const DataPoint& d : trace.data) {
    const bool sample = --to_go == 0;
    if (sample) to_go = every_data;
    const std::int64_t known = trace.known_ack(d);
    if (d.probe() || known < 0) continue;
    const std::int64_t flight = std::max(d.end, d.sent_before) - known;
    largest = std::max(largest, flight);
    if (sample) flights_.add(flight);
  }
  largest_flight_ = largest;
  const std::size_t every_ack = (trace.acks.size() - trace.old_acks) / kEnough + 1;
  for (const AckPoint& a : std::span(trace.acks_begin(), trace.acks_end())) {
    if (a.d_r < 0) continue;
    if (rtt_samples_++ % every_ack == 0) rtts_.add(delays_.rtt(trace, a));
  }
}

// Limits of the spans; the active ones get the judgement of their epochs.
void DirectionAnalysis::lay_spans(const std::vector<Span>& spans, const std::vector<Epoch>& epochs,
                                  bool queue_visible) {
  // A capacity that only the spacing of packets tells must not outvote a window that was seen to
  // hold the sender: where a queue would show and none does, the line had room.
  const auto full_bps = path_.from_queue() || !queue_visible ? path_.full_bps() : std::nullopt;
  const auto full = [&](const Epoch& e) {
    return full_bps && e.rate_bps() >= kLineFull * *full_bps;
  };
  std::size_t k = 0;
  for (const Span& s : spans) {
    while (k + 1 < epochs.size() && epochs[k].to <= s.from) ++k;
    for (std::size_t i = k; i < epochs.size() && (i == k || epochs[i].from < s.to); ++i) {
      const Epoch& e = epochs[i];
      Limit limit = e.limit;
      switch (s.wait) {
        case Wait::window_open:
          limit = full(e) ? Limit::bandwidth : Limit::receiver_window;
          break;
        case Wait::window_closed:
          limit = full(e) ? Limit::bandwidth : Limit::receiver_app;
          break;
        case Wait::draining:
        case Wait::idle:
          limit = Limit::sender_app;
          break;
        case Wait::recovery:
          limit = e.limit == Limit::bandwidth ? Limit::bandwidth : Limit::congestion;
          break;
        case Wait::active:
          break;
      }
      timeline_.extend(i + 1 == epochs.size() ? s.to : std::min(s.to, e.to), limit);
    }
    if (s.wait != Wait::idle) busy_us_ += s.length();
    if (!s.held()) continue;
    held_us_ += s.length();
    held_window_.add(s.window, static_cast<double>(s.length()));
    if (const auto rtt = rtt_around(epochs, k))
      held_rtt_.add(*rtt, static_cast<double>(s.length()));
  }
}

// What comes before the first segment: the program has not written yet, or the window is shut.
void DirectionAnalysis::lay_head(const Trace& trace) {
  const auto begin = std::find_if(trace.data.begin(), trace.data.end(),
                                  [](const DataPoint& d) { return !d.probe(); });
  if (timeline_.end() >= first_data_us_ || begin == trace.data.end()) return;
  const std::int64_t first = begin->t;
  std::int64_t shut_us = -1;
  const auto open_at = [&](std::int64_t t) {
    if (shut_us < 0) return;
    timeline_.extend(shut_us, Limit::sender_app);
    const std::int64_t from = timeline_.end();
    timeline_.extend(t, Limit::receiver_app);
    busy_us_ += std::max<std::int64_t>(0, t - from);
    held_us_ += std::max<std::int64_t>(0, t - from);
    shut_us = -1;
  };
  for (std::size_t i = trace.old_acks; i < begin->acks_before; ++i) {
    const AckPoint& a = trace.acks[i];
    if (!a.counts_as_window()) continue;
    if (a.field != 0)
      open_at(a.t);
    else if (shut_us < 0)
      shut_us = a.t;
  }
  open_at(first);
  timeline_.extend(first, Limit::sender_app);
}

// How the direction stands at the end of what was read: drained when everything sent is
// acknowledged.
void DirectionAnalysis::note_end(const Trace& trace) {
  const auto is_data = [](const DataPoint& d) { return !d.probe(); };
  const auto first = std::find_if(trace.data.begin(), trace.data.end(), is_data);
  const AckPoint* from = trace.acks_begin();
  if (first != trace.data.end()) {
    const auto last = std::find_if(trace.data.rbegin(), trace.data.rend(), is_data);
    if (first_data_us_ < 0) first_data_us_ = first->t;
    last_data_us_ = drained_us_ = last->t;
    drained_ = shut_ = false;
    from = trace.acks.data() + last->acks_before;
  }
  for (const AckPoint& a : std::span(from, trace.acks_end())) {
    if (!drained_) drained_us_ = a.t;
    if (a.ack < trace.highest_sent) continue;
    shut_ = a.counts_as_window() && a.field == 0;
    if (!drained_ || shut_) drained_us_ = a.t;
    drained_ = true;
  }
}

// What follows the last segment: the drain, or a window that stays shut.
void DirectionAnalysis::lay_tail(const HalfFlow& half, std::int64_t total_us) {
  const std::int64_t tail = drained_us_ - last_data_us_;
  busy_us_ += tail;
  if (shut_) held_us_ += tail;
  timeline_.extend(drained_us_, shut_ ? Limit::receiver_app : Limit::closing);
  timeline_.extend(total_us, half.fin_seen() || shut_ ? Limit::closing : Limit::sender_app);
}

void DirectionAnalysis::consume(EventLog& log, bool two_sided, bool last, EventPool& pool,
                                Scratch& scratch) {
  Trace& trace = scratch.trace;
  trace.begin(tail_);
  log.drain(pool, [&](const Event& e) { trace.add(e); });
  digest(two_sided, last, scratch);
}

void DirectionAnalysis::look(const HalfFlow& half, Scratch& scratch) {
  Trace& trace = scratch.trace;
  trace.begin(tail_);
  half.log().show([&](const Event& e) { trace.add(e); });
  digest(half.two_sided(), true, scratch);
}

void DirectionAnalysis::digest(bool two_sided, bool last, Scratch& scratch) {
  Trace& trace = scratch.trace;
  trace.rescale(scale_.state == Presence::known ? scale_.shift : 0);
  delays_.measure(trace, scale_.state == Presence::known);
  measure_segment_size(trace);
  const std::uint32_t full =
      in_.mss ? static_cast<std::uint32_t>(*in_.mss - (in_.timestamps ? 12 : 0)) : mss_;
  if (scale_.state == Presence::unknown) {
    if (const auto shift = infer_shift(trace, delays_, full, scratch.spans))
      scale_ = {Presence::known, *shift, true};
  }
  const bool scale_known = scale_.state != Presence::unknown;
  windows_.consume(trace, scale_known, scale_.shift);
  flights_and_rtt(trace);
  stall_.consume(trace);
  samples_.consume(trace, delays_, scale_known);
  scratch.spans.clear();
  releases_.find_waits(trace, delays_, scale_known, full, scratch.spans);
  judge_.cut(trace, delays_, scratch.spans, mss_, scratch.epochs);
  path_.consume(trace, scratch.epochs, delays_, mss_, scratch.trains);
  const auto base = delays_.base();
  const bool visible =
      delays_.method() == RttMethod::timestamps || (base && delays_.d_r().value_or(0) * 4 >= *base);
  judge_.judge(scratch.epochs, {path_.full_bps(), path_.from_queue(), visible, base}, mss_);
  note_end(trace);
  timeline_.extend(in_.handshake_end_us, Limit::handshake);
  if (two_sided) {
    lay_head(trace);
    lay_spans(scratch.spans, scratch.epochs, visible);
  }
  if (last) return;
  trace.leave(tail_);
  timeline_.thin(2 * kMostPieces);
}

}  // namespace rwin::analysis
