// A flow's chart cut into the columns of a screen.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "analysis/result.h"

namespace rwin::tui {

// One value a column; nullopt: nothing to draw there.
using Column = std::optional<double>;

struct Series {
  std::vector<Column> window;    // bytes, advertised; holds until the next one
  std::vector<Column> flight;    // bytes, the most in the column
  std::vector<Column> rtt_us;    // the smallest in the column
  std::vector<Column> rate_bps;  // average of the column
};

// [from_us, to_us) from the connection's first packet, in `columns` equal parts. Where a column is
// narrower than a sample, neighbours share it. `round_trip_us`: what is sent in one burst a round
// trip is in flight, and makes a rate, until the next one; 0: as it was captured.
Series cut_series(const analysis::SampleSeries& samples, std::int64_t from_us, std::int64_t to_us,
                  std::size_t columns, std::int64_t round_trip_us = 0);

// The end of a scale: the first round figure at or above `most`: 1, 1.5, 2, 2.5, 3, 4, 5, 6, 8 x
// 10^n or, `binary`, 1, 1.25, 1.5, 1.75 x 2^n.
double nice_end(double most, bool binary);

}  // namespace rwin::tui
