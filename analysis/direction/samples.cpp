#include "analysis/direction/samples.h"

#include <algorithm>
#include <type_traits>

namespace rwin::analysis {
namespace {

constexpr std::int64_t kFirstStepUs = 1'000;

std::uint32_t narrow(std::int64_t v) {
  return static_cast<std::uint32_t>(std::clamp<std::int64_t>(v, 0, UINT32_MAX));
}

template <class T>
void lower(std::optional<T>& best, std::optional<std::type_identity_t<T>> v) {
  if (v && (!best || *v < *best)) best = v;
}

template <class T>
void raise(std::optional<T>& best, std::optional<std::type_identity_t<T>> v) {
  if (v && (!best || *v > *best)) best = v;
}

void join(SamplePoint& a, const SamplePoint& b) {
  lower(a.window_low, b.window_low);
  raise(a.window_high, b.window_high);
  raise(a.flight_high, b.flight_high);
  lower(a.rtt_low_us, b.rtt_low_us);
  raise(a.rtt_high_us, b.rtt_high_us);
  a.bytes += b.bytes;
  a.resent += b.resent;
}

void join(SequencePoint& a, const SequencePoint& b) {
  lower(a.sent_low, b.sent_low);
  raise(a.sent_high, b.sent_high);
  lower(a.again_low, b.again_low);
  raise(a.again_high, b.again_high);
  raise(a.acked, b.acked);
  lower(a.edge_low, b.edge_low);
  raise(a.edge_high, b.edge_high);
}

// Each two neighbours become one.
template <class Point>
void join_pairs(std::vector<Point>& p) {
  for (std::size_t i = 0; i < p.size(); ++i) {
    if (i % 2 == 0)
      p[i / 2] = p[i];
    else
      join(p[i / 2], p[i]);
  }
  p.resize((p.size() + 1) / 2);
}

}  // namespace

void Samples::begin(std::size_t most, bool sequence) {
  most_ = most;
  sequence_ = sequence;
  series_.step_us = most == 0 ? 0 : kFirstStepUs;
  series_.points.clear();
  series_.sequence.clear();
  counted_ = origin_ = -1;
}

void Samples::halve() {
  join_pairs(series_.points);
  join_pairs(series_.sequence);
  series_.step_us *= 2;
}

std::size_t Samples::at(std::int64_t t) {
  const std::int64_t time = std::max<std::int64_t>(t, 0);
  const auto most = static_cast<std::int64_t>(most_);
  while (time / series_.step_us >= most) halve();
  const auto i = static_cast<std::size_t>(time / series_.step_us);
  if (i >= series_.points.size()) {
    series_.points.resize(i + 1);
    if (sequence_) series_.sequence.resize(i + 1);
  }
  return i;
}

std::uint64_t Samples::number(std::int64_t seq) const {
  return static_cast<std::uint64_t>(std::max<std::int64_t>(seq - origin_, 0));
}

void Samples::place(const DataPoint& d, std::size_t i) {
  SequencePoint& p = series_.sequence[i];
  lower(d.again() ? p.again_low : p.sent_low, number(d.end - d.length));
  raise(d.again() ? p.again_high : p.sent_high, number(d.end));
}

void Samples::place(const AckPoint& a, bool scale_known, std::size_t i) {
  SequencePoint& p = series_.sequence[i];
  raise(p.acked, number(a.highest));
  if (!a.counts_as_window() || !(scale_known || a.field == 0)) return;
  lower(p.edge_low, number(a.edge()));
  raise(p.edge_high, number(a.edge()));
}

void Samples::consume(const Trace& trace, const Delays& delays, bool scale_known) {
  if (most_ == 0) return;
  // What arrived is what was acknowledged; a capture without ACKs has only what was sent.
  const bool acked = trace.acks.size() > trace.old_acks;
  if (counted_ < 0 && !trace.data.empty())
    counted_ = trace.data.front().end - trace.data.front().length;
  if (origin_ < 0 && !trace.data.empty())
    origin_ = trace.data.front().end - trace.data.front().length;
  if (origin_ < 0 && acked) origin_ = trace.acks[trace.old_acks].highest;
  for (const DataPoint& d : trace.data) {
    if (d.probe()) continue;
    const std::size_t place_of = at(d.t);
    SamplePoint& p = series_.points[place_of];
    if (sequence_ && d.length > 0) place(d, place_of);
    if (d.again()) ++p.resent;
    if (d.known_acks > 0) {
      // Nothing is sent beyond the right edge: the sender knew the ACK that permits it, also where
      // d_s is a little too long for that.
      std::size_t k = d.known_acks - 1;
      while (scale_known && trace.acks[k].edge() < d.end && k + 1 < trace.acks.size() &&
             trace.acks[k + 1].t <= d.t)
        ++k;
      raise(p.flight_high, narrow(std::max(d.end, d.sent_before) - trace.acks[k].highest));
    }
    if (!acked && d.end > counted_) {
      p.bytes += static_cast<std::uint64_t>(d.end - counted_);
      counted_ = d.end;
    }
  }
  for (std::size_t i = trace.old_acks; i < trace.acks.size(); ++i) {
    const AckPoint& a = trace.acks[i];
    const std::size_t place_of = at(a.t);
    SamplePoint& p = series_.points[place_of];
    if (sequence_) place(a, scale_known, place_of);
    if (a.counts_as_window() && (scale_known || a.field == 0)) {
      lower(p.window_low, narrow(a.window));
      raise(p.window_high, narrow(a.window));
    }
    if (a.d_r >= 0) {
      const std::uint32_t rtt = narrow(delays.rtt(trace, a));
      lower(p.rtt_low_us, rtt);
      raise(p.rtt_high_us, rtt);
    }
    if (counted_ < 0) counted_ = a.highest;
    if (a.highest > counted_) {
      p.bytes += static_cast<std::uint64_t>(a.highest - counted_);
      counted_ = a.highest;
    }
  }
}

}  // namespace rwin::analysis
