// The pieces that pictures are written from: text made safe, numbers, paths, and a frame with axes.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace rwin::app::html {

// For text and attribute values of HTML and SVG: & < > " ' as entities. What could steer a reader's
// eye or is no text (controls, bidirectional overrides, broken UTF-8) becomes visible, as on a
// terminal.
std::string escaped(std::string_view text);

// One decimal at most, no exponent: "12", "0.5".
std::string number(double value);

// One value a column; nullopt: nothing there.
using Values = std::vector<std::optional<double>>;
double most_of(const Values& values);  // 0: none

// All pictures of a flow share this geometry, so that their time axes are one.
inline constexpr double kWidth = 960, kLeft = 86, kPlot = 740, kTop = 10, kBottom = 22;

// Data to units of the picture: `length_us` over the plot's width, 0 to `most` over its height.
class Plot {
 public:
  Plot(double length_us, double most, double height)
      : length_us_(length_us > 0 ? length_us : 1), most_(most > 0 ? most : 1), height_(height) {}
  [[nodiscard]] double x(double us) const;
  [[nodiscard]] double y(double value) const;
  [[nodiscard]] double floor() const { return kTop + height_; }
  [[nodiscard]] double height() const { return height_; }
  [[nodiscard]] double most() const { return most_; }
  [[nodiscard]] double length_us() const { return length_us_; }

 private:
  double length_us_, most_, height_;
};

// Columns of `step_us` from 0 on.
// A line in steps, with gaps; `low` (may be empty) adds what it dipped to within a column.
std::string step_path(const Plot& plot, double step_us, const Values& high, const Values& low = {});
// The area below it; gaps stay empty.
std::string area_path(const Plot& plot, double step_us, const Values& values);
// A stroke from low to high in each column, at least `least` units high.
std::string bar_path(const Plot& plot, double step_us, const Values& low, const Values& high,
                     double least);

// A label at the right edge, at the height of a value.
struct RightLabel {
  double value;
  std::string text;
  std::string_view css_class;
};
// <svg> with grid and axes around `inside`; `tick` writes values of the y axis. Labels that would
// overlap move apart.
std::string framed(const Plot& plot, std::string_view inside, std::string (*tick)(double),
                   std::vector<RightLabel> labels);
// The same without y axis and labels.
std::string framed(const Plot& plot, std::string_view inside);

// Round steps of time: at most seven in `length_us`.
double time_step(double length_us);

}  // namespace rwin::app::html
