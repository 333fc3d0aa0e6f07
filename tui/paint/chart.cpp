#include "tui/paint/chart.h"

#include <algorithm>
#include <cmath>

namespace rwin::tui {
namespace {

using Values = std::vector<std::optional<double>>;

// Dots up and down in a cell, and the cells they make.
struct Grid {
  int dots_wide, dots_high;
};

Grid grid_of(Glyphs glyphs) {
  switch (glyphs) {
    case Glyphs::braille:
      return {2, 4};
    case Glyphs::block:
      return {1, 8};
    case Glyphs::ascii:
      return {1, 2};
  }
  return {1, 1};
}

std::optional<double> value_at(const Values* values, int column) {
  if (values == nullptr || column < 0 || static_cast<std::size_t>(column) >= values->size())
    return std::nullopt;
  return (*values)[static_cast<std::size_t>(column)];
}

// How many dots from below a value is high; at least one where there is something.
int dots_of(double value, double end, int most) {
  if (!(value > 0) || !(end > 0)) return 0;
  return std::clamp(static_cast<int>(std::lround(value / end * most)), 1, most);
}

// Braille dots, by column and row from above (Unicode 2800).
constexpr int kBrailleBit[2][4] = {{0x01, 0x02, 0x04, 0x40}, {0x08, 0x10, 0x20, 0x80}};

class Painter {
 public:
  Painter(Canvas& canvas, const Box& box, const ChartSpec& spec, Glyphs glyphs)
      : canvas_(canvas),
        box_(box),
        spec_(spec),
        glyphs_(glyphs),
        grid_(grid_of(glyphs)),
        rows_(box.height * grid_.dots_high) {}

  void paint() {
    for (int cell = 0; cell < box_.width; ++cell) {
      for (int row = 0; row < box_.height; ++row) paint_cell(cell, row);
    }
  }

 private:
  [[nodiscard]] int height(const Values* values, int column) const {
    const auto v = value_at(values, column);
    return v ? dots_of(*v, spec_.end, rows_) : -1;
  }
  // Rows of dots of this cell, counted from below: [low, low + dots_high).
  [[nodiscard]] int low(int row) const { return (box_.height - 1 - row) * grid_.dots_high; }

  // A line is connected: it covers what lies between its neighbours' heights.
  [[nodiscard]] bool line_dot(int column, int dot) const {
    const int here = height(spec_.line, column);
    if (here < 0) return false;
    const int before = height(spec_.line, column - 1);
    int from = std::max(here - 1, 0);
    int to = from;
    if (before >= 0) {
      const int other = std::max(before - 1, 0);
      if (other < from) from = std::min(other + 1, from);
      if (other > to) to = std::max(other - 1, to);
    }
    return dot >= from && dot <= to;
  }
  [[nodiscard]] bool level_dot(int column, int dot) const {
    return spec_.level && *spec_.level <= spec_.end &&
           dot == dots_of(*spec_.level, spec_.end, rows_) - 1 &&
           column % (2 * grid_.dots_wide) < grid_.dots_wide;
  }
  [[nodiscard]] bool area_dot(int column, int dot) const {
    return dot < height(spec_.area, column);
  }

  void paint_cell(int cell, int row) {
    bool line = false;
    bool level = false;
    int area_dots = 0;
    int bits = 0;
    for (int dx = 0; dx < grid_.dots_wide; ++dx) {
      const int column = cell * grid_.dots_wide + dx;
      for (int dy = 0; dy < grid_.dots_high; ++dy) {
        const int dot = low(row) + grid_.dots_high - 1 - dy;  // dy counts from above
        const bool on_line = line_dot(column, dot);
        const bool on_area = area_dot(column, dot);
        const bool on_level = level_dot(column, dot);
        line = line || on_line;
        level = level || on_level;
        if (on_area) ++area_dots;
        if (glyphs_ == Glyphs::braille && (on_line || on_area || on_level))
          bits |= kBrailleBit[dx][dy];
      }
    }
    if (!line && !level && area_dots == 0) return;
    const Role role = line ? spec_.line_role : area_dots > 0 ? spec_.area_role : spec_.level_role;
    canvas_.set(box_.x + cell, box_.y + row, glyph(bits, area_dots, line, level, row, cell), role);
  }

  [[nodiscard]] char32_t glyph(int bits, int area_dots, bool line, bool level, int row,
                               int cell) const {
    if (glyphs_ == Glyphs::braille) return 0x2800 + static_cast<char32_t>(bits);
    if (line) return line_glyph(row, cell);
    if (area_dots == 0) return level ? (glyphs_ == Glyphs::block ? U'┄' : U'.') : U' ';
    if (glyphs_ == Glyphs::block)
      return 0x2580 + static_cast<char32_t>(area_dots);  // eighths from below
    return area_dots == 1 ? U':' : U'#';
  }
  // At the top of the cell or at its foot.
  [[nodiscard]] char32_t line_glyph(int row, int cell) const {
    const int at = std::max(height(spec_.line, cell) - 1, 0) - low(row);
    if (glyphs_ == Glyphs::ascii) return at == 0 ? U'_' : U'-';
    return at <= 1 ? U'▁' : at >= 6 ? U'▔' : U'─';
  }

  Canvas& canvas_;
  const Box& box_;
  const ChartSpec& spec_;
  Glyphs glyphs_;
  Grid grid_;
  int rows_;
};

}  // namespace

const Marks& marks(Glyphs glyphs) {
  static constexpr Marks kAscii = {'-', '|', '+', '>', 'v', '^', '#', '.', '^'};
  static constexpr Marks kWide = {U'─', U'│', U'└', U'▶', U'▼', U'▲', U'█', U'·', U'▲'};
  return glyphs == Glyphs::ascii ? kAscii : kWide;
}

std::optional<Glyphs> glyphs_from(std::string_view word) {
  if (word == "braille") return Glyphs::braille;
  if (word == "block") return Glyphs::block;
  if (word == "ascii") return Glyphs::ascii;
  return std::nullopt;
}

int dots_across(Glyphs glyphs, int cells) { return cells * grid_of(glyphs).dots_wide; }

void paint_chart(Canvas& canvas, const Box& box, const ChartSpec& spec, Glyphs glyphs) {
  Painter(canvas, box, spec, glyphs).paint();
}

void paint_meter(Canvas& canvas, int x, int y, int cells, double share, Role role, Glyphs glyphs) {
  const int full =
      std::clamp(static_cast<int>(std::lround(share * cells)), share > 0 ? 1 : 0, cells);
  canvas.fill(x, y, full, marks(glyphs).full, role);
  canvas.fill(x + full, y, cells - full, marks(glyphs).empty, Role::dim);
}

}  // namespace rwin::tui
