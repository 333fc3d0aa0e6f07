#include "analysis/direction/window_figures.h"

#include <algorithm>
#include <span>

namespace rwin::analysis {

void WindowFigures::begin() {
  windows_.clear();
  low_ = high_ = first_ = std::nullopt;
  high_since_us_ = last_us_ = zero_us_ = 0;
  edge_ = last_ack_ = INT64_MIN;
  zero_since_us_ = -1;
  zero_count_ = zero_episodes_ = shrunk_count_ = shrunk_bytes_ = 0;
  field_max_ = 0;
  low_now_ = low_longest_ = {};
}

void WindowFigures::note_low(const AckPoint& a) {
  constexpr std::uint32_t kLowPart = 4;
  const bool low = a.field <= field_max_ / kLowPart && field_max_ > 0;
  if (low_now_.from >= 0) {
    low_now_.to = a.t;
    low_now_.acked = std::max<std::int64_t>(low_now_.acked, a.highest - low_now_.ack);
    if (low_now_.to - low_now_.from > low_longest_.to - low_longest_.from) low_longest_ = low_now_;
  }
  if (!low) {
    low_now_ = {};
  } else if (low_now_.from < 0) {
    low_now_ = {a.t, a.t, a.highest, 0, a.field};
  } else {
    low_now_.field = std::max(low_now_.field, a.field);
  }
}

void WindowFigures::consume(const Trace& trace, bool scale_known, std::uint8_t shift) {
  for (const AckPoint& a : std::span(trace.acks_begin(), trace.acks_end())) {
    if (!a.counts_as_window()) continue;
    last_us_ = a.t;
    field_max_ = std::max(field_max_, a.field);
    note_low(a);
    if (a.field == 0) {
      ++zero_count_;
      if (zero_since_us_ < 0) {
        zero_since_us_ = a.t;
        ++zero_episodes_;
      }
    } else if (zero_since_us_ >= 0) {
      zero_us_ += a.t - zero_since_us_;
      zero_since_us_ = -1;
    }
    if (!scale_known) continue;
    windows_.add(a.window);
    if (!first_) first_ = a.window;
    low_ = low_ ? std::min(*low_, a.window) : a.window;
    if (!high_ || a.window > *high_) {
      if (!high_ || a.window * 20 > *high_ * 21) high_since_us_ = a.t;
      high_ = a.window;
    }
    // Less than one scale unit is rounding, not shrinking.
    if (a.ack >= last_ack_ && edge_ != INT64_MIN && a.edge() < edge_ - (std::int64_t{1} << shift)) {
      ++shrunk_count_;
      shrunk_bytes_ = std::max(shrunk_bytes_, static_cast<std::uint64_t>(edge_ - a.edge()));
    }
    if (a.ack >= last_ack_) {
      last_ack_ = a.ack;
      edge_ = a.edge();
    }
  }
}

void WindowFigures::fill(DirectionResult& r, std::int64_t first_data_us,
                         std::int64_t data_us) const {
  r.window_field_max = field_max_;
  r.zero_window_count = zero_count_;
  r.zero_window_episodes = zero_episodes_;
  r.zero_window_us = zero_us_ + (zero_since_us_ >= 0 ? last_us_ - zero_since_us_ : 0);
  if (low_longest_.to > low_longest_.from) {
    r.low_window_us = low_longest_.to - low_longest_.from;
    r.low_window_at_us = low_longest_.from;
    r.low_window_acked = static_cast<std::uint64_t>(low_longest_.acked);
    r.low_window_field = low_longest_.field;
  }
  if (!high_) return;
  r.window_max = static_cast<std::uint64_t>(*high_);
  r.window_min = static_cast<std::uint64_t>(*low_);
  r.window_p50 = static_cast<std::uint64_t>(windows_.quantile(0.5).value_or(0));
  r.window_first = static_cast<std::uint64_t>(*first_);
  r.shrunk_count = shrunk_count_;
  r.shrunk_bytes = shrunk_bytes_;
  r.window_max_at_us = std::max<std::int64_t>(0, high_since_us_ - first_data_us);
  r.window_still_growing = r.window_max_at_us * 10 > data_us * 8 && *high_ * 2 > *first_ * 3;
}

}  // namespace rwin::analysis
