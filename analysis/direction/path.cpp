#include "analysis/direction/path.h"

#include <algorithm>
#include <array>
#include <cmath>

#include "analysis/direction/epochs.h"

namespace rwin::analysis {
namespace {

double bps(std::int64_t bytes, std::int64_t us) {
  return 8e6 * static_cast<double>(bytes) / static_cast<double>(us);
}

// Trains of ACKs that each cover little: their spacing is the bottleneck's (packet dispersion).
// Only trains much shorter than the round trip: longer ones show the sender's own rate. f(time of
// the train's end, bytes, microseconds).
template <std::size_t kTrain, class F>
void for_each_train(const Trace& trace, std::uint32_t mss, std::int64_t longest_us, F f) {
  const auto step = static_cast<std::int64_t>(mss > 0 ? mss : 1460);
  std::array<const AckPoint*, kTrain> run{};  // the last ones, `oldest` is overwritten next
  std::size_t oldest = 0;
  std::size_t length = 0;  // of the run so far
  if (trace.acks.size() <= trace.old_acks) return;
  std::int64_t highest = trace.acks[trace.old_acks].ack;
  for (std::size_t i = trace.old_acks; i < trace.acks.size(); ++i) {
    const AckPoint& a = trace.acks[i];
    if (a.ack <= highest) {
      if ((a.flags & (event::kDuplicate | event::kSack)) != 0) length = 0;
      continue;
    }
    if (a.ack - highest > 8 * step || (a.flags & event::kSack) != 0) length = 0;
    highest = a.ack;
    const AckPoint* first = run[oldest];
    run[oldest] = &a;
    oldest = oldest + 1 < kTrain ? oldest + 1 : 0;
    if (++length <= kTrain || a.t <= first->t || a.t - first->t > longest_us) continue;
    f(a.t, a.ack - first->ack, a.t - first->t);
  }
}

// Trains at one speed, and those of them that passed while the flow as a whole ran far below it:
// then the speed is the path's, not the sender's.
struct TrainCount {
  std::uint32_t all = 0, independent = 0;
};
template <std::size_t kTrain>
TrainCount count_trains(const Trace& trace, const std::vector<Epoch>& epochs,
                        std::int64_t longest_us, std::uint32_t mss, double typical_bps) {
  TrainCount found;
  std::size_t k = 0;
  for_each_train<kTrain>(
      trace, mss, longest_us, [&](std::int64_t t, std::int64_t bytes, std::int64_t us) {
        while (k + 1 < epochs.size() && epochs[k].to <= t) ++k;
        const double r = bps(bytes, us);
        const bool typical = r >= 0.85 * typical_bps && r <= 1.15 * typical_bps;
        const Epoch& e = epochs[k];
        // Not where the epoch is cut short or the program paused: there the rate is low for that
        // reason.
        const bool whole = k > 0 && k + 1 < epochs.size() && e.idle_us * 10 <= e.to - e.from;
        if (!typical || !whole) return;
        ++found.all;
        if (e.rate_bps() <= 0.7 * typical_bps) ++found.independent;
      });
  return found;
}

// Did the path let short trains through that were much faster than the typical one? Then the
// typical pace is the sender's own, not the line's.
bool outpaced(const Trace& trace, std::int64_t longest_us, std::uint32_t mss, double typical_bps) {
  constexpr double kFaster = 1.6;
  std::uint32_t all = 0;
  std::uint32_t fast = 0;
  for_each_train<3>(trace, mss, longest_us, [&](std::int64_t, std::int64_t bytes, std::int64_t us) {
    ++all;
    if (bps(bytes, us) > kFaster * typical_bps) ++fast;
  });
  return fast >= 5 && fast * 50 >= all;
}

// Round trip above the base, less what bursts explain; negative when it is not known.
std::int64_t queue_delay(const Epoch& e, std::int64_t base_rtt) {
  return e.rtt_min < 0 || e.acks == 0 ? -1 : e.rtt_min - base_rtt - e.longest_gap;
}

}  // namespace

// A sender that does not wait for ACKs (a pacer, a program) delays the echo of a time stamp by up
// to the time between two of its bursts: that much is no queue.
bool queued(const Epoch& e, std::int64_t base_rtt) {
  return queue_delay(e, base_rtt) >= std::max<std::int64_t>(1'500, base_rtt / 20);
}

bool deeply_queued(const Epoch& e, std::int64_t base_rtt) {
  return queue_delay(e, base_rtt) >= std::max<std::int64_t>(5'000, base_rtt / 4);
}

void PathMeter::begin() {
  long_trains_.clear();
  short_trains_.clear();
  queued_rates_.clear();
  independent_ = trains_at_speed_ = 0;
  counted_bps_ = 0;
  outpaced_ = false;
  full_bps_.reset();
  from_queue_ = false;
}

void PathMeter::consume(const Trace& trace, const std::vector<Epoch>& epochs, const Delays& delays,
                        std::uint32_t mss) {
  if (epochs.empty()) return;
  const std::int64_t base = delays.base().value_or(0);
  const auto count = [](Histogram& trains) {
    return [&trains](std::int64_t, std::int64_t bytes, std::int64_t us) {
      trains.add(static_cast<std::int64_t>(bps(bytes, us)), static_cast<double>(bytes));
    };
  };
  for_each_train<6>(trace, mss, base / 2, count(long_trains_));
  const double enough = 40.0 * std::max(mss, 536U);
  const bool use_long = long_trains_.total() >= enough;
  for_each_train<3>(trace, mss, base / 2, count(short_trains_));
  const Histogram& trains = use_long ? long_trains_ : short_trains_;
  std::optional<double> typical;
  if (const auto q = trains.quantile(0.75); q && trains.total() >= enough)
    typical = static_cast<double>(*q);
  // Where the flow's own pace spreads the packets, those that stayed together still show the line.
  std::optional<double> speed = typical;
  const auto ceiling = short_trains_.total() >= enough ? short_trains_.ceiling() : std::nullopt;
  if (ceiling && static_cast<double>(*ceiling) > speed.value_or(0))
    speed = static_cast<double>(*ceiling);
  if (speed) {
    const bool longer = use_long && speed == typical;
    const TrainCount n = longer ? count_trains<6>(trace, epochs, base / 2, mss, *speed)
                                : count_trains<3>(trace, epochs, base / 2, mss, *speed);
    // What was counted for another speed says nothing of this one.
    if (std::abs(*speed - counted_bps_) > 0.15 * *speed) independent_ = trains_at_speed_ = 0;
    counted_bps_ = *speed;
    trains_at_speed_ += n.all;
    independent_ += n.independent;
  }
  for (std::size_t k = 1; k + 1 < epochs.size(); ++k) {
    const Epoch& e = epochs[k];
    if (e.acked > 0 && queued(e, base) && queued(epochs[k - 1], base)) {
      queued_rates_.add(static_cast<std::int64_t>(e.rate_bps()));
    }
  }
  full_bps_.reset();
  from_queue_ = false;
  if (const auto q = queued_rates_.quantile(0.75); q && queued_rates_.total() >= 3) {
    const auto rate = static_cast<double>(*q);
    // A queue behind somebody else's traffic also delays: the path is full only if trains agree.
    if (!typical || rate >= 0.7 * *typical) {
      full_bps_ = rate;
      from_queue_ = true;
    }
  }
  if (full_bps_ || independent_ < 3 || !speed) return;
  // Speeds that fade out: a few trains, of slow start perhaps, against many at the flow's own pace
  // prove nothing.
  if (!ceiling && independent_ * 10 < trains_at_speed_) return;
  outpaced_ = outpaced_ || outpaced(trace, base / 2, mss, *speed);
  if (!outpaced_) full_bps_ = speed;
}

}  // namespace rwin::analysis
