#include <algorithm>
#include <cmath>

#include "app/html/pictures.h"
#include "tui/model/series.h"

namespace rwin::app::html {
namespace {

using analysis::SamplePoint;
using analysis::SequencePoint;

template <class T>
std::optional<double> value(const std::optional<T>& v) {
  return v ? std::optional(static_cast<double>(*v)) : std::nullopt;
}

// Each gap gets the value before it.
void hold(Values& values) {
  for (std::size_t i = 1; i < values.size(); ++i) {
    if (!values[i]) values[i] = values[i - 1];
  }
}

}  // namespace

Columns columns_of(const Finding& f) {
  const analysis::SampleSeries& samples = f.direction.samples;
  Columns c;
  c.step_us = static_cast<double>(samples.step_us);
  const std::size_t count = samples.points.size();
  for (const SamplePoint& p : samples.points) {
    c.window_low.push_back(value(p.window_low));
    c.window_high.push_back(value(p.window_high));
    c.rtt_low.push_back(value(p.rtt_low_us));
    c.rtt_high.push_back(value(p.rtt_high_us));
    c.resent.push_back(p.resent > 0 ? std::optional(static_cast<double>(p.resent)) : std::nullopt);
  }
  hold(c.window_high);
  for (std::size_t i = 0; i < count; ++i) {
    if (!c.window_low[i]) c.window_low[i] = c.window_high[i];
  }
  for (const SequencePoint& p : samples.sequence) {
    c.sent_low.push_back(value(p.sent_low));
    c.sent_high.push_back(value(p.sent_high));
    c.again_low.push_back(value(p.again_low));
    c.again_high.push_back(value(p.again_high));
    c.acked.push_back(value(p.acked));
    c.edge_low.push_back(value(p.edge_low));
    c.edge_high.push_back(value(p.edge_high));
  }
  for (Values* v : {&c.acked, &c.edge_high}) hold(*v);
  for (std::size_t i = 0; i < c.edge_low.size(); ++i) {
    if (!c.edge_low[i]) c.edge_low[i] = c.edge_high[i];
  }
  // What is sent in one burst a round trip is in flight until the next one: as on the dashboard.
  const tui::Series series =
      tui::cut_series(samples, 0, static_cast<std::int64_t>(count) * samples.step_us, count,
                      f.direction.rtt_p50_us.value_or(0));
  c.flight = series.flight;
  c.rate = series.rate_bps;
  return c;
}

Scales scales_of(const Finding& f, const Columns& c) {
  Scales s;
  s.length_us = std::max(1.0, c.step_us * static_cast<double>(c.size()));
  const auto whole = static_cast<double>(f.length_us);
  // A connection that lingers open long after its last data would be squeezed to the left.
  if (c.size() == 0 || whole < 1.5 * s.length_us) s.length_us = std::max(1.0, whole);
  // So would a window press down what is in flight, and a right edge the data.
  const double window = most_of(c.window_high);
  const double flight = most_of(c.flight);
  s.bytes =
      tui::nice_end(flight > 0 ? std::min(std::max(window, flight), 3 * flight) : window, true);
  s.rtt_us = tui::nice_end(most_of(c.rtt_high), false);
  s.bps = tui::nice_end(std::max({most_of(c.rate), f.assessment.verdict.ceiling_bps.value_or(0),
                                  f.direction.capacity_bps.value_or(0)}),
                        false);
  const double data = std::max({most_of(c.sent_high), most_of(c.again_high), most_of(c.acked)});
  s.sequence = tui::nice_end(std::min(std::max(data, most_of(c.edge_high)), 1.25 * data), false);
  return s;
}

Scales joined(const Scales& a, const Scales& b) {
  return {std::max(a.length_us, b.length_us), std::max(a.bytes, b.bytes),
          std::max(a.rtt_us, b.rtt_us), std::max(a.bps, b.bps), std::max(a.sequence, b.sequence)};
}

}  // namespace rwin::app::html
