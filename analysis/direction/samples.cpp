#include "analysis/direction/samples.h"

#include <algorithm>

namespace rwin::analysis {
namespace {

constexpr std::int64_t kFirstStepUs = 1'000;

std::uint32_t narrow(std::int64_t v) {
  return static_cast<std::uint32_t>(std::clamp<std::int64_t>(v, 0, UINT32_MAX));
}

void lower(std::optional<std::uint32_t>& best, std::optional<std::uint32_t> v) {
  if (v && (!best || *v < *best)) best = v;
}

void raise(std::optional<std::uint32_t>& best, std::optional<std::uint32_t> v) {
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

}  // namespace

void Samples::begin(std::size_t most) {
  most_ = most;
  series_.step_us = most == 0 ? 0 : kFirstStepUs;
  series_.points.clear();
  counted_ = -1;
}

void Samples::halve() {
  std::vector<SamplePoint>& p = series_.points;
  for (std::size_t i = 0; i < p.size(); ++i) {
    if (i % 2 == 0)
      p[i / 2] = p[i];
    else
      join(p[i / 2], p[i]);
  }
  p.resize((p.size() + 1) / 2);
  series_.step_us *= 2;
}

SamplePoint& Samples::at(std::int64_t t) {
  const std::int64_t time = std::max<std::int64_t>(t, 0);
  const auto most = static_cast<std::int64_t>(most_);
  while (time / series_.step_us >= most) halve();
  const auto i = static_cast<std::size_t>(time / series_.step_us);
  if (i >= series_.points.size()) series_.points.resize(i + 1);
  return series_.points[i];
}

void Samples::consume(const Trace& trace, const Delays& delays, bool scale_known) {
  if (most_ == 0) return;
  // What arrived is what was acknowledged; a capture without ACKs has only what was sent.
  const bool acked = trace.acks.size() > trace.old_acks;
  if (counted_ < 0 && !trace.data.empty())
    counted_ = trace.data.front().end - trace.data.front().length;
  for (const DataPoint& d : trace.data) {
    if (d.probe()) continue;
    SamplePoint& p = at(d.t);
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
    SamplePoint& p = at(a.t);
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
