#include "app/html/pictures.h"

#include <fmt/format.h>

#include <algorithm>

#include "app/html/style.h"
#include "text/limit_text.h"
#include "text/units.h"

namespace rwin::app::html {
namespace {

using analysis::Limit;

// "64 KiB": the windows' own steps.
std::string window_tick(double bytes) {
  if (bytes >= 1024 * 1024) return fmt::format("{:.3g} MiB", bytes / (1024 * 1024));
  if (bytes >= 1024) return fmt::format("{:.4g} KiB", bytes / 1024);
  return fmt::format("{:.4g} B", bytes);
}
std::string time_tick(double us) { return time_text(static_cast<std::int64_t>(us)); }
std::string bits_tick(double bps) { return rate_text(bps, Units::bits); }
std::string bytes_tick(double bps) { return rate_text(bps, Units::bytes); }
std::string volume_tick(double bytes) { return volume_text(static_cast<std::uint64_t>(bytes)); }

std::string path(std::string_view css_class, const std::string& d) {
  return d.empty() ? std::string() : fmt::format("<path class=\"{}\" d=\"{}\"/>", css_class, d);
}

std::string across(const Plot& plot, std::string_view css_class, double value) {
  return path(css_class, fmt::format("M{} {}H{}", number(kLeft), number(plot.y(value)),
                                     number(kLeft + kPlot)));
}

double first(const Values& values) {
  for (const auto& v : values) {
    if (v) return *v;
  }
  return 0;
}

double last(const Values& values) {
  for (std::size_t i = values.size(); i-- > 0;) {
    if (values[i]) return *values[i];
  }
  return 0;
}

bool any(const Values& values) {
  return std::any_of(values.begin(), values.end(), [](const auto& v) { return v.has_value(); });
}

// What is higher than `most` is left out.
Values below(Values values, double most) {
  for (auto& v : values) {
    if (v && *v > most) v.reset();
  }
  return values;
}

// "from 14 kB to 33 kB"
std::string span_words(const Values& low, const Values& high, std::string (*words)(double)) {
  double least = 0;
  double most = 0;
  bool some = false;
  const auto take = [&](const Values& values) {
    for (const auto& v : values) {
      if (!v) continue;
      least = some ? std::min(least, *v) : *v;
      most = some ? std::max(most, *v) : *v;
      some = true;
    }
  };
  take(low);
  take(high);
  if (!some) return "not measured";
  return least == most ? words(least) : "from " + words(least) + " to " + words(most);
}

Picture window_picture(const Columns& c, const Scales& s) {
  const Plot plot(s.length_us, s.bytes, 170);
  std::string inside = path("flight", area_path(plot, c.step_us, c.flight));
  inside +=
      path("window", step_path(plot, c.step_us, below(c.window_high, plot.most()), c.window_low));
  std::vector<RightLabel> labels;
  const double highest = most_of(c.window_high);
  if (highest > plot.most()) {
    labels.push_back({plot.most(), "window up to " + window_tick(highest), "window"});
  } else if (any(c.window_high)) {
    labels.push_back({last(c.window_high), "window", "window"});
  }
  if (any(c.flight)) labels.push_back({last(c.flight) / 2, "in flight", "flight"});
  return {"window", "Window and bytes in flight",
          fmt::format("Advertised window {}; in flight {}.",
                      span_words(c.window_low, c.window_high, window_tick),
                      span_words(c.flight, c.flight, window_tick)),
          "Where the bytes in flight touch the window, the sender may not send more and waits.",
          framed(plot, inside, window_tick, std::move(labels))};
}

Picture rtt_picture(const Finding& f, const Columns& c, const Scales& s) {
  const Plot plot(s.length_us, s.rtt_us, 100);
  std::string inside = path("rtt", bar_path(plot, c.step_us, c.rtt_low, c.rtt_high, 2.5));
  std::vector<RightLabel> labels;
  if (const auto& base = f.direction.rtt_base_us) {
    inside += across(plot, "base", static_cast<double>(*base));
    labels.push_back({static_cast<double>(*base), "least " + time_text(*base), "base"});
  }
  return {"rtt", "Round trip",
          fmt::format("Round-trip time {}.", span_words(c.rtt_low, c.rtt_high, time_tick)),
          "Well above its least value: a queue stands on the way, or an ACK was delayed.",
          framed(plot, inside, time_tick, std::move(labels))};
}

Picture rate_picture(const Finding& f, const Columns& c, const Scales& s, const FindingText& how) {
  const Plot plot(s.length_us, s.bps, 120);
  const auto tick = how.units == Units::bits ? bits_tick : bytes_tick;
  std::string inside = path("rate", area_path(plot, c.step_us, c.rate));
  std::vector<RightLabel> labels;
  std::string words = fmt::format("Rate {}.", span_words(c.rate, c.rate, tick));
  const auto line = [&](const std::optional<double>& bps, std::string_view css_class,
                        std::string_view name) {
    if (!bps) return;
    inside += across(plot, css_class, *bps);
    labels.push_back({*bps, fmt::format("{} {}", name, tick(*bps)), css_class});
    words += fmt::format(" {} {}.", name, tick(*bps));
  };
  if (f.limit() == Limit::receiver_window)
    line(f.assessment.verdict.ceiling_bps, "ceiling", "ceiling");
  line(f.direction.capacity_bps, "line", "line");
  return {
      "rate", "Rate", words,
      "Ceiling: what the window allows in one round trip. Line: what the path was seen to carry.",
      framed(plot, inside, tick, std::move(labels))};
}

Picture sequence_picture(const Columns& c, const Scales& s) {
  const Plot plot(s.length_us, s.sequence, 230);
  const Values edge = below(c.edge_high, plot.most());
  std::string inside = path("edge", step_path(plot, c.step_us, edge, c.edge_low));
  inside += path("acked", step_path(plot, c.step_us, c.acked));
  inside += path("sent", bar_path(plot, c.step_us, c.sent_low, c.sent_high, 1.5));
  inside += path("again", bar_path(plot, c.step_us, c.again_low, c.again_high, 5));
  std::string marks;
  double resent = 0;
  for (std::size_t i = 0; i < c.resent.size(); ++i) {
    if (!c.resent[i]) continue;
    resent += *c.resent[i];
    marks += fmt::format("M{} {}V{}", number(plot.x((static_cast<double>(i) + 0.5) * c.step_us)),
                         number(plot.floor()), number(plot.floor() - 7));
  }
  inside += path("again", marks);
  std::vector<RightLabel> labels;
  if (any(edge)) labels.push_back({last(edge), "right edge", "edge"});
  if (any(c.sent_high)) labels.push_back({last(c.sent_high), "sent", "sent"});
  if (any(c.acked)) labels.push_back({last(c.acked), "acknowledged", "acked"});
  if (any(c.again_high)) labels.push_back({first(c.again_low), "sent again", "again"});
  return {
      "sequence", "Time and sequence",
      fmt::format("Bytes sent {}, acknowledged up to {}; {} segments sent again.",
                  span_words(c.sent_low, c.sent_high, volume_tick),
                  any(c.acked) ? volume_tick(last(c.acked)) : "not known", resent),
      "Sent data climbs between what is acknowledged and the right edge, up to which the receiver "
      "allows it. Touching the edge: held by the window. Marks at the foot: sent again.",
      framed(plot, inside, volume_tick, std::move(labels))};
}

Picture limits_picture(const Finding& f, const Scales& s) {
  constexpr double kLetter = 11;
  const Plot plot(s.length_us, 1, 26);
  std::string inside;
  for (const analysis::TimelinePiece& piece : f.direction.timeline) {
    const double from = plot.x(static_cast<double>(piece.start_us));
    const double to = plot.x(static_cast<double>(piece.start_us + piece.duration_us));
    if (to <= from) continue;
    const LimitText& text = limit_text(piece.limit);
    inside += fmt::format("<rect class=\"l-{}\" x=\"{}\" y=\"{}\" width=\"{}\" height=\"26\"/>",
                          analysis::word(piece.limit), number(from), number(kTop),
                          number(std::max(to - from, 0.3)));
    if (to - from >= kLetter) {
      inside += fmt::format("<text class=\"on\" x=\"{}\" y=\"{}\" text-anchor=\"middle\">{}</text>",
                            number((from + to) / 2), number(kTop + 18), text.letter);
    }
  }
  std::string words;
  for (const Limit limit : limits_of(f, ""))
    words += (words.empty() ? "" : ", ") + limit_words(f, limit).substr(2);
  return {"limits", "What held it back", words.empty() ? words : words + ".", "",
          framed(plot, inside)};
}

}  // namespace

std::vector<Picture> pictures_of(const Finding& f, const Columns& c, const Scales& s,
                                 const FindingText& how) {
  std::vector<Picture> out;
  if (!f.direction.timeline.empty()) out.push_back(limits_picture(f, s));
  if (any(c.window_high) || any(c.flight)) out.push_back(window_picture(c, s));
  if (any(c.rtt_high)) out.push_back(rtt_picture(f, c, s));
  if (any(c.rate)) out.push_back(rate_picture(f, c, s, how));
  if (any(c.sent_high) || any(c.acked)) out.push_back(sequence_picture(c, s));
  return out;
}

std::string svg_file(const Picture& picture, std::string_view name) {
  const std::string_view svg = picture.svg;
  const std::size_t box = svg.find("viewBox=");
  const std::size_t inside = svg.find('>') + 1;
  const std::string_view view = svg.substr(box, svg.find('"', box + 9) + 1 - box);
  return fmt::format(
      "<svg xmlns=\"http://www.w3.org/2000/svg\" {} role=\"img\" aria-labelledby=\"t d\">\n"
      "<title id=\"t\">{}: {}</title>\n<desc id=\"d\">{}</desc>\n<style>{}</style>\n"
      "<rect class=\"paper\" width=\"100%\" height=\"100%\"/>\n{}\n",
      view, escaped(picture.title), escaped(name), escaped(picture.description), picture_style(),
      svg.substr(inside));
}

}  // namespace rwin::app::html
