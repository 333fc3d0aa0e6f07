#include "tui/paint/canvas.h"

#include <algorithm>

#include "text/text.h"

namespace rwin::tui {

using analysis::Limit;

Role role_of(Limit limit) {
  switch (limit) {
    case Limit::receiver_window:
      return Role::limited;
    case Limit::receiver_app:
      return Role::zero;
    case Limit::congestion:
      return Role::warn;
    case Limit::bandwidth:
      return Role::good;
    case Limit::unknown:
    case Limit::handshake:
    case Limit::closing:
      return Role::dim;
    default:
      return Role::plain;
  }
}

Canvas::Canvas(int width, int height)
    : width_(std::max(width, 1)),
      height_(std::max(height, 1)),
      cells_(static_cast<std::size_t>(width_) * static_cast<std::size_t>(height_)) {}

const Cell& Canvas::at(int x, int y) const {
  static const Cell kBlank;
  return inside(x, y) ? cells_[static_cast<std::size_t>(y) * static_cast<std::size_t>(width_) +
                               static_cast<std::size_t>(x)]
                      : kBlank;
}

void Canvas::set(int x, int y, char32_t glyph, Role role) {
  if (!inside(x, y)) return;
  Cell& cell = cells_[static_cast<std::size_t>(y) * static_cast<std::size_t>(width_) +
                      static_cast<std::size_t>(x)];
  cell.glyph = glyph;
  cell.role = role;
}

int Canvas::put(int x, int y, std::string_view text, Role role, int most) {
  while (!text.empty() && most-- > 0) {
    char32_t c = 0;
    const std::size_t length = utf8_sequence(text, c);
    set(x++, y, length > 0 && !steers_terminal(c) ? c : U'?', role);
    text.remove_prefix(std::max<std::size_t>(length, 1));
  }
  return x;
}

void Canvas::put_right(int end, int y, std::string_view text, Role role) {
  put(end - static_cast<int>(rwin::width(text)), y, text, role);
}

void Canvas::reverse(int x, int y, int cells) {
  for (int i = std::max(x, 0); i < std::min(x + cells, width_); ++i) {
    if (!inside(i, y)) continue;
    Cell& cell = cells_[static_cast<std::size_t>(y) * static_cast<std::size_t>(width_) +
                        static_cast<std::size_t>(i)];
    cell.reverse = !cell.reverse;
  }
}

void Canvas::fill(int x, int y, int cells, char32_t glyph, Role role) {
  for (int i = 0; i < cells; ++i) set(x + i, y, glyph, role);
}

void Canvas::recolour(int x, int y, int cells, Role role) {
  for (int i = 0; i < cells; ++i) set(x + i, y, at(x + i, y).glyph, role);
}

std::string Canvas::text() const {
  std::string out;
  for (int y = 0; y < height_; ++y) {
    std::string line;
    for (int x = 0; x < width_; ++x) append_utf8(line, at(x, y).glyph);
    line.erase(line.find_last_not_of(' ') + 1);
    out += line + '\n';
  }
  return out;
}

std::string Canvas::roles() const {
  static constexpr std::string_view kLetters = ".TS-WZL+wftrcKE";
  std::string out;
  for (int y = 0; y < height_; ++y) {
    std::string line;
    for (int x = 0; x < width_; ++x) {
      const Cell& cell = at(x, y);
      const char letter = kLetters[static_cast<std::size_t>(cell.role)];
      line += cell.glyph == ' ' && !cell.reverse ? ' ' : cell.reverse ? '#' : letter;
    }
    line.erase(line.find_last_not_of(' ') + 1);
    out += line + '\n';
  }
  return out;
}

}  // namespace rwin::tui
