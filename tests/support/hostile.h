// What somebody would call a file, an interface, a host or a process to steer a terminal, a
// spreadsheet, a shell, a web browser, or whoever reads the report; and how to tell that it did.
#pragma once

#include <array>
#include <cstddef>
#include <cstdio>
#include <string>
#include <string_view>

namespace rwin::test {

inline constexpr std::array<std::string_view, 31> kHostileNames = {
    // terminals: clear the screen, set the title, write the clipboard, C1 controls in UTF-8 and
    // bare
    "x\x1b[2J\x1b[Hx", "\x1b]0;title\x07", "\x1b]52;c;cm0=\x07",
    "\xc2\x9b"
    "2J",
    "\x9b"
    "2J",
    "back\x08\x08", "bell\x07", "del\x7f",
    // lines of their own
    "a\nError: all is well", "a\r# all is well",
    "a\xe2\x80\xa8"
    "b",
    "a\tb",
    // order of writing: override, isolate, mark; a byte order mark
    "\xe2\x80\xae"
    "fdp.exe",
    "\xe2\x81\xa6"
    "x",
    "\xe2\x80\x8f"
    "x",
    "\xef\xbb\xbf"
    "x",
    // no UTF-8: broken, overlong, surrogate
    "\xff\xfe", "cut \xc3", "\xc0\xaf", "\xed\xa0\x80",
    // spreadsheets
    "=cmd|' /C calc'!A1", "+1+1", "-1+1", "@SUM(1)",
    // shells
    "$(reboot)", "`reboot`", "'; reboot; '", "a\"; reboot #",
    // documents and templates
    "<script>alert(1)</script>", "\" onmouseover=\"alert(1)", "{host} %s%n \\n &amp;"};

// All of what steers in one name, for walks that would be too long with each.
inline constexpr std::string_view kMostHostile =
    "\x1b[2J\nError: all is well\r\x07\xc2\x9b"
    "2J\xe2\x80\xae\xe2\x80\xa8\xff\x7f$(reboot)'\"<b>";

// The first thing in `text` that steers a terminal or is no UTF-8, in words; empty: nothing. Line
// feeds are the report's own. Written apart from the program's own idea of it.
inline std::string steering(std::string_view text) {
  for (std::size_t i = 0; i < text.size();) {
    const auto byte = [&](std::size_t k) {
      return i + k < text.size() ? static_cast<unsigned char>(text[i + k]) : 0U;
    };
    const unsigned first = byte(0);
    const std::size_t length = first < 0x80 ? 1 : first < 0xe0 ? 2 : first < 0xf0 ? 3 : 4;
    unsigned c = length == 1 ? first : first & (0xffU >> (length + 1));
    bool valid = first < 0x80 || (first >= 0xc2 && first < 0xf5);
    for (std::size_t k = 1; k < length; ++k) {
      valid = valid && (byte(k) & 0xc0) == 0x80;
      c = c << 6 | (byte(k) & 0x3f);
    }
    constexpr std::array<unsigned, 5> kLeast = {0, 0, 0x80, 0x800, 0x10000};
    valid = valid && c >= kLeast[length] && c <= 0x10ffff && (c < 0xd800 || c > 0xdfff);
    const bool control = (c < 0x20 && c != '\n') || (c >= 0x7f && c < 0xa0);
    const bool turns = c == 0x61c || c == 0x200e || c == 0x200f || (c >= 0x2028 && c <= 0x202e) ||
                       (c >= 0x2066 && c <= 0x2069) || c == 0xfeff;
    if (!valid || control || turns) {
      std::array<char, 64> words{};
      std::snprintf(words.data(), words.size(), "%s %x at %zu", valid ? "U+" : "byte",
                    valid ? c : first, i);
      return words.data();
    }
    i += length;
  }
  return {};
}

// Did a name with a line feed in it begin a line?
inline bool forges_a_line(std::string_view text) {
  return text.find("\nError: all is well") != std::string_view::npos;
}

}  // namespace rwin::test
