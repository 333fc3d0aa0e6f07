// A chart over time in a rectangle of cells: an area, a line over it, a level across.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "tui/paint/canvas.h"
#include "tui/paint/glyphs.h"

namespace rwin::tui {

struct Box {
  int x = 0, y = 0, width = 0, height = 0;
};

struct ChartSpec {
  // One value for each column of dots (dots_across()); nullopt: nothing there.
  const std::vector<std::optional<double>>* area = nullptr;
  const std::vector<std::optional<double>>* line = nullptr;
  std::optional<double> level;  // a dotted line across
  double end = 1;               // value at the upper edge; the lower one is 0
  Role area_role = Role::flight, line_role = Role::window, level_role = Role::ceiling;
};

// Columns of dots that fit in `cells`: two a cell in braille.
int dots_across(Glyphs glyphs, int cells);
void paint_chart(Canvas& canvas, const Box& box, const ChartSpec& spec, Glyphs glyphs);

// A bar that is full to `share` (0 to 1), with a mark at `mark` where there is one.
void paint_meter(Canvas& canvas, int x, int y, int cells, double share, Role role, Glyphs glyphs);

}  // namespace rwin::tui
