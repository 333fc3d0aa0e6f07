#include "analysis/direction/direction_analysis.h"

#include <algorithm>
#include <limits>

#include "analysis/direction/histogram.h"
#include "analysis/direction/scale_inference.h"
#include "analysis/direction/timeline.h"

namespace rwin::analysis {
namespace {

constexpr std::size_t kMostPieces = 400;
constexpr double kLineFull = 0.93;  // from here a window-limited sender fills the line all the same

// Payload of a full segment: the handshake's MSS less options, or the commonest size on the wire, never a
// super-segment of an offloading host.
std::uint32_t segment_size(const Trace& trace, const DirectionInput& in) {
  std::uint32_t bound = 0;
  if (in.mss) bound = *in.mss - (in.timestamps ? 12U : 0U);
  Histogram sizes;
  for (const DataPoint& d : trace.data) {
    if (!d.probe() && d.length > 0 && d.length <= 9216) sizes.add(d.length, d.length);
  }
  const auto common = sizes.quantile(0.5);
  const auto seen = static_cast<std::uint32_t>(common.value_or(0));
  if (bound == 0) return seen;
  return seen > 0 && seen < bound && trace.data.size() >= 20 ? seen : bound;
}

void copy_counters(const HalfFlow& half, DirectionResult& r) {
  const HalfFlowCounters& c = half.counters();
  r.bytes = static_cast<std::uint64_t>(half.next() - half.origin());
  r.wire_bytes = c.wire_bytes;
  r.segments = c.segments;
  r.retransmitted_segments = c.retransmitted_segments;
  r.retransmitted_bytes = c.retransmitted_bytes;
  r.spurious_segments = std::min(c.retransmitted_segments, std::max(c.spurious_acked, c.spurious_dsack));
  r.reordered_segments = c.reordered;
  r.keep_alives = c.keep_alives;
  r.window_probes = c.probes;
  r.unanswered_probes = c.unanswered_probes;
  r.timeouts = c.timeouts;
  r.capture_gap_bytes = c.gap_bytes;
  r.acks = c.acks;
  r.pushed_segments = c.pushed;
  r.largest_payload = half.largest_payload();
  r.data_seen = c.segments > 0;
  r.acks_seen = c.acks > 0;
}

void window_figures(const Trace& trace, bool scale_known, std::int64_t first_data, DirectionResult& r) {
  Histogram windows;
  std::optional<std::int64_t> low, high;
  std::int64_t zero_since = -1;
  std::int64_t furthest = std::numeric_limits<std::int64_t>::min();
  for (const AckPoint& a : trace.acks) {
    if (!a.counts_as_window()) continue;
    r.window_field_max = std::max(r.window_field_max, a.field);
    if (a.field == 0) {
      ++r.zero_window_count;
      if (zero_since < 0) {
        zero_since = a.t;
        ++r.zero_window_episodes;
      }
    } else if (zero_since >= 0) {
      r.zero_window_us += a.t - zero_since;
      zero_since = -1;
    }
    if (!scale_known) continue;
    windows.add(a.window);
    low = low ? std::min(*low, a.window) : a.window;
    high = high ? std::max(*high, a.window) : a.window;
    if (!r.window_first) r.window_first = static_cast<std::uint64_t>(a.window);
    const std::int64_t unit = std::int64_t{1} << r.scale.shift;
    if (a.edge() < furthest - unit) {
      ++r.shrunk_count;
      r.shrunk_bytes = std::max(r.shrunk_bytes, static_cast<std::uint64_t>(furthest - a.edge()));
    }
    furthest = std::max(furthest, a.edge());
  }
  if (zero_since >= 0 && !trace.acks.empty()) r.zero_window_us += trace.acks.back().t - zero_since;
  if (!scale_known || !high) return;
  r.window_max = static_cast<std::uint64_t>(*high);
  r.window_min = static_cast<std::uint64_t>(*low);
  r.window_p50 = static_cast<std::uint64_t>(windows.quantile(0.5).value_or(0));
  for (const AckPoint& a : trace.acks) {
    if (a.counts_as_window() && a.window * 20 >= *high * 19) {
      r.window_max_at_us = std::max<std::int64_t>(0, a.t - first_data);
      break;
    }
  }
}

void flight_and_rtt(const Trace& trace, const Delays& delays, DirectionResult& r) {
  Histogram flights, rtts;
  std::int64_t largest = 0;
  for (const DataPoint& d : trace.data) {
    if (d.probe()) continue;
    const std::size_t known = trace.acks_until(d.t - d.d_s);
    if (known == 0) continue;
    const std::int64_t flight = std::max(d.end, d.sent_before) - trace.acks[known - 1].ack;
    if (flight < 0) continue;
    flights.add(flight);
    largest = std::max(largest, flight);
  }
  if (const auto q = flights.quantile(0.5)) {
    r.flight_p50 = static_cast<std::uint64_t>(*q);
    r.flight_max = static_cast<std::uint64_t>(largest);
  }
  if (!delays.d_s || !delays.d_r) return;
  for (const AckPoint& a : trace.acks) {
    if (a.d_r < 0) continue;
    const std::int64_t d_s = a.data_before > 0 ? trace.data[a.data_before - 1].d_s : *delays.d_s;
    rtts.add(a.d_r + d_s);
    ++r.rtt_samples;
  }
  r.rtt_base_us = *delays.base();
  r.rtt_p50_us = rtts.quantile(0.5);
  r.rtt_p90_us = rtts.quantile(0.9);
  r.rtt_p99_us = rtts.quantile(0.99);
  if (!r.rtt_p50_us) r.rtt_p50_us = r.rtt_p90_us = r.rtt_p99_us = r.rtt_base_us;
  r.rtt_method = delays.method;
}

// Longest time without progress (new data or a new ACK) while data was outstanding or held back.
void longest_stall(const Trace& trace, DirectionResult& r) {
  std::size_t ai = 0;
  std::int64_t progress = -1;
  std::int64_t acked = std::numeric_limits<std::int64_t>::min();
  std::int64_t sent = std::numeric_limits<std::int64_t>::min();
  bool closed = false;
  const auto step = [&](std::int64_t t, bool moved) {
    const bool waiting = sent > acked || closed;
    if (progress >= 0 && waiting && t - progress > r.longest_stall_us) {
      r.longest_stall_us = t - progress;
      r.longest_stall_at_us = progress;
    }
    if (moved || !waiting) progress = t;
  };
  const auto take = [&](std::size_t until) {
    for (; ai < until; ++ai) {
      const AckPoint& a = trace.acks[ai];
      step(a.t, a.ack > acked);
      acked = std::max(acked, a.ack);
      closed = a.counts_as_window() && a.field == 0;
    }
  };
  for (const DataPoint& d : trace.data) {
    take(d.acks_before);
    const bool moved = !d.probe() && d.end > sent;
    step(d.t, moved);
    if (moved) sent = d.end;
  }
  take(trace.acks.size());
}

struct Judged {
  Timeline timeline;
  std::int64_t busy_us = 0, blocked_us = 0;
  Histogram window, rtt;
};

// Limits of the spans; the active ones get the judgement of their epochs.
void lay_spans(const std::vector<Span>& spans, const std::vector<Epoch>& epochs, const Path& path, Judged& j) {
  std::size_t k = 0;
  for (const Span& s : spans) {
    while (k + 1 < epochs.size() && epochs[k].to <= s.from) ++k;
    const auto full = [&](const Epoch& e) { return path.full_bps && e.rate_bps() >= kLineFull * *path.full_bps; };
    for (std::size_t i = k; i < epochs.size() && (i == k || epochs[i].from < s.to); ++i) {
      const Epoch& e = epochs[i];
      const std::int64_t to = i + 1 == epochs.size() ? s.to : std::min(s.to, e.to);
      Limit limit = e.limit;
      switch (s.wait) {
        case Wait::window_open: limit = full(e) ? Limit::bandwidth : Limit::receiver_window; break;
        case Wait::window_closed: limit = full(e) ? Limit::bandwidth : Limit::receiver_app; break;
        case Wait::idle: limit = Limit::sender_app; break;
        case Wait::recovery: limit = e.limit == Limit::bandwidth ? Limit::bandwidth : Limit::congestion; break;
        case Wait::active: break;
      }
      j.timeline.extend(to, limit);
    }
    if (s.wait == Wait::idle) continue;
    j.busy_us += s.length();
    if (s.wait != Wait::window_open && s.wait != Wait::window_closed) continue;
    j.blocked_us += s.length();
    j.window.add(s.window, static_cast<double>(s.length()));
    if (k < epochs.size() && epochs[k].rtt_min >= 0) j.rtt.add(epochs[k].rtt_min, static_cast<double>(s.length()));
  }
}

// What follows the last segment: the drain, or a window that stays shut.
void lay_tail(const Trace& trace, const HalfFlow& half, const DirectionInput& in, bool scale_known,
              std::int64_t largest_window, Judged& j) {
  std::int64_t last_data = 0;
  std::int64_t sent = 0;
  for (const DataPoint& d : trace.data) {
    if (d.probe()) continue;
    last_data = d.t;
    sent = std::max(sent, d.end);
  }
  std::int64_t drained = last_data;
  bool shut = false;
  for (const AckPoint& a : trace.acks) {
    if (a.t < last_data) continue;
    drained = a.t;
    if (a.ack >= sent) {
      shut = a.counts_as_window() && a.field == 0;
      if (!shut) break;
    }
  }
  (void)scale_known;
  (void)largest_window;
  j.busy_us += drained - last_data;
  if (shut) {
    j.timeline.extend(drained, Limit::receiver_app);
    j.blocked_us += drained - last_data;
  } else {
    j.timeline.extend(drained, Limit::closing);
  }
  j.timeline.extend(in.total_us, half.fin_seen() || shut ? Limit::closing : Limit::sender_app);
}

void name_limits(DirectionResult& r) {
  std::int64_t first = 0, second = 0;
  for (Limit l : kAllLimits) {
    if (l == Limit::handshake || l == Limit::closing) continue;
    const std::int64_t us = r.limit_us[static_cast<std::size_t>(l)];
    if (us > first) {
      second = first;
      r.next_limit = r.limit;
      first = us;
      r.limit = l;
    } else if (us > second) {
      second = us;
      r.next_limit = l;
    }
  }
  const double all = static_cast<double>(first + second);
  r.confidence = all > 0 && r.limit != Limit::unknown ? static_cast<double>(first) / all : 0;
}

}  // namespace

DirectionResult analyse_direction(HalfFlow& half, const DirectionInput& in, EventPool& pool, Scratch& scratch) {
  DirectionResult r;
  r.from_client = in.from_client;
  r.scale = in.scale;
  copy_counters(half, r);
  scratch.events.clear();
  half.log().drain(pool, scratch.events);
  Trace& trace = scratch.trace;
  trace.build(scratch.events, in.scale.state == Presence::known ? in.scale.shift : 0);
  const Delays delays = measure_delays(trace, in.hints);
  bool scale_known = in.scale.state != Presence::unknown;
  if (!scale_known) {
    if (const auto shift = infer_shift(trace, delays)) {
      r.scale = {Presence::known, *shift, true};
      scale_known = true;
    }
  }
  r.mss = segment_size(trace, in);
  for (const DataPoint& d : trace.data) {
    if (!d.probe() && d.length > 0 && d.length < r.mss) ++r.short_segments;
  }
  const std::int64_t first_data = trace.data.empty() ? 0 : trace.data.front().t;
  window_figures(trace, scale_known, first_data, r);
  flight_and_rtt(trace, delays, r);
  r.sender_side_rtt_us = delays.d_s;
  r.receiver_side_rtt_us = delays.d_r;
  longest_stall(trace, r);

  Judged j;
  ReleaseState state;
  scratch.spans.clear();
  const std::uint32_t full = in.mss ? *in.mss - (in.timestamps ? 12U : 0U) : r.mss;
  find_waits(trace, delays, scale_known, full, state, scratch.spans);
  std::vector<Epoch> epochs = cut_epochs(trace, delays, scratch.spans, r.mss);
  const Path path = measure_path(trace, epochs, delays, r.mss);
  judge_epochs(epochs, path, delays, r.mss);
  if (path.full_bps) {
    r.capacity_bps = path.full_bps;
    r.capacity_from = CapacityFrom::delivery_rate;
  } else if (path.dispersion_bps && path.dispersion_independent) {
    r.capacity_bps = path.dispersion_bps;
    r.capacity_from = CapacityFrom::dispersion;
  }
  const bool two_sided = r.data_seen && r.acks_seen;
  j.timeline.extend(std::min(in.handshake_end_us, in.total_us), Limit::handshake);
  if (two_sided) {
    j.timeline.extend(first_data, Limit::sender_app);
    lay_spans(scratch.spans, epochs, path, j);
    lay_tail(trace, half, in, scale_known, state.largest_window, j);
  }
  j.timeline.extend(in.total_us, Limit::unknown);
  j.timeline.thin(kMostPieces);
  r.timeline = j.timeline.pieces();
  r.limit_us = j.timeline.sums();
  r.longest_stall_limit = j.timeline.at(r.longest_stall_at_us + r.longest_stall_us / 2);

  std::int64_t last = first_data;
  for (const DataPoint& d : trace.data) last = std::max(last, d.t);
  for (const AckPoint& a : trace.acks) {
    if (a.t > last && a.ack > 0) {
      last = a.t;
      if (a.ack >= half.next()) break;
    }
  }
  r.first_data_us = first_data;
  r.duration_us = trace.data.empty() ? 0 : last - first_data;
  if (r.duration_us > 0) r.goodput_bps = 8e6 * static_cast<double>(r.bytes) / static_cast<double>(r.duration_us);
  if (two_sided) {
    r.busy_us = j.busy_us;
    if (scale_known && delays.d_s) r.blocked_us = std::min(j.blocked_us, j.busy_us);
    if (r.blocked_us && *r.blocked_us > 0) {
      if (const auto w = j.window.quantile(0.5)) r.blocked_window = static_cast<std::uint64_t>(*w);
      r.blocked_rtt_us = j.rtt.quantile(0.5);
    }
  }
  name_limits(r);
  return r;
}

}  // namespace rwin::analysis
