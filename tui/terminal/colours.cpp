#include "tui/terminal/colours.h"

#include <curses.h>

#include <array>

namespace rwin::tui {
namespace {

// Base colours only, on the terminal's own background; never blue on dark, never yellow on light.
struct Colour {
  Role role;
  short dark, light;
  short light_256;  // where there are 256, -1: as `light`
  unsigned long attributes;
};
const std::array kColours = {
    Colour{Role::title, -1, -1, -1, A_BOLD},
    Colour{Role::strong, -1, -1, -1, A_BOLD},
    Colour{Role::dim, -1, -1, -1, A_DIM},
    Colour{Role::limited, COLOR_RED, COLOR_RED, -1, A_BOLD},
    Colour{Role::zero, COLOR_MAGENTA, COLOR_MAGENTA, -1, A_BOLD},
    Colour{Role::warn, COLOR_YELLOW, COLOR_MAGENTA, 130, A_NORMAL},
    Colour{Role::good, COLOR_GREEN, COLOR_GREEN, 28, A_NORMAL},
    Colour{Role::window, COLOR_CYAN, COLOR_BLUE, -1, A_BOLD},
    Colour{Role::flight, COLOR_GREEN, COLOR_GREEN, 28, A_NORMAL},
    Colour{Role::rtt, COLOR_CYAN, COLOR_BLUE, -1, A_NORMAL},
    Colour{Role::rate, COLOR_GREEN, COLOR_GREEN, 28, A_NORMAL},
    Colour{Role::ceiling, COLOR_RED, COLOR_RED, -1, A_NORMAL},
    Colour{Role::key, COLOR_CYAN, COLOR_BLUE, -1, A_BOLD},
    Colour{Role::error, COLOR_RED, COLOR_RED, -1, A_BOLD | A_REVERSE},
};

}  // namespace

void prepare_colours(Theme theme) {
  if (theme == Theme::none || !has_colors()) return;
  start_color();
  use_default_colors();
  short pair = 1;
  for (const Colour& c : kColours) {
    const bool many = COLORS >= 256 && c.light_256 >= 0;
    init_pair(pair++, theme == Theme::dark ? c.dark : many ? c.light_256 : c.light, -1);
  }
}

Shown shown(const Cell& cell, Theme theme) {
  Shown out;
  for (std::size_t i = 0; i < kColours.size(); ++i) {
    if (kColours[i].role != cell.role) continue;
    out.attributes = kColours[i].attributes;
    if (theme != Theme::none && has_colors()) out.pair = static_cast<short>(i + 1);
    // Without colour nothing is dimmed either: bold and reverse are what is left.
    if (theme == Theme::none && cell.role == Role::dim) out.attributes = A_NORMAL;
  }
  if (cell.reverse) out.attributes ^= A_REVERSE;
  return out;
}

Theme theme_from_colorfgbg(std::string_view text) {
  const std::string_view background = text.substr(text.rfind(';') + 1);
  return background == "7" || background == "15" ? Theme::light : Theme::dark;
}

}  // namespace rwin::tui
