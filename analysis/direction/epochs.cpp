#include "analysis/direction/epochs.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "analysis/direction/path.h"

namespace rwin::analysis {
namespace {

constexpr double kFull = 0.85;  // share of the capacity from which a path counts as full
constexpr std::int64_t kShortestEpoch = 50'000;
constexpr std::int64_t kMostEpochs = 5'000;  // of one stretch
constexpr std::size_t kReach = 3;            // epochs to look at on either side
constexpr double kLevel = 0.1;               // by which the rate of a pacer may seem to vary

// Figures of an epoch and its neighbours, for traits that need more than one round trip.
struct Around {
  std::uint32_t fresh = 0, shorts = 0, again = 0, bursts = 0, stamps = 0, echoes = 0;
  std::uint32_t pauses = 0, pauses_after_short = 0;
  int epochs = 0;
  double flight_low = std::numeric_limits<double>::max(), flight_high = 0;
  double rate_low = std::numeric_limits<double>::max(), rate_high = 0, rate_mean = 0;
  std::int64_t longest_gap = 0;
  std::int64_t acked_low = std::numeric_limits<std::int64_t>::max(), acked_high = 0;
  double unevenness = 0;       // mean
  std::int64_t length_us = 0;  // of one epoch, mean
};

enum class Side : std::uint8_t { both, before, after };

// How long the sender knew the last ACK when it sent this.
std::int64_t since_ack(const Trace& trace, const DataPoint& d) {
  return d.known_acks > 0 ? d.t - d.d_s - trace.acks[d.known_acks - 1].t : 0;
}

// `k` and the next kReach epochs with data on either side, or on one, empty ones and the one in
// which the data ends skipped up to a bound.
Around look_around(const std::vector<Epoch>& epochs, std::size_t k, Side side = Side::both) {
  constexpr std::size_t kFurthest = 24;
  Around r;
  const auto take = [&](std::size_t j) {
    const Epoch& e = epochs[j];
    if (j != k && e.partial()) return false;
    r.fresh += e.fresh;
    r.shorts += e.shorts;
    r.again += e.again;
    r.bursts += e.bursts;
    r.stamps += e.stamps;
    r.echoes += e.echoes;
    r.pauses += e.pauses;
    r.pauses_after_short += e.pauses_after_short;
    r.longest_gap = std::max(r.longest_gap, e.longest_gap);
    if (e.fresh == 0) return false;
    ++r.epochs;
    // A burst that the border of two epochs cuts shows whole in one of them.
    const auto flight =
        static_cast<double>(std::max(e.flight_max, j > 0 ? epochs[j - 1].flight_max : 0));
    r.flight_low = std::min(r.flight_low, flight);
    r.flight_high = std::max(r.flight_high, flight);
    r.rate_low = std::min(r.rate_low, e.rate_bps());
    r.rate_high = std::max(r.rate_high, e.rate_bps());
    r.rate_mean += e.rate_bps();
    r.acked_low = std::min(r.acked_low, e.acked);
    r.acked_high = std::max(r.acked_high, e.acked);
    r.unevenness += e.unevenness();
    r.length_us += e.to - e.from;
    return true;
  };
  take(k);
  std::size_t found = 0;
  for (std::size_t j = side == Side::after ? 0 : k; j > 0 && found < kReach && k - j < kFurthest;
       --j)
    found += take(j - 1);
  found = 0;
  const std::size_t end = side == Side::before ? k + 1 : epochs.size();
  for (std::size_t j = k + 1; j < end && found < kReach && j - k <= kFurthest; ++j) {
    found += take(j);
  }
  if (r.epochs > 0) {
    r.unevenness /= r.epochs;
    r.rate_mean /= r.epochs;
    r.length_us /= r.epochs;
  }
  return r;
}

void make_grid(const Trace& trace, std::int64_t base, std::vector<Epoch>& epochs) {
  epochs.clear();
  std::int64_t first = std::numeric_limits<std::int64_t>::max();
  std::int64_t last = std::numeric_limits<std::int64_t>::min();
  if (!trace.data.empty()) {
    first = trace.data.front().t;
    last = trace.data.back().t;
  }
  if (trace.acks.size() > trace.old_acks) {
    if (trace.data.empty()) first = trace.acks[trace.old_acks].t;
    last = std::max(last, trace.acks.back().t);
  }
  if (last < first) return;
  std::int64_t length = std::max(kShortestEpoch, base);
  length = std::max(length, (last - first) / kMostEpochs + 1);
  for (std::int64_t t = first; t <= last; t += length) {
    Epoch e;
    e.from = t;
    e.to = std::min(t + length, last + 1);
    if (!epochs.empty() && e.to - e.from < length / 2)
      epochs.back().to = e.to;  // a stump says nothing
    else
      epochs.push_back(e);
  }
}

void add_waits(const std::vector<Span>& spans, std::vector<Epoch>& epochs) {
  std::size_t k = 0;
  for (const Span& s : spans) {
    const bool held = s.held();
    const bool idle = s.wait == Wait::idle || s.wait == Wait::draining;
    while (k < epochs.size() && epochs[k].to <= s.from) ++k;
    for (std::size_t j = k; j < epochs.size() && epochs[j].from < s.to; ++j) {
      Epoch& e = epochs[j];
      const std::int64_t us = std::min(e.to, s.to) - std::max(e.from, s.from);
      if (us <= 0) continue;
      e.covered_us += us;
      if (!held) (idle ? e.idle_us : e.active_us) += us;
    }
  }
}

}  // namespace

double Epoch::unevenness() const {
  double total = 0;
  for (const std::uint32_t s : slices) total += s;
  if (total <= 0 || fresh == 0) return 0;
  double sum = 0;
  double furthest = 0;
  for (std::size_t i = 0; i < kSlices; ++i) {
    sum += slices[i];
    const double even = static_cast<double>(i + 1) / kSlices;
    furthest = std::max(furthest, std::abs(sum / total - even));
  }
  return std::max(0.0, furthest - 1.0 / fresh);
}

void EpochJudge::begin() {
  highest_ack_ = recover_until_ = previous_fresh_us_ = -1;
  previous_short_ = false;
  largest_flight_ = 0;
  since_loss_ = since_growth_ = 0;
  settled_flight_ = 0;
  pace_bps_ = 0;
  lost_ = false;
  last_.clear();
}

void EpochJudge::cut(const Trace& trace, const Delays& delays, const std::vector<Span>& spans,
                     std::uint32_t mss, std::vector<Epoch>& epochs) {
  const std::int64_t base = delays.base().value_or(0);
  make_grid(trace, base, epochs);
  if (epochs.empty()) return;
  const std::int64_t burst_gap = std::max<std::int64_t>(200, base / 100);
  Epoch* epoch = epochs.data();
  Epoch* const last = epoch + epochs.size() - 1;
  const auto at = [&](std::int64_t t) -> Epoch& {
    while (epoch < last && epoch->to <= t) ++epoch;
    return *epoch;
  };
  const auto take_ack = [&](const AckPoint& a) {
    Epoch& e = at(a.t);
    if (highest_ack_ < 0) highest_ack_ = a.ack;
    if (a.ack > highest_ack_) {
      e.acked += a.ack - highest_ack_;
      highest_ack_ = a.ack;
      ++e.acks;
      if ((a.flags & event::kNewStamp) != 0) ++e.stamps;
    }
    if (highest_ack_ < recover_until_) e.in_recovery = true;
    if (a.d_r >= 0) {
      const std::int64_t rtt = delays.rtt(trace, a);
      if (e.rtt_min < 0 || rtt < e.rtt_min) e.rtt_min = rtt;
    }
  };
  trace.walk(take_ack, [&](const DataPoint& d) {
    if (d.probe()) return;
    Epoch& e = at(d.t);
    if (d.again()) {
      ++e.again;
      recover_until_ = std::max(recover_until_, d.sent_before);
    }
    if (recover_until_ > highest_ack_) e.in_recovery = true;
    if (d.fresh()) {
      ++e.fresh;
      const std::int64_t slice = (d.t - e.from) * std::int64_t{Epoch::kSlices} / (e.to - e.from);
      if (slice >= 0 && slice < std::int64_t{Epoch::kSlices})
        e.slices[static_cast<std::size_t>(slice)] += d.length;
      if ((d.flags & event::kNewEcho) != 0) ++e.echoes;
      // Also at the end of a super-segment.
      const bool is_short = (d.flags & event::kPush) != 0 && mss > 0 && d.length % mss != 0;
      if (is_short) ++e.shorts;
      if (previous_fresh_us_ >= 0) {
        e.longest_gap = std::max(e.longest_gap, d.t - previous_fresh_us_);
        if (d.t - previous_fresh_us_ > burst_gap) ++e.bursts;
        const bool pause = d.t - previous_fresh_us_ > std::max<std::int64_t>(1'000, base / 2);
        if (pause && since_ack(trace, d) > std::max<std::int64_t>(1'000, base / 4)) {
          ++e.pauses;
          if (previous_short_) ++e.pauses_after_short;
        }
      }
      previous_short_ = is_short;
      previous_fresh_us_ = d.t;
    }
    const std::int64_t known = trace.known_ack(d);
    if (known >= 0) e.flight_max = std::max(e.flight_max, d.end - known);
  });
  add_waits(spans, epochs);
}

namespace {

// Even and flat: segments leave at a steady pace, however the ACKs come. With few of them in an
// epoch one more or less says nothing.
bool evenly_spaced(const Around& near, std::int64_t base_rtt, std::uint32_t mss) {
  constexpr double kEven = 0.12;
  if (near.epochs < 4 || near.fresh < 2U * static_cast<std::uint32_t>(near.epochs)) return false;
  const std::int64_t mean_gap = near.length_us * near.epochs / near.fresh;
  // ACKs keep a hole that the flow once had, round trip after round trip; a pacer has none.
  const std::int64_t hole = std::max<std::int64_t>({3'000, base_rtt / 16, 8 * mean_gap});
  return near.unevenness <= kEven && near.longest_gap <= hole &&
         near.acked_high <= near.acked_low + near.acked_low / 4 + 3 * std::int64_t{mss};
}

// A pacer: flat and even, on both sides of this moment or, where it began or ends, on one.
bool paced(const std::vector<Epoch>& epochs, std::size_t k, std::int64_t base_rtt,
           std::uint32_t mss) {
  for (const Side side : {Side::both, Side::before, Side::after}) {
    const Around near = look_around(epochs, k, side);
    const bool flat = near.flight_high - near.flight_low <= 0.15 * near.flight_low + mss;
    if (flat && near.again == 0 && evenly_spaced(near, base_rtt, mss)) return true;
  }
  return false;
}

// Neither window, loss, path nor idleness: what else holds the flow?
Limit judge_quiet(const std::vector<Epoch>& epochs, std::size_t k, const Around& near,
                  std::int64_t largest_before, const PathView& path, std::uint32_t mss, bool lost,
                  bool regained, bool stagnant) {
  const Epoch& e = epochs[k];
  const std::int64_t base_rtt = *path.base_rtt;
  if (near.shorts >= 2 && near.shorts * 25 >= near.fresh) return Limit::sender_app;
  if (near.pauses >= 2 && near.pauses_after_short * 10 >= near.pauses * 7) return Limit::sender_app;
  const bool growing =
      static_cast<double>(e.flight_max) > 1.15 * static_cast<double>(largest_before);
  const double range = near.flight_high - near.flight_low;
  const bool roughly_flat = near.epochs >= 4 && range <= 0.15 * near.flight_low + mss && !growing;
  const bool flat =
      roughly_flat && range <= 2.0 * mss + 3e-4 * near.rate_high / 8;  // 0.3 ms of jitter
  if (!growing && !queued(e, base_rtt) && paced(epochs, k, base_rtt, mss)) {
    // Where no queue would show, losses say that there was one: a pacer causes none.
    return lost && !path.queue_visible ? Limit::bandwidth : Limit::sender_paced;
  }
  // A path that passes just this rate would show a queue.
  const bool full = path.full_bps && e.rate_bps() >= kFull * *path.full_bps;
  if (full) return Limit::bandwidth;
  // A sender whose buffer is full hears many ACKs before the program has filled it again, then
  // sends a burst: few of the ACKs' time stamps come back. One that waits for its congestion window
  // answers each ACK.
  if (near.stamps >= 8 && near.echoes * 20 <= near.stamps * 9 && !growing)
    return Limit::sender_buffer;
  const bool full_buffer = near.stamps >= 8 ? flat : roughly_flat;
  if (full_buffer && (!lost || regained)) return Limit::sender_buffer;
  if (stagnant && !lost) return Limit::sender_buffer;
  return lost ? Limit::congestion : Limit::slow_start;
}

}  // namespace

// Slow start raises the flight round trip by round trip, and it stays so; an ACK that comes late
// raises it once.
void EpochJudge::watch_growth(const std::vector<Epoch>& epochs, std::size_t k) {
  constexpr std::size_t kStays = 3;
  if (epochs[k].idle_us > 0) settled_flight_ = 0;  // after a pause it starts anew
  std::int64_t flight = epochs[k].flight_max;
  for (std::size_t j = k; j > 0 && k - j + 1 < kStays && epochs[j - 1].idle_us == 0; --j)
    flight = std::min(flight, epochs[j - 1].flight_max);
  if (flight * 33 > settled_flight_ * 34) {
    settled_flight_ = flight;
    since_growth_ = 0;
  } else {
    ++since_growth_;
  }
}

void EpochJudge::judge(std::vector<Epoch>& epochs, const PathView& path, std::uint32_t mss) {
  const std::size_t old = last_.size();
  epochs.insert(epochs.begin(), last_.begin(), last_.end());
  for (std::size_t k = old; k < epochs.size(); ++k) {
    Epoch& e = epochs[k];
    const std::int64_t largest_before = largest_flight_;
    largest_flight_ = std::max(largest_flight_, e.flight_max);
    const bool loss = e.again > 0 || e.in_recovery;
    since_loss_ = loss ? 0 : since_loss_ + 1;
    lost_ |= loss;
    watch_growth(epochs, k);
    if (loss || e.idle_us > 0) pace_bps_ = 0;
    if (e.active_us == 0) continue;
    const Around near = look_around(epochs, k);
    const bool regained = since_loss_ >= 10 && e.flight_max * 20 >= largest_flight_ * 19;
    const bool full = path.full_bps && e.rate_bps() >= kFull * *path.full_bps;
    if (full && (path.from_queue || !path.queue_visible)) {
      e.limit = Limit::bandwidth;
    } else if (path.base_rtt && deeply_queued(e, *path.base_rtt)) {
      e.limit = Limit::bandwidth;
    } else if (loss) {
      const bool steady = !path.queue_visible && path.base_rtt && evenly_spaced(near, 0, mss);
      e.limit = full || steady ? Limit::bandwidth : Limit::congestion;
    } else if (path.base_rtt) {
      e.limit = judge_quiet(epochs, k, near, largest_before, path, mss, lost_, regained,
                            since_growth_ >= 8);
      if (e.limit == Limit::sender_paced) {
        pace_bps_ = near.rate_mean;
      } else if (e.limit == Limit::slow_start || e.limit == Limit::sender_buffer) {
        // A disturbance of the sender, the path or the receiver hides the evenness, not the rate.
        const bool level = std::abs(near.rate_mean - pace_bps_) <= kLevel * pace_bps_;
        if (level && pace_bps_ > 0) e.limit = Limit::sender_paced;
      }
    } else {
      // Nothing tells the round trip: a steady stream is a full path or a pacer, far more often the
      // first. A window or a buffer would show as gaps.
      const std::int64_t mean_gap = e.fresh > 0 ? (e.to - e.from) / e.fresh : 0;
      const bool steady = near.epochs >= 4 && near.rate_high <= 1.1 * near.rate_low &&
                          near.longest_gap <= 4 * mean_gap;
      e.limit = steady ? Limit::bandwidth : Limit::unknown;
    }
  }
  epochs.erase(epochs.begin(), epochs.begin() + static_cast<std::ptrdiff_t>(old));
  last_.assign(epochs.end() - static_cast<std::ptrdiff_t>(std::min(kReach, epochs.size())),
               epochs.end());
}

}  // namespace rwin::analysis
