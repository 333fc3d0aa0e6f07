#include "tui/model/series.h"

#include <algorithm>
#include <cmath>

namespace rwin::tui {
namespace {

using analysis::SamplePoint;
using analysis::SampleSeries;

void raise(Column& best, const std::optional<std::uint32_t>& v) {
  if (v && (!best || *v > *best)) best = *v;
}

void lower(Column& best, const std::optional<std::uint32_t>& v) {
  if (v && (!best || *v < *best)) best = *v;
}

// Samples [first, last] that touch the column, weighed into its values.
void take(const SampleSeries& samples, double from, double to, std::size_t x, Series& out) {
  const auto count = static_cast<std::int64_t>(samples.points.size());
  const auto step = static_cast<double>(samples.step_us);
  const auto first = static_cast<std::int64_t>(std::floor(from / step));
  const auto last = std::max(first, static_cast<std::int64_t>(std::ceil(to / step)) - 1);
  double bytes = 0;
  bool inside = false;
  for (std::int64_t i = std::max<std::int64_t>(first, 0); i <= last && i < count; ++i) {
    const SamplePoint& p = samples.points[static_cast<std::size_t>(i)];
    const double low = std::max(from, static_cast<double>(i) * step);
    const double high = std::min(to, static_cast<double>(i + 1) * step);
    bytes += static_cast<double>(p.bytes) * std::max(0.0, high - low) / step;
    inside = true;
    raise(out.window[x], p.window_high);
    raise(out.flight[x], p.flight_high);
    lower(out.rtt_us[x], p.rtt_low_us);
  }
  if (inside && to > from) out.rate_bps[x] = 8e6 * bytes / (to - from);
}

// Holds the last value for up to `cells` columns without one.
void hold(std::vector<Column>& values, std::size_t cells) {
  std::size_t since = cells + 1;
  for (std::size_t x = 0; x < values.size(); ++x) {
    since = values[x] ? 0 : since + 1;
    if (!values[x] && x > 0 && since <= cells) values[x] = values[x - 1];
  }
}

// Each column the average of itself and the `cells` - 1 before it.
void smooth(std::vector<Column>& values, std::size_t cells) {
  std::vector<double> sums(values.size() + 1);
  for (std::size_t x = 0; x < values.size(); ++x) sums[x + 1] = sums[x] + values[x].value_or(0);
  for (std::size_t x = 0; x < values.size(); ++x) {
    const std::size_t from = x + 1 > cells ? x + 1 - cells : 0;
    if (values[x]) values[x] = (sums[x + 1] - sums[from]) / static_cast<double>(x + 1 - from);
  }
}

}  // namespace

Series cut_series(const SampleSeries& samples, std::int64_t from_us, std::int64_t to_us,
                  std::size_t columns, std::int64_t round_trip_us) {
  Series out;
  for (auto* s : {&out.window, &out.flight, &out.rtt_us, &out.rate_bps}) s->resize(columns);
  if (samples.step_us <= 0 || samples.points.empty() || to_us <= from_us) return out;
  const double width = static_cast<double>(to_us - from_us) / static_cast<double>(columns);
  const double end =
      static_cast<double>(samples.points.size()) * static_cast<double>(samples.step_us);
  for (std::size_t x = 0; x < columns; ++x) {
    const double from = static_cast<double>(from_us) + width * static_cast<double>(x);
    take(samples, from, from + width, x, out);
    if (x > 0 && !out.window[x] && from < end) out.window[x] = out.window[x - 1];
  }
  const auto cells = static_cast<std::size_t>(
      std::ceil(static_cast<double>(std::max<std::int64_t>(round_trip_us, 0)) / width));
  if (cells > 1) {
    hold(out.flight, cells);
    hold(out.rtt_us, 2 * cells);
    smooth(out.rate_bps, 2 * cells);
  }
  return out;
}

double nice_end(double most, bool binary) {
  if (!(most > 0)) return 1;
  if (binary) {
    const double power = std::exp2(std::floor(std::log2(most)));
    for (const double m : {1.0, 1.25, 1.5, 1.75, 2.0}) {
      if (power * m >= most * (1 - 1e-9)) return power * m;
    }
  }
  const double power = std::pow(10.0, std::floor(std::log10(most)));
  for (const double m : {1.0, 1.5, 2.0, 2.5, 3.0, 4.0, 5.0, 6.0, 8.0, 10.0}) {
    if (power * m >= most * (1 - 1e-9)) return power * m;
  }
  return power * 10;
}

}  // namespace rwin::tui
