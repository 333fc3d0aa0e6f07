#include "app/html/svg.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "text/text.h"

namespace rwin::app::html {
namespace {

// Appends "M1 2", "V3": a command and its numbers.
void append(std::string& path, char command, double a) {
  path += command;
  path += number(a);
}

void append(std::string& path, char command, double a, double b) {
  append(path, command, a);
  path += ' ';
  path += number(b);
}

double center(const Plot& plot, double step_us, std::size_t i) {
  return plot.x((static_cast<double>(i) + 0.5) * step_us);
}

std::string open_svg(const Plot& plot) {
  return fmt::format("<svg viewBox=\"0 0 {} {}\" aria-hidden=\"true\" focusable=\"false\">",
                     number(kWidth), number(plot.floor() + kBottom));
}

std::string time_axis(const Plot& plot) {
  std::string out;
  const double step = time_step(plot.length_us());
  for (double t = 0; t <= plot.length_us() * 1.0001; t += step) {
    const std::string x = number(plot.x(t));
    out += fmt::format("<path class=\"g\" d=\"M{} {}V{}\"/>", x, number(kTop),
                       number(plot.floor() + 4));
    const std::string text = t == 0                    ? "0"
                             : plot.length_us() >= 1e6 ? fmt::format("{:g} s", t / 1e6)
                             : plot.length_us() >= 1e3 ? fmt::format("{:g} ms", t / 1e3)
                                                       : fmt::format("{:g} us", t);
    out += fmt::format("<text x=\"{}\" y=\"{}\" text-anchor=\"middle\">{}</text>", x,
                       number(plot.floor() + 17), text);
  }
  return out;
}

// Shown by the page's script where the reader points to.
std::string cursor(const Plot& plot) {
  return fmt::format("<path class=\"cursor\" d=\"M0 {}V{}\"/></svg>", number(kTop),
                     number(plot.floor()));
}

}  // namespace

std::string escaped(std::string_view text) {
  std::string out;
  for (const char c : escape_terminal(text, false)) {
    switch (c) {
      case '&':
        out += "&amp;";
        break;
      case '<':
        out += "&lt;";
        break;
      case '>':
        out += "&gt;";
        break;
      case '"':
        out += "&quot;";
        break;
      case '\'':
        out += "&#39;";
        break;
      default:
        out += c;
    }
  }
  return out;
}

std::string number(double value) {
  std::string text = fmt::format("{:.1f}", value);
  if (text.ends_with(".0")) text.resize(text.size() - 2);
  return text == "-0" ? "0" : text;
}

double most_of(const Values& values) {
  double most = 0;
  for (const auto& v : values) most = std::max(most, v.value_or(0));
  return most;
}

double Plot::x(double us) const { return kLeft + kPlot * std::clamp(us / length_us_, 0.0, 1.0); }

double Plot::y(double value) const {
  return floor() - height_ * std::clamp(value / most_, 0.0, 1.0);
}

std::string step_path(const Plot& plot, double step_us, const Values& high, const Values& low) {
  std::string path;
  double at = -1;  // the line's height; -1: the pen is up
  for (std::size_t i = 0; i <= high.size(); ++i) {
    const double x = center(plot, step_us, i);
    if (i == high.size() || !high[i]) {
      if (at >= 0) append(path, 'H', center(plot, step_us, i - 1));
      at = -1;
      continue;
    }
    const double y = plot.y(*high[i]);
    const bool dips = i < low.size() && low[i] && *low[i] < *high[i];
    if (at < 0) {
      append(path, 'M', x, y);
    } else if (y != at || dips) {
      append(path, 'H', x);
      if (!dips) append(path, 'V', y);
    }
    if (dips) {
      append(path, 'V', plot.y(*low[i]));
      append(path, 'V', y);
    }
    at = y;
  }
  return path;
}

std::string area_path(const Plot& plot, double step_us, const Values& values) {
  std::string path;
  for (std::size_t i = 0; i < values.size();) {
    if (!values[i]) {
      ++i;
      continue;
    }
    append(path, 'M', plot.x(static_cast<double>(i) * step_us), plot.floor());
    for (; i < values.size() && values[i]; ++i) {
      append(path, 'V', plot.y(*values[i]));
      // As long as it stays the same, one stroke.
      while (i + 1 < values.size() && values[i + 1] && *values[i + 1] == *values[i]) ++i;
      append(path, 'H', plot.x(static_cast<double>(i + 1) * step_us));
    }
    append(path, 'V', plot.floor());
    path += 'Z';
  }
  return path;
}

std::string bar_path(const Plot& plot, double step_us, const Values& low, const Values& high,
                     double least) {
  std::string path;
  for (std::size_t i = 0; i < high.size(); ++i) {
    if (!high[i]) continue;
    const double top = plot.y(*high[i]);
    const double bottom = low[i] ? plot.y(*low[i]) : top;
    const double more = std::max(0.0, least - (bottom - top)) / 2;
    append(path, 'M', center(plot, step_us, i), bottom + more);
    append(path, 'V', top - more);
  }
  return path;
}

std::string framed(const Plot& plot, std::string_view inside, std::string (*tick)(double),
                   std::vector<RightLabel> labels) {
  std::string out = open_svg(plot);
  for (const double part : {0.0, 0.5, 1.0}) {
    const double value = plot.most() * part;
    const double y = plot.y(value);
    out += fmt::format("<path class=\"g\" d=\"M{} {}H{}\"/>", number(kLeft), number(y),
                       number(kLeft + kPlot));
    out += fmt::format("<text x=\"{}\" y=\"{}\" text-anchor=\"end\">{}</text>", number(kLeft - 8),
                       number(y + 4), value == 0 ? "0" : escaped(tick(value)));
  }
  out += time_axis(plot);
  out += inside;
  constexpr double kLine = 14;
  std::stable_sort(labels.begin(), labels.end(),
                   [](const RightLabel& a, const RightLabel& b) { return a.value > b.value; });
  // From the top down each below the one before, then from the floor up.
  std::vector<double> at;
  at.reserve(labels.size());
  for (const RightLabel& label : labels)
    at.push_back(std::max(plot.y(label.value) + 4, at.empty() ? kTop + 4 : at.back() + kLine));
  double most = plot.floor() + 4;
  for (std::size_t i = at.size(); i-- > 0; most = at[i] - kLine) at[i] = std::min(at[i], most);
  for (std::size_t i = 0; i < labels.size(); ++i) {
    out += fmt::format("<text class=\"{}\" x=\"{}\" y=\"{}\">{}</text>", labels[i].css_class,
                       number(kLeft + kPlot + 8), number(at[i]), escaped(labels[i].text));
  }
  return out + cursor(plot);
}

std::string framed(const Plot& plot, std::string_view inside) {
  return open_svg(plot) + time_axis(plot) + std::string(inside) + cursor(plot);
}

double time_step(double length_us) {
  double step = 1;
  while (length_us / step > 7) {
    // 1, 2, 5, 10, ...
    const double lead = step / std::pow(10.0, std::floor(std::log10(step) + 1e-9));
    step *= lead > 1.5 && lead < 3 ? 2.5 : 2;
  }
  return step;
}

}  // namespace rwin::app::html
