// The four screens, the help and what stands around them. The size alone decides what is left out.
#pragma once

#include "tui/model/model.h"
#include "tui/paint/canvas.h"
#include "tui/paint/chart.h"
#include "tui/paint/glyphs.h"

namespace rwin::tui {

struct Look {
  Glyphs glyphs = Glyphs::braille;
};

// Draws all of it; `model.places` is where a mouse hits what.
void draw(Model& model, const Look& look, Canvas& canvas);

// --- the parts, for draw() ---

// Sizes at which something is left out (columns x lines).
inline constexpr int kPaneWidth = 140,
                     kPaneHeight = 30;  // from here the fix stands beside the list
inline constexpr int kTableWidth = 60,
                     kTableHeight = 16;  // below: cards instead of tables and charts
inline constexpr int kLeastWidth = 30, kLeastHeight = 8;  // below: one line

// Where a screen may draw: between the furniture.
Box draw_frame(Model& model, const Look& look, Canvas& canvas);
void draw_flows(Model& model, const Look& look, Canvas& canvas, const Box& box);
void draw_card(Model& model, const Look& look, Canvas& canvas, const Box& box);
void draw_flow(Model& model, const Look& look, Canvas& canvas, const Box& box);
void draw_fix(Model& model, const Look& look, Canvas& canvas, const Box& box);
void draw_hosts(Model& model, const Look& look, Canvas& canvas, const Box& box);
void draw_help(Model& model, const Look& look, Canvas& canvas, const Box& box);
void draw_clipboard(Model& model, const Look& look, Canvas& canvas);

// Lines of the fix from line `scroll` on; how many there are in all.
std::size_t draw_fix_lines(const FixView& fix, const Look& look, Canvas& canvas, const Box& box,
                           std::size_t scroll);

// The letters of a limit bar with their roles.
void put_bar(Canvas& canvas, int x, int y, const std::string& letters);
// "W window  L loss": the meaning of every letter in `used`, on up to `lines` lines; the number of
// lines it took.
int put_legend(Canvas& canvas, const Box& box, const std::string& used, int lines);

}  // namespace rwin::tui
