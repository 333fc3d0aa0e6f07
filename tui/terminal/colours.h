// From what a cell means to how the terminal shows it. Inside tui/terminal only.
#pragma once

#include "tui/paint/canvas.h"
#include "tui/terminal/terminal.h"

namespace rwin::tui {

// Once, after the terminal is opened.
void prepare_colours(Theme theme);
// Attributes of ncurses for a cell, and its colour pair.
struct Shown {
  unsigned long attributes = 0;
  short pair = 0;
};
Shown shown(const Cell& cell, Theme theme);

}  // namespace rwin::tui
