#include "analysis/direction/path.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <span>

#include "analysis/direction/epochs.h"

namespace rwin::analysis {
namespace {

// All trains of four ACKs and of seven. Only trains much shorter than the round trip: longer ones
// show the sender's own rate.
void find_trains(const Trace& trace, std::uint32_t mss, std::int64_t longest_us,
                 PathMeter::Trains& out) {
  out.of_four.clear();
  out.of_seven.clear();
  const auto step = static_cast<std::int64_t>(mss > 0 ? mss : 1460);
  struct End {
    std::int64_t t, ack;
  };
  std::array<End, 8> run{};  // the last ones
  std::size_t n = 0;
  std::size_t length = 0;  // of the run before this ACK
  const AckPoint* const begin = trace.acks_begin();
  const AckPoint* const end = trace.acks_end();
  if (begin == end) return;
  std::int64_t highest = begin->ack;
  const auto keep = [&](const AckPoint& a, std::size_t back,
                        std::vector<PathMeter::Train>& trains) {
    const End& first = run[(n - back) % run.size()];
    const std::int64_t us = a.t - first.t;
    if (us <= 0 || us > longest_us) return;
    const std::int64_t bytes = a.ack - first.ack;
    trains.push_back({a.t, bytes, 8e6 * static_cast<double>(bytes) / static_cast<double>(us)});
  };
  for (const AckPoint& a : std::span(begin, end)) {
    if (a.ack <= highest) {
      if ((a.flags & (event::kDuplicate | event::kSack)) != 0) length = 0;
      continue;
    }
    if (a.ack - highest > 8 * step || (a.flags & event::kSack) != 0) length = 0;
    highest = a.ack;
    if (length >= 3) keep(a, 3, out.of_four);
    if (length >= 6) keep(a, 6, out.of_seven);
    run[n++ % run.size()] = {a.t, a.ack};
    ++length;
  }
}

// Trains at one speed, and those of them that passed while the flow as a whole ran far below it:
// then the speed is the path's, not the sender's.
struct TrainCount {
  std::uint32_t all = 0, independent = 0;
};
TrainCount count_trains(const std::vector<PathMeter::Train>& trains,
                        const std::vector<Epoch>& epochs, double typical_bps) {
  TrainCount found;
  std::size_t k = 0;
  for (const PathMeter::Train& train : trains) {
    if (train.bps < 0.85 * typical_bps || train.bps > 1.15 * typical_bps) continue;
    while (k + 1 < epochs.size() && epochs[k].to <= train.t) ++k;
    const Epoch& e = epochs[k];
    // Not where the epoch is cut short or the program paused: there the rate is low for that
    // reason.
    const bool whole = k > 0 && k + 1 < epochs.size() && e.idle_us * 10 <= e.to - e.from;
    if (!whole) continue;
    ++found.all;
    if (e.rate_bps() <= 0.7 * typical_bps) ++found.independent;
  }
  return found;
}

// Did the path let short trains through that were much faster than the typical one? Then the
// typical pace is the sender's own, not the line's.
bool outpaced(const std::vector<PathMeter::Train>& trains, double typical_bps) {
  constexpr double kFaster = 1.6;
  const auto fast = std::count_if(trains.begin(), trains.end(), [&](const PathMeter::Train& train) {
    return train.bps > kFaster * typical_bps;
  });
  return fast >= 5 && static_cast<std::size_t>(fast) * 50 >= trains.size();
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
                        std::uint32_t mss, Trains& trains) {
  if (epochs.empty()) return;
  const std::int64_t base = delays.base().value_or(0);
  find_trains(trace, mss, base / 2, trains);
  for (const Train& train : trains.of_seven)
    long_trains_.add(static_cast<std::int64_t>(train.bps), static_cast<double>(train.bytes));
  for (const Train& train : trains.of_four)
    short_trains_.add(static_cast<std::int64_t>(train.bps), static_cast<double>(train.bytes));
  const double enough = 40.0 * std::max(mss, 536U);
  const bool use_long = long_trains_.total() >= enough;
  const Histogram& speeds = use_long ? long_trains_ : short_trains_;
  std::optional<double> typical;
  if (const auto q = speeds.quantile(0.75); q && speeds.total() >= enough)
    typical = static_cast<double>(*q);
  // Where the flow's own pace spreads the packets, those that stayed together still show the line.
  std::optional<double> speed = typical;
  const auto ceiling = short_trains_.total() >= enough ? short_trains_.ceiling() : std::nullopt;
  if (ceiling && static_cast<double>(*ceiling) > speed.value_or(0))
    speed = static_cast<double>(*ceiling);
  if (speed) {
    const bool longer = use_long && speed == typical;
    const TrainCount n = count_trains(longer ? trains.of_seven : trains.of_four, epochs, *speed);
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
  outpaced_ = outpaced_ || outpaced(trains.of_four, *speed);
  if (!outpaced_) full_bps_ = speed;
}

}  // namespace rwin::analysis
