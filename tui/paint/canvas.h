// The picture before it reaches a terminal: a grid of cells, each a character and what it means.
// Colours come later (tui/terminal), so that a picture can be compared as text.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "analysis/limit.h"

namespace rwin::tui {

// What a cell means; never a colour.
enum class Role : std::uint8_t {
  plain,
  title,    // what is the same on every screen
  strong,   // headings, the chosen
  dim,      // quiet: frames, closed flows, units
  limited,  // held by the receiver window
  zero,     // the receiving program
  warn,     // loss
  good,     // the window is not the limit
  window,   // the advertised window in charts
  flight,   // bytes in flight
  rtt,
  rate,
  ceiling,  // what cannot be exceeded
  key,      // a key that can be pressed
  error,
};
Role role_of(analysis::Limit limit);

struct Cell {
  char32_t glyph = ' ';
  Role role = Role::plain;
  bool reverse = false;
  friend bool operator==(const Cell&, const Cell&) = default;
};

class Canvas {
 public:
  Canvas(int width, int height);

  [[nodiscard]] int width() const { return width_; }
  [[nodiscard]] int height() const { return height_; }
  // Outside the grid: a blank that nobody sees.
  [[nodiscard]] const Cell& at(int x, int y) const;
  void set(int x, int y, char32_t glyph, Role role = Role::plain);
  // Code points of valid UTF-8 from (x, y) on, at most `most` of them and never beyond the right
  // edge; other bytes, and what steers a terminal, become "?". The column behind the last one.
  int put(int x, int y, std::string_view text, Role role = Role::plain, int most = INT32_MAX);
  // The text ends before `end`.
  void put_right(int end, int y, std::string_view text, Role role = Role::plain);
  // Reverses what is there.
  void reverse(int x, int y, int cells);
  void fill(int x, int y, int cells, char32_t glyph, Role role);
  void recolour(int x, int y, int cells, Role role);

  // Lines without blanks at their end, each with a line feed.
  [[nodiscard]] std::string text() const;
  // The same with a letter for each cell's role below; for tests.
  [[nodiscard]] std::string roles() const;

  friend bool operator==(const Canvas&, const Canvas&) = default;

 private:
  [[nodiscard]] bool inside(int x, int y) const {
    return x >= 0 && y >= 0 && x < width_ && y < height_;
  }
  int width_, height_;
  std::vector<Cell> cells_;
};

}  // namespace rwin::tui
