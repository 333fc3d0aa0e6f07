#include "text/text.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

namespace rwin {
inline namespace text {
namespace {

bool is_continuation(char c) { return (static_cast<unsigned char>(c) & 0xC0) == 0x80; }

bool is_digit(char c) { return c >= '0' && c <= '9'; }

// "Mbit/s" after "24.1", "144" after "262": what a line must not part from the number before it.
bool belongs_to_number(std::string_view word) {
  while (!word.empty() && std::string_view(",.;:)").find(word.back()) != std::string_view::npos)
    word.remove_suffix(1);
  if (word.size() == 3 && is_digit(word[0]) && is_digit(word[1]) && is_digit(word[2])) return true;
  static constexpr std::array<std::string_view, 23> kUnits = {
      "B",      "kB",   "MB",   "GB",   "TB",    "KiB",    "MiB",    "GiB",
      "B/s",    "kB/s", "MB/s", "GB/s", "bit/s", "kbit/s", "Mbit/s", "Gbit/s",
      "Tbit/s", "us",   "ms",   "s",    "%",     "bytes",  "byte"};
  return std::find(kUnits.begin(), kUnits.end(), word) != kUnits.end();
}

// Takes one word off the front of `text`, which starts with it, and what must stay on its line.
std::string_view take_unbroken(std::string_view& text) {
  std::size_t end = std::min(text.find(' '), text.size());
  while (end < text.size() && is_digit(text[end - 1])) {
    const std::size_t next_end = std::min(text.find(' ', end + 1), text.size());
    if (!belongs_to_number(text.substr(end + 1, next_end - end - 1))) break;
    end = next_end;
  }
  const std::string_view word = text.substr(0, end);
  text.remove_prefix(end);
  return word;
}

}  // namespace

bool steers_terminal(char32_t c) {
  return c < 0x20 || (c >= 0x7F && c <= 0x9F) || c == 0x200E || c == 0x200F ||
         (c >= 0x2028 && c <= 0x202E) || (c >= 0x2066 && c <= 0x2069) || c == 0x061C || c == 0xFEFF;
}

std::size_t utf8_sequence(std::string_view text, char32_t& code_point) {
  if (text.empty()) return 0;
  const auto first = static_cast<unsigned char>(text[0]);
  std::size_t length = 1;
  char32_t value = first;
  if (first >= 0x80) {
    if (first < 0xC2 || first > 0xF4) return 0;
    length = first < 0xE0 ? 2 : first < 0xF0 ? 3 : 4;
    if (text.size() < length) return 0;
    static constexpr std::array<unsigned char, 5> kMask = {0, 0x7F, 0x1F, 0x0F, 0x07};
    value = first & kMask[length];
    for (std::size_t i = 1; i < length; ++i) {
      if (!is_continuation(text[i])) return 0;
      value = (value << 6) | (static_cast<unsigned char>(text[i]) & 0x3FU);
    }
    static constexpr std::array<char32_t, 5> kSmallest = {0, 0, 0x80, 0x800, 0x10000};
    if (value < kSmallest[length] || (value >= 0xD800 && value <= 0xDFFF) || value > 0x10FFFF)
      return 0;
  }
  code_point = value;
  return length;
}

void append_utf8(std::string& text, char32_t code_point) {
  const auto put = [&](char32_t byte) { text += static_cast<char>(byte); };
  const auto rest = [&](int shift) { put(0x80 | ((code_point >> shift) & 0x3f)); };
  if (code_point < 0x80) {
    put(code_point);
    return;
  }
  if (code_point < 0x800) {
    put(0xc0 | (code_point >> 6));
  } else if (code_point < 0x10000) {
    put(0xe0 | (code_point >> 12));
    rest(6);
  } else {
    put(0xf0 | (code_point >> 18));
    rest(12);
    rest(6);
  }
  rest(0);
}

std::string escape_terminal(std::string_view text, bool ascii) {
  std::string out;
  out.reserve(text.size());
  while (!text.empty()) {
    char32_t c = 0;
    const std::size_t length = utf8_sequence(text, c);
    if (length == 0) {
      out += fmt::format("\\x{:02x}", static_cast<unsigned char>(text[0]));
      text.remove_prefix(1);
      continue;
    }
    if (length == 1 && steers_terminal(c)) {
      out += fmt::format("\\x{:02x}", static_cast<unsigned>(c));
    } else if (length > 1 && (ascii || steers_terminal(c))) {
      out += fmt::format("\\u{{{:x}}}", static_cast<unsigned>(c));
    } else {
      out.append(text.substr(0, length));
    }
    text.remove_prefix(length);
  }
  return out;
}

std::size_t width(std::string_view text) {
  std::size_t n = 0;
  for (const char c : text) n += is_continuation(c) ? 0 : 1;
  return n;
}

std::string elide_middle(std::string_view text, std::size_t limit) {
  const std::size_t have = width(text);
  if (have <= limit) return std::string(text);
  if (limit <= 2) return std::string(limit, '.');
  const std::size_t tail = (limit - 2) - (limit - 2) / 2;
  const std::size_t head = (limit - 2) / 2;
  std::size_t head_end = 0;
  std::size_t tail_start = 0;
  std::size_t seen = 0;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (is_continuation(text[i])) continue;
    if (seen == head) head_end = i;
    if (seen == have - tail) tail_start = i;
    ++seen;
  }
  return std::string(text.substr(0, head_end)) + ".." + std::string(text.substr(tail_start));
}

std::vector<std::string> wrap(std::string_view text, std::size_t limit) {
  std::vector<std::string> lines;
  std::string line;
  std::string_view pending_blanks;
  while (true) {
    const std::size_t start = text.find_first_not_of(' ');
    if (start == std::string_view::npos) break;
    pending_blanks = line.empty() ? std::string_view{} : text.substr(0, start);
    text.remove_prefix(start);
    const std::string_view word = take_unbroken(text);
    if (!line.empty() && width(line) + pending_blanks.size() + width(word) > limit) {
      lines.push_back(std::move(line));
      line.clear();
      pending_blanks = {};
    }
    line += pending_blanks;
    line += word;
  }
  if (!line.empty() || lines.empty()) lines.push_back(std::move(line));
  for (std::string& done : lines) std::replace(done.begin(), done.end(), kHardBlank, ' ');
  return lines;
}

}  // namespace text
}  // namespace rwin
