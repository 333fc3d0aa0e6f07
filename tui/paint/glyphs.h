// Which characters pictures are made of.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

namespace rwin::tui {

enum class Glyphs : std::uint8_t {
  braille,  // 2 x 4 dots a cell; needs a font that has them
  block,    // eighths of a cell
  ascii,    // 7 bits
};

std::optional<Glyphs> glyphs_from(std::string_view word);  // "braille" "block" "ascii"

// Frames and marks.
struct Marks {
  char32_t line;             // across
  char32_t bar;              // upright
  char32_t corner;           // of axes
  char32_t selected;         // before the selected row
  char32_t falling, rising;  // order of a column
  char32_t full, empty;      // of meters
  char32_t cursor;
};
const Marks& marks(Glyphs glyphs);

}  // namespace rwin::tui
