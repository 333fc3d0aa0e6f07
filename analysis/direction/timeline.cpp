#include "analysis/direction/timeline.h"

#include <algorithm>

namespace rwin::analysis {

void Timeline::clear() {
  pieces_.clear();
  end_ = 0;
}

void Timeline::extend(std::int64_t to, Limit limit) {
  if (to <= end_) return;
  if (!pieces_.empty() && pieces_.back().limit == limit)
    pieces_.back().duration_us += to - end_;
  else
    pieces_.push_back({end_, to - end_, limit});
  end_ = to;
}

void Timeline::thin(std::size_t most) {
  if (pieces_.size() <= most) return;
  const std::vector<TimelinePiece> old = std::move(pieces_);
  const std::int64_t total = end_;
  pieces_.clear();
  end_ = 0;
  std::array<std::int64_t, kLimitCount> owed{};
  std::size_t i = 0;
  for (std::size_t bin = 1; bin <= most; ++bin) {
    const std::int64_t from = end_;
    const std::int64_t to =
        total * static_cast<std::int64_t>(bin) / static_cast<std::int64_t>(most);
    for (; i < old.size(); ++i) {
      const std::int64_t a = std::max(from, old[i].start_us);
      const std::int64_t b = std::min(to, old[i].start_us + old[i].duration_us);
      if (b > a) owed[static_cast<std::size_t>(old[i].limit)] += b - a;
      if (old[i].start_us + old[i].duration_us > to) break;
    }
    const auto most_owed = std::max_element(owed.begin(), owed.end());
    *most_owed -= to - from;
    extend(to, static_cast<Limit>(most_owed - owed.begin()));
  }
}

std::array<std::int64_t, kLimitCount> Timeline::sums() const {
  std::array<std::int64_t, kLimitCount> out{};
  for (const TimelinePiece& p : pieces_) out[static_cast<std::size_t>(p.limit)] += p.duration_us;
  return out;
}

Limit Timeline::at(std::int64_t t) const {
  const auto it =
      std::upper_bound(pieces_.begin(), pieces_.end(), t,
                       [](std::int64_t v, const TimelinePiece& p) { return v < p.start_us; });
  return it == pieces_.begin() ? Limit::unknown : (it - 1)->limit;
}

}  // namespace rwin::analysis
