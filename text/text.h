// Text for a terminal: nothing from outside may steer it, long names shrink in the middle, long
// lines wrap. Widths count code points, which is right for everything that this program prints
// itself.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace rwin {
inline namespace text {

// C0, DEL, C1, line and paragraph separators, and the marks that reorder text (Unicode TR 36, 2.7).
bool steers_terminal(char32_t c);

// What steers a terminal, broken UTF-8 and, with `ascii`, everything
// above 0x7e become \xNN or \u{NNNN}. A file name can then neither move the cursor nor forge a
// line.
std::string escape_terminal(std::string_view text, bool ascii);

// Length of the valid UTF-8 sequence at the start of `text`, and its code point; 0 when it is not
// valid (overlong, surrogate, cut, above U+10FFFF) or `text` is empty.
std::size_t utf8_sequence(std::string_view text, char32_t& code_point);

// The other way: `code_point` (up to U+10FFFF, no surrogate) goes to the end of `text`.
void append_utf8(std::string& text, char32_t code_point);

// Code points in valid UTF-8.
std::size_t width(std::string_view text);

// At most `limit` wide, the middle replaced by "..": the end of a name tells more than its middle.
std::string elide_middle(std::string_view text, std::size_t limit);

// Breaks at blanks into lines of at most `limit`; a longer word stands alone on its line, whole.
// Never between a number and its unit, nor between the groups of a number ("24.1 Mbit/s", "262 144
// B"), nor at kHardBlank. Printed as a blank; a line never breaks there.
inline constexpr char kHardBlank = '\x01';
std::vector<std::string> wrap(std::string_view text, std::size_t limit);

}  // namespace text
}  // namespace rwin
