// Screen 2: one transfer over time. Window against flight, round trip, rate, and what held it back,
// on one axis.
#include <fmt/format.h>

#include <algorithm>

#include "text/address.h"
#include "text/limit_bar.h"
#include "text/limit_text.h"
#include "text/text.h"
#include "tui/model/cells.h"
#include "tui/model/series.h"
#include "tui/screens/screens.h"

namespace rwin::tui {
namespace {

using analysis::DirectionResult;
using analysis::Presence;

constexpr int kAxis = 6;    // figures at the left
constexpr int kNotes = 14;  // figures at the right, where there is room

// What the charts show, from the connection's first packet.
struct Span {
  std::int64_t from = 0, to = 1;
};

Span span_of(const Model& model, const Row& row) {
  const analysis::ConnectionResult& c = *row.connection->result;
  const std::int64_t end = std::max<std::int64_t>((c.end_ns - c.start_ns) / 1000, 1);
  const std::int64_t length = std::max<std::int64_t>(end >> model.zoom(), 1);
  std::int64_t to = end;
  if (model.cursor_ns()) {
    const std::int64_t at = (*model.cursor_ns() - c.start_ns) / 1000;
    to = std::clamp(at + length / 2, length, end);
  }
  return {to - length, to};
}

std::string scale_text(const DirectionResult& d) {
  switch (d.scale.state) {
    case Presence::known:
      return fmt::format("wscale {} ({})", d.scale.shift, d.scale.inferred ? "inferred" : "seen");
    case Presence::absent:
      return "no wscale";
    case Presence::unknown:
      break;
  }
  return "wscale ?";
}

void draw_head(const Model& model, const Row& row, Canvas& canvas, int x, int y, int width) {
  const DirectionResult& d = *row.direction;
  const Names& names = model.names();
  const auto endpoint = [&](const analysis::Endpoint& e, std::size_t limit) {
    return endpoint_cell(host_text(e.address, names), e.port,
                         e.address.family == 6 && names.count(e.address) == 0, limit);
  };
  const auto limit = static_cast<std::size_t>(std::max(14, (width - 22) / 2));
  int at = canvas.put(x, y,
                      endpoint(*row.sender, std::min<std::size_t>(limit, 48)) + "  ->  " +
                          endpoint(*row.receiver, std::min<std::size_t>(limit, 48)),
                      Role::strong);
  const rules::Verdict& v = row.assessment->verdict;
  const double share = row.connection->result->end_ns > row.connection->result->start_ns
                           ? static_cast<double>(d.limit_us[static_cast<std::size_t>(v.limit)]) *
                                 1e3 /
                                 static_cast<double>(row.connection->result->end_ns -
                                                     row.connection->result->start_ns)
                           : 0;
  const std::string tag =
      fmt::format("{} {} of the time", limit_text(v.limit).tag, percent_text(share));
  const Role role = role_of(v.limit) == Role::plain ? Role::strong : role_of(v.limit);
  if (at + 3 + static_cast<int>(tag.size()) <= x + width) at = canvas.put(at + 3, y, tag, role);
  std::string facts = scale_text(d);
  if (d.mss > 0) facts += fmt::format("  mss {}", d.mss);
  if (row.connection->local && !row.connection->local->process.empty())
    facts = fmt::format("{} [{}]  ", row.connection->local->process, row.connection->local->pid) +
            facts;
  if (at + 3 + static_cast<int>(facts.size()) <= x + width)
    canvas.put_right(x + width, y, facts, Role::dim);

  const Units units = model.units();
  std::vector<std::string> parts;
  if (row.momentary)
    parts.push_back(fmt::format("{} {}", model.cursor_ns() ? "then" : "now",
                                row.rate_bps ? rate_text(*row.rate_bps, units) : "?"));
  parts.push_back("average " +
                  (d.goodput_bps ? rate_text(*d.goodput_bps, units) : std::string("?")));
  if (row.assessment->verdict.ceiling_bps && d.blocked_window && d.blocked_rtt_us) {
    parts.push_back(fmt::format("ceiling {} = {} / {}",
                                rate_text(*row.assessment->verdict.ceiling_bps, units),
                                bytes_cell(d.blocked_window), time_text(*d.blocked_rtt_us)));
  }
  parts.push_back("moved " + volume_text(d.bytes));
  parts.push_back(
      d.retransmitted_segments > 0
          ? fmt::format("resent {} ({})", grouped(d.retransmitted_segments),
                        percent_text(static_cast<double>(d.retransmitted_segments) /
                                     static_cast<double>(std::max<std::uint64_t>(d.segments, 1))))
          : std::string("nothing resent"));
  int px = x;
  for (const std::string& part : parts) {
    if (px > x && px + static_cast<int>(part.size()) > x + width) break;
    px = canvas.put(px, y + 1, part, Role::plain) + 3;
  }
}

struct Chart {
  std::string_view title, unit;
  ChartSpec spec;
  double per_unit = 1;  // values in one unit of the axis
  std::string note;     // the level in words
  std::string legend;
};

// Title line, axis and plot in `box`.
void draw_chart(const Look& look, Canvas& canvas, const Box& box, const Chart& chart, int plot,
                bool notes) {
  const Marks& m = marks(look.glyphs);
  canvas.fill(box.x, box.y, box.width, m.line, Role::dim);
  int x = canvas.put(box.x + 2, box.y, fmt::format(" {} ", chart.title), Role::strong);
  if (!notes && !chart.note.empty())
    x = canvas.put(x + 1, box.y, fmt::format(" {} ", chart.note), Role::ceiling);
  canvas.put_right(box.x + kAxis + 1 + plot, box.y, fmt::format(" {} ", chart.unit), Role::dim);
  const int rows = box.height - 1;
  const auto figure = [&](double value) {
    const double v = value / chart.per_unit;
    return v >= 1e6             ? fmt::format("{:.0e}", v)
           : v >= 100 || v == 0 ? fmt::format("{:.0f}", v)
                                : fmt::format("{:.3g}", v);
  };
  for (int i = 0; i < rows; ++i) canvas.set(box.x + kAxis, box.y + 1 + i, m.bar, Role::dim);
  canvas.put_right(box.x + kAxis, box.y + 1, figure(chart.spec.end), Role::dim);
  if (rows >= 5)
    canvas.put_right(box.x + kAxis, box.y + 1 + rows / 2, figure(chart.spec.end / 2), Role::dim);
  if (rows >= 2) canvas.put_right(box.x + kAxis, box.y + rows, "0", Role::dim);
  const Box inner{box.x + kAxis + 1, box.y + 1, plot, rows};
  paint_chart(canvas, inner, chart.spec, look.glyphs);
  if (notes && !chart.note.empty() && chart.spec.level) {
    const int line =
        std::clamp(static_cast<int>((1 - *chart.spec.level / chart.spec.end) * rows), 0, rows - 1);
    canvas.put(inner.x + plot + 1, inner.y + line, chart.note, Role::ceiling);
  }
}

double most_of(const std::vector<std::optional<double>>& values) {
  double most = 0;
  for (const auto& v : values) most = std::max(most, v.value_or(0));
  return most;
}

// The bar, its axis, its legend: the lowest five lines.
void draw_bar(const Model& model, const Row& row, const Look& look, Canvas& canvas, const Box& box,
              const Span& span, int plot) {
  const Marks& m = marks(look.glyphs);
  const DirectionResult& d = *row.direction;
  const int x = box.x + kAxis + 1;
  int y = box.y;
  canvas.fill(box.x, y, box.width, m.line, Role::dim);
  canvas.put(
      box.x + 2, y++,
      fmt::format(" what held it back, one cell = {} ", time_text((span.to - span.from) / plot)),
      Role::strong);
  const std::string bar = limit_bar(d.timeline, span.from, span.to, static_cast<std::size_t>(plot));
  put_bar(canvas, x, y++, bar);
  canvas.put(x, y, span.from == 0 ? "0 s" : time_text(span.from), Role::dim);
  const bool to_now = model.snapshot().live && !row.closed && !model.cursor_ns();
  canvas.put_right(x + plot, y, to_now ? "now" : time_text(span.to), Role::dim);
  if (plot > 40 && !model.cursor_ns()) {
    const std::string middle = time_text((span.from + span.to) / 2);
    canvas.put(x + plot / 2, y, middle, Role::dim);
  }
  ++y;
  if (model.cursor_ns()) {
    const std::int64_t at = (*model.cursor_ns() - row.connection->result->start_ns) / 1000;
    const int cell = static_cast<int>(static_cast<double>(at - span.from) /
                                      static_cast<double>(span.to - span.from) * plot);
    canvas.set(x + std::clamp(cell, 0, plot - 1), y - 1, m.cursor, Role::key);
    canvas.reverse(x + std::clamp(cell, 0, plot - 1), y - 2, 1);
    const std::int64_t over =
        std::max({d.samples.step_us, (span.to - span.from) / 50, 2 * d.rtt_p50_us.value_or(0)});
    const Moment moment = moment_of(
        d, at, over, (row.connection->result->end_ns - row.connection->result->start_ns) / 1000);
    std::string text =
        fmt::format("at {}: window {}  flight {}  RTT {}  rate {} {}  {}", time_text(at),
                    bytes_cell(moment.window), bytes_cell(moment.flight), time_cell(moment.rtt_us),
                    rate_cell(moment.rate_bps, model.units()), rate_unit(model.units()),
                    moment.limit ? limit_text(*moment.limit).name : "");
    canvas.put(box.x, y++, text, Role::key, box.width);
  }
  // The classes with their time: the legend of the bar.
  std::vector<analysis::Limit> shown;
  for (const analysis::Limit limit : analysis::kAllLimits) {
    const bool used = bar.find(limit_text(limit).letter) != std::string::npos;
    if (used || d.limit_us[static_cast<std::size_t>(limit)] > (span.to - span.from) / 100)
      shown.push_back(limit);
  }
  const auto time = [&](analysis::Limit l) { return d.limit_us[static_cast<std::size_t>(l)]; };
  std::stable_sort(shown.begin(), shown.end(), [&](auto a, auto b) { return time(a) > time(b); });
  const double length = std::max(
      1.0,
      static_cast<double>(row.connection->result->end_ns - row.connection->result->start_ns) / 1e3);
  int lx = box.x;
  for (const analysis::Limit limit : shown) {
    const std::string text =
        fmt::format("{} {} ({})", limit_text(limit).name, time_text(time(limit)),
                    percent_text(static_cast<double>(time(limit)) / length));
    const int wide = static_cast<int>(text.size()) + 2;
    if (lx > box.x && lx + wide > box.x + box.width) {
      lx = box.x;
      ++y;
    }
    if (y >= box.y + box.height) break;
    canvas.set(lx, y, static_cast<char32_t>(limit_text(limit).letter), role_of(limit));
    lx = canvas.put(lx + 2, y, text, Role::plain, box.width - 2) + 3;
  }
}

}  // namespace

void draw_flow(Model& model, const Look& look, Canvas& canvas, const Box& box) {
  const Row* row = model.flow();
  if (row == nullptr) {
    canvas.put(box.x + 2, box.y + 1, "No flow is chosen: 1 lists them.", Role::dim);
    return;
  }
  if (canvas.width() < kTableWidth || canvas.height() < kTableHeight) {
    draw_card(model, look, canvas, box);
    return;
  }
  draw_head(model, *row, canvas, box.x, box.y, box.width);
  const Span span = span_of(model, *row);
  const bool notes = box.width >= 100;
  const int plot = box.width - kAxis - 1 - (notes ? kNotes : 1);
  const DirectionResult& d = *row->direction;
  const Series s = cut_series(d.samples, span.from, span.to,
                              static_cast<std::size_t>(dots_across(look.glyphs, plot)),
                              d.rtt_p50_us.value_or(0));

  const double bytes_end = nice_end(std::max({most_of(s.window), most_of(s.flight), 1024.0}), true);
  const bool mega = bytes_end >= 4 * 1024 * 1024;
  Chart window{
      "window and bytes in flight", mega ? "MiB" : "KiB", {}, mega ? 1048576.0 : 1024.0, "", ""};
  window.spec = {&s.flight, &s.window, {}, bytes_end, Role::flight, Role::window, Role::ceiling};
  Chart rtt{
      "round trip", "ms", {}, 1000, d.rtt_base_us ? "least " + time_text(*d.rtt_base_us) : "", ""};
  rtt.spec = {nullptr,   &s.rtt_us, {},           nice_end(most_of(s.rtt_us), false),
              Role::rtt, Role::rtt, Role::ceiling};
  if (d.rtt_base_us) rtt.spec.level = static_cast<double>(*d.rtt_base_us);
  const auto ceiling = row->assessment->verdict.ceiling_bps;
  Chart rate{"rate",
             rate_unit(model.units()),
             {},
             model.units() == Units::bits ? 1e6 : 8e6,
             ceiling ? fmt::format("ceiling {}", rate_cell(ceiling, model.units())) : "",
             ""};
  rate.spec = {&s.rate_bps,  nullptr,
               ceiling,      nice_end(std::max(most_of(s.rate_bps), ceiling.value_or(0)), false),
               Role::rate,   Role::rate,
               Role::ceiling};

  const int foot = model.cursor_ns() ? 6 : 5;
  int left = box.height - 2 - foot;
  int y = box.y + 2;
  const auto place = [&](const Chart& chart, int height) {
    draw_chart(look, canvas, {box.x, y, box.width, height}, chart, plot, notes);
    y += height;
  };
  if (d.samples.points.empty() && left > 1) {
    canvas.put(box.x + 2, y + 1, "No figures over time for this flow.", Role::dim);
    y += left;
  } else if (left >= 15) {
    const int third = left / 4;
    place(window, left - 2 * third);
    place(rtt, third);
    place(rate, third);
  } else if (left >= 11) {
    place(window, left - left / 3);
    place(rtt, left / 3);
  } else if (left >= 2) {
    place(window, left);
  }
  if (notes && !d.samples.points.empty() && left >= 4) {
    canvas.put(box.x + kAxis + 1 + plot + 1, box.y + 3, "window", Role::window);
    canvas.put(box.x + kAxis + 1 + plot + 1, box.y + 4, "in flight", Role::flight);
  }
  draw_bar(model, *row, look, canvas, {box.x, y, box.width, box.y + box.height - y}, span, plot);
}

}  // namespace rwin::tui
