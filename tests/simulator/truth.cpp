#include "tests/simulator/truth.h"

#include <algorithm>

namespace rwin::sim {
namespace {

using analysis::Limit;

constexpr double kFull = 0.93;  // share of the time that the line is busy
constexpr Time kShortestLook = 20 * kMs;

Limit limit_of(Hold h) {
  switch (h) {
    case Hold::window_small:
      return Limit::receiver_window;
    case Hold::window_closed:
      return Limit::receiver_app;
    case Hold::cwnd_climbing:
      return Limit::slow_start;
    case Hold::cwnd_lost:
      return Limit::congestion;
    case Hold::buffer:
      return Limit::sender_buffer;
    case Hold::program:
      return Limit::sender_app;
    case Hold::pacer:
      return Limit::sender_paced;
    case Hold::drain:
      return Limit::closing;
    case Hold::not_started:
    case Hold::over:
      return Limit::unknown;
  }
  return Limit::unknown;
}

// A full line outweighs what only keeps its queue from growing.
bool gives_way(Limit l) {
  return l == Limit::receiver_window || l == Limit::slow_start || l == Limit::congestion ||
         l == Limit::sender_buffer;
}

Time overlap(const std::vector<Way::Busy>& line, Time from, Time to) {
  auto it = std::lower_bound(line.begin(), line.end(), from,
                             [](const Way::Busy& b, Time t) { return b.to <= t; });
  Time sum = 0;
  for (; it != line.end() && it->from < to; ++it)
    sum += std::min(it->to, to) - std::max(it->from, from);
  return sum;
}

}  // namespace

double Truth::share(Limit l) const {
  Time all = 0;
  for (const Time t : sums) all += t;
  return all > 0 ? static_cast<double>(sums[static_cast<std::size_t>(l)]) / static_cast<double>(all)
                 : 0;
}

Limit Truth::main() const {
  Limit best = Limit::unknown;
  for (const Limit l : analysis::kAllLimits) {
    if (l != Limit::closing && l != Limit::unknown &&
        sums[static_cast<std::size_t>(l)] > sums[static_cast<std::size_t>(best)])
      best = l;
  }
  return best;
}

bool Truth::accepts(Limit l, double slack) const {
  if (l == Limit::closing || l == Limit::unknown) return false;
  return share(l) > 0 && share(l) >= share(main()) - slack;
}

double Truth::blocked_share() const {
  return busy > 0 ? static_cast<double>(blocked) / static_cast<double>(busy) : 0;
}

void TruthLog::set(Time now, Hold hold, bool busy) {
  if (!steps_.empty() && steps_.back().hold == hold && steps_.back().busy == busy) return;
  if (!steps_.empty() && steps_.back().at == now) steps_.pop_back();
  steps_.push_back({now, hold, busy});
}

Truth TruthLog::close(const std::vector<Way::Busy>& line, Time base_rtt) const {
  Truth out;
  out.base_rtt = base_rtt;
  const Time look = std::max(kShortestLook, base_rtt);
  Time bin = -1;
  bool full = false;
  for (std::size_t i = 0; i + 1 < steps_.size(); ++i) {
    const Step& s = steps_[i];
    const Time end = steps_[i + 1].at;
    if (s.hold == Hold::not_started || s.hold == Hold::over) continue;
    if (s.busy) out.busy += end - s.at;
    if (s.busy && (s.hold == Hold::window_small || s.hold == Hold::window_closed))
      out.blocked += end - s.at;
    for (Time t = s.at; t < end;) {
      if (t / look != bin) {
        bin = t / look;
        const Time on = overlap(line, bin * look, (bin + 1) * look);
        full = static_cast<double>(on) >= kFull * static_cast<double>(look);
      }
      const Time to = std::min(end, (bin + 1) * look);
      Limit l = limit_of(s.hold);
      if (full && gives_way(l)) l = Limit::bandwidth;
      out.sums[static_cast<std::size_t>(l)] += to - t;
      if (!out.pieces.empty() && out.pieces.back().limit == l && out.pieces.back().to == t)
        out.pieces.back().to = to;
      else
        out.pieces.push_back({t, to, l});
      t = to;
    }
  }
  return out;
}

}  // namespace rwin::sim
