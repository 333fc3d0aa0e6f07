#include "analysis/direction/epochs.h"

#include <algorithm>
#include <array>
#include <limits>

#include "analysis/direction/histogram.h"

namespace rwin::analysis {
namespace {

constexpr double kFull = 0.85;            // share of the capacity from which a path counts as full
constexpr std::int64_t kShortestEpoch = 50'000;
constexpr std::size_t kMostEpochs = 20'000;

// A queue shows as a round trip above the base. A sender that does not wait for ACKs (a pacer, a program) delays the
// echo of a time stamp by up to one ACK interval: that much is no queue.
bool queued(const Epoch& e, std::int64_t base) {
  if (e.rtt_min < 0 || e.acks == 0) return false;
  const std::int64_t interval = (e.to - e.from) / e.acks;
  return e.rtt_min - base >= std::max<std::int64_t>(1'500, base / 20) + interval;
}

template <class F>
void for_each_overlap(std::vector<Epoch>& epochs, const std::vector<Span>& spans, F f) {
  std::size_t k = 0;
  for (const Span& s : spans) {
    while (k < epochs.size() && epochs[k].to <= s.from) ++k;
    for (std::size_t j = k; j < epochs.size() && epochs[j].from < s.to; ++j) {
      const std::int64_t us = std::min(epochs[j].to, s.to) - std::max(epochs[j].from, s.from);
      if (us > 0) f(epochs[j], s, us);
    }
  }
}

}  // namespace

std::vector<Epoch> cut_epochs(const Trace& trace, const Delays& delays, const std::vector<Span>& spans,
                              std::uint32_t mss) {
  std::vector<Epoch> epochs;
  if (trace.data.empty()) return epochs;
  const std::int64_t base = delays.base().value_or(0);
  const std::int64_t first = trace.data.front().t;
  const std::int64_t last = std::max(trace.data.back().t, trace.acks.empty() ? first : trace.acks.back().t) + 1;
  std::int64_t length = std::max(kShortestEpoch, base);
  length = std::max(length, (last - first) / static_cast<std::int64_t>(kMostEpochs) + 1);
  for (std::int64_t t = first; t < last; t += length) {
    Epoch e;
    e.from = t;
    e.to = std::min(t + length, last);
    epochs.push_back(e);
  }
  const auto at = [&](std::int64_t t) -> Epoch& {
    const std::int64_t k = std::clamp<std::int64_t>((t - first) / length, 0, static_cast<std::int64_t>(epochs.size()) - 1);
    return epochs[static_cast<std::size_t>(k)];
  };
  std::int64_t previous = -1;
  std::int64_t recover_until = std::numeric_limits<std::int64_t>::min();
  const std::int64_t burst_gap = std::max<std::int64_t>(200, base / 100);
  std::int64_t highest_ack = trace.acks.empty() ? 0 : trace.acks.front().ack;
  std::size_t ai = 0;
  const auto take_acks = [&](std::size_t until) {
    for (; ai < until; ++ai) {
      const AckPoint& a = trace.acks[ai];
      Epoch& e = at(a.t);
      if (a.ack > highest_ack) {
        e.acked += a.ack - highest_ack;
        highest_ack = a.ack;
        ++e.acks;
      }
      if (highest_ack < recover_until) e.in_recovery = true;
      if (a.d_r >= 0) {
        const std::int64_t d_s = a.data_before > 0 ? trace.data[a.data_before - 1].d_s : delays.d_s.value_or(0);
        const std::int64_t rtt = a.d_r + d_s;
        if (e.rtt_min < 0 || rtt < e.rtt_min) e.rtt_min = rtt;
      }
    }
  };
  for (const DataPoint& d : trace.data) {
    take_acks(d.acks_before);
    if (d.probe()) continue;
    Epoch& e = at(d.t);
    if (d.again()) {
      ++e.again;
      recover_until = std::max(recover_until, d.sent_before);
    }
    if (recover_until > highest_ack) e.in_recovery = true;
    if (d.fresh()) {
      ++e.fresh;
      e.sent += d.length;
      if (mss > 0 && d.length < mss && (d.flags & event::kPush) != 0) ++e.shorts;
      if (previous >= 0) {
        e.longest_gap = std::max(e.longest_gap, d.t - previous);
        if (d.t - previous > burst_gap) ++e.bursts;
      }
    }
    const std::size_t known = trace.acks_until(d.t - d.d_s);
    if (known > 0) e.flight_max = std::max(e.flight_max, d.end - trace.acks[known - 1].ack);
    previous = d.t;
  }
  take_acks(trace.acks.size());
  for_each_overlap(epochs, spans, [](Epoch& e, const Span& s, std::int64_t us) {
    if (s.wait == Wait::active || s.wait == Wait::recovery) e.active_us += us;
    else if (s.wait == Wait::idle) e.idle_us += us;
    else e.blocked_us += us;
  });
  return epochs;
}

namespace {

// Trains of ACKs that each cover little: their spacing is the bottleneck's (packet dispersion). Only trains much
// shorter than the round trip: longer ones show the sender's own rate.
// f(time of the train's end, bytes, microseconds).
template <std::size_t kTrain, class F>
void for_each_train(const Trace& trace, std::uint32_t mss, std::int64_t longest_us, F f) {
  const auto step = static_cast<std::int64_t>(mss > 0 ? mss : 1460);
  std::array<const AckPoint*, kTrain + 1> run{};
  std::size_t length = 0;  // of the run so far
  std::int64_t highest = trace.acks.empty() ? 0 : trace.acks.front().ack;
  for (const AckPoint& a : trace.acks) {
    if (a.ack <= highest) {
      if ((a.flags & (event::kDuplicate | event::kSack)) != 0) length = 0;
      continue;
    }
    if (a.ack - highest > 8 * step || (a.flags & event::kSack) != 0) length = 0;
    highest = a.ack;
    const AckPoint* first = length >= kTrain ? run[(length - kTrain) % run.size()] : nullptr;
    run[length % run.size()] = &a;
    ++length;
    if (first == nullptr || a.t <= first->t || a.t - first->t > longest_us) continue;
    f(a.t, a.ack - first->ack, a.t - first->t);
  }
}

double bps(std::int64_t bytes, std::int64_t us) { return 8e6 * static_cast<double>(bytes) / static_cast<double>(us); }

template <std::size_t kTrain>
void measure_trains(const Trace& trace, const std::vector<Epoch>& epochs, std::int64_t longest_us, std::uint32_t mss,
                    Path& path) {
  Histogram trains;
  for_each_train<kTrain>(trace, mss, longest_us, [&](std::int64_t, std::int64_t bytes, std::int64_t us) {
    trains.add(static_cast<std::int64_t>(bps(bytes, us)), static_cast<double>(bytes));
  });
  const auto q = trains.quantile(0.75);
  if (!q || trains.total() < 40.0 * std::max(mss, 536U)) return;
  path.dispersion_bps = static_cast<double>(*q);
  // Trains at that speed while the flow as a whole ran far below it: the speed is the path's, not the sender's.
  std::uint32_t independent = 0;
  std::size_t k = 0;
  for_each_train<kTrain>(trace, mss, longest_us, [&](std::int64_t t, std::int64_t bytes, std::int64_t us) {
    while (k + 1 < epochs.size() && epochs[k].to <= t) ++k;
    const double r = bps(bytes, us);
    const bool typical = r >= 0.85 * *path.dispersion_bps && r <= 1.15 * *path.dispersion_bps;
    if (typical && epochs[k].rate_bps() <= 0.7 * *path.dispersion_bps) ++independent;
  });
  path.dispersion_independent = independent >= 3;
}

}  // namespace

Path measure_path(const Trace& trace, std::vector<Epoch>& epochs, const Delays& delays, std::uint32_t mss) {
  Path path;
  if (epochs.empty()) return path;
  const std::int64_t base = delays.base().value_or(0);
  measure_trains<6>(trace, epochs, base / 2, mss, path);
  if (!path.dispersion_bps) measure_trains<3>(trace, epochs, base / 2, mss, path);
  // Epochs with a standing queue run at the capacity.
  Histogram full;
  for (std::size_t k = 1; k + 1 < epochs.size(); ++k) {
    const Epoch& e = epochs[k];
    if (e.acked > 0 && queued(e, base) && queued(epochs[k - 1], base)) {
      full.add(static_cast<std::int64_t>(e.rate_bps()));
    }
  }
  if (const auto q = full.quantile(0.75); q && full.total() >= 3) {
    const double full_rate = static_cast<double>(*q);
    // A queue behind somebody else's traffic also delays: the path is full only if trains agree.
    if (!path.dispersion_bps || full_rate >= 0.7 * *path.dispersion_bps) path.full_bps = full_rate;
  }
  if (!path.full_bps && path.dispersion_independent) path.full_bps = path.dispersion_bps;
  return path;
}

namespace {

// Figures of an epoch and its neighbours, for traits that need more than one round trip.
struct Around {
  std::uint32_t fresh = 0, shorts = 0, again = 0;
  double flight_low = 0, flight_high = 0, rate_low = 0, rate_high = 0;
  std::int64_t longest_gap = 0;
  std::uint32_t bursts = 0;
  int epochs = 0;
};

Around look_around(const std::vector<Epoch>& epochs, std::size_t k, std::size_t reach) {
  Around r;
  const std::size_t lo = k > reach ? k - reach : 0;
  const std::size_t hi = std::min(epochs.size() - 1, k + reach);
  r.flight_low = r.rate_low = std::numeric_limits<double>::max();
  for (std::size_t j = lo; j <= hi; ++j) {
    const Epoch& e = epochs[j];
    r.fresh += e.fresh;
    r.shorts += e.shorts;
    r.again += e.again;
    r.bursts += e.bursts;
    r.longest_gap = std::max(r.longest_gap, e.longest_gap);
    if (e.fresh == 0) continue;
    ++r.epochs;
    // A burst that the border of two epochs cuts shows whole in one of them.
    const auto flight = static_cast<double>(std::max(e.flight_max, j > 0 ? epochs[j - 1].flight_max : 0));
    r.flight_low = std::min(r.flight_low, flight);
    r.flight_high = std::max(r.flight_high, flight);
    r.rate_low = std::min(r.rate_low, e.rate_bps());
    r.rate_high = std::max(r.rate_high, e.rate_bps());
  }
  return r;
}

}  // namespace

void judge_epochs(std::vector<Epoch>& epochs, const Path& path, const Delays& delays, std::uint32_t mss) {
  const std::int64_t base = delays.base().value_or(0);
  bool lost = false;
  std::int64_t largest_flight = 0;
  std::size_t since_loss = 0;
  for (std::size_t k = 0; k < epochs.size(); ++k) {
    Epoch& e = epochs[k];
    const std::int64_t prior = largest_flight;
    if (e.again > 0 || e.in_recovery) {
      lost = true;
      since_loss = 0;
    } else {
      ++since_loss;
    }
    largest_flight = std::max(largest_flight, e.flight_max);
    if (e.active_us == 0) continue;
    const Around near = look_around(epochs, k, 3);
    const double rate = e.rate_bps();
    if (path.full_bps && rate >= kFull * *path.full_bps) {
      e.limit = Limit::bandwidth;
      continue;
    }
    if (e.again > 0 || e.in_recovery) {
      e.limit = Limit::congestion;
      continue;
    }
    if (near.shorts >= 2 && near.shorts * 25 >= near.fresh) {
      e.limit = Limit::sender_app;
      continue;
    }
    const bool growing = static_cast<double>(e.flight_max) > 1.15 * static_cast<double>(prior);
    const bool flat = near.epochs >= 4 && near.flight_high <= 1.15 * near.flight_low + mss;
    const bool even = near.bursts >= 8U * static_cast<std::uint32_t>(std::max(1, near.epochs)) / 2 &&
                      near.longest_gap * 4 <= std::max<std::int64_t>(base, 1) && near.rate_high <= 1.25 * near.rate_low;
    if (!growing && flat && even && near.again == 0) e.limit = Limit::sender_paced;
    else if (!lost) e.limit = flat && !growing ? Limit::sender_buffer : Limit::slow_start;
    else if (flat && since_loss >= 10 && e.flight_max * 20 >= largest_flight * 19) e.limit = Limit::sender_buffer;
    else e.limit = Limit::congestion;
  }
}

}  // namespace rwin::analysis
