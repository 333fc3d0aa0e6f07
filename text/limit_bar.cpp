#include "text/limit_bar.h"

#include <algorithm>
#include <array>

#include "text/limit_text.h"

namespace rwin {
inline namespace text {

std::string limit_bar(const std::vector<analysis::TimelinePiece>& timeline, std::int64_t start_us,
                      std::int64_t end_us, std::size_t cells) {
  std::string bar(cells, ' ');
  const double length = static_cast<double>(end_us - start_us);
  if (cells == 0 || length <= 0) return bar;
  std::vector<std::array<double, analysis::kLimitCount>> time(cells);
  const double per_us = static_cast<double>(cells) / length;
  for (const analysis::TimelinePiece& piece : timeline) {
    // In cells.
    const double from = std::max(0.0, static_cast<double>(piece.start_us - start_us) * per_us);
    const double to =
        std::min(static_cast<double>(cells),
                 static_cast<double>(piece.start_us + piece.duration_us - start_us) * per_us);
    for (auto cell = static_cast<std::size_t>(from); cell < cells && static_cast<double>(cell) < to;
         ++cell) {
      const double low = std::max(from, static_cast<double>(cell));
      const double high = std::min(to, static_cast<double>(cell + 1));
      time[cell][static_cast<std::size_t>(piece.limit)] += high - low;
    }
  }
  for (std::size_t cell = 0; cell < cells; ++cell) {
    const auto most = std::max_element(time[cell].begin(), time[cell].end());
    if (*most > 0)
      bar[cell] =
          limit_text(analysis::kAllLimits[static_cast<std::size_t>(most - time[cell].begin())])
              .letter;
  }
  return bar;
}

}  // namespace text
}  // namespace rwin
