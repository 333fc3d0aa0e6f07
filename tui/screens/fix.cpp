// Screen 3: what limits the flow, how that is known, and what to change where.
#include <algorithm>

#include "text/text.h"
#include "tui/screens/screens.h"

namespace rwin::tui {
namespace {

constexpr int kLabelWide = 14, kLabelNarrow = 10;
constexpr int kWide = 48;  // columns from which the wide labels fit

// A text whole: where it is too long it goes on below.
std::vector<std::string> cut(const std::string& text, std::size_t limit) {
  std::vector<std::string> out;
  std::string line;
  std::size_t wide = 0;
  std::string_view rest = text;
  while (!rest.empty()) {
    char32_t c = 0;
    const std::size_t length = std::max<std::size_t>(1, utf8_sequence(rest, c));
    if (wide == limit) {
      out.push_back(std::move(line));
      line.clear();
      wide = 0;
    }
    line += rest.substr(0, length);
    rest.remove_prefix(length);
    ++wide;
  }
  out.push_back(std::move(line));
  return out;
}

// A comment wraps, each line a comment again; a command goes on further to the right, so that what
// follows does not look like another one.
std::vector<std::string> command_lines(const std::string& text, std::size_t limit) {
  constexpr std::size_t kFurther = 2;
  if (text.rfind("# ", 0) != 0) {
    std::vector<std::string> out;
    std::string rest = text;
    while (width(rest) > limit && out.size() < 64) {
      const std::size_t blank = rest.rfind(' ', limit);
      // A word longer than half a line is cut.
      if (blank == std::string::npos || blank < limit / 2 + kFurther ||
          width(rest) != rest.size()) {
        std::vector<std::string> parts = cut(rest, limit);
        out.push_back(std::move(parts[0]));
        rest.erase(0, out.back().size());
      } else {
        out.push_back(rest.substr(0, blank));
        rest.erase(0, blank + 1);
      }
      rest.erase(0, std::min(rest.find_first_not_of(' '), rest.size()));
      rest.insert(0, kFurther, ' ');
    }
    out.push_back(std::move(rest));
    return out;
  }
  std::vector<std::string> lines = wrap(text.substr(2), limit - 2);
  for (std::string& line : lines) line.insert(0, "# ");
  return lines;
}

class Sheet {
 public:
  Sheet(Canvas& canvas, const Box& box, std::size_t scroll)
      : canvas_(canvas), box_(box), scroll_(scroll) {}

  // The line of the screen, or -1 when it is scrolled away.
  int next() {
    const auto line = static_cast<long>(lines_++) - static_cast<long>(scroll_);
    return line >= 0 && line < box_.height ? box_.y + static_cast<int>(line) : -1;
  }
  void put(int x, int y, std::string_view text, Role role) {
    if (y >= 0) canvas_.put(box_.x + x, y, text, role, box_.width - x);
  }
  [[nodiscard]] std::size_t lines() const { return lines_; }

 private:
  Canvas& canvas_;
  const Box& box_;
  std::size_t scroll_;
  std::size_t lines_ = 0;
};

Role text_role(const FixLine& line) {
  switch (line.kind) {
    case LineKind::command:
      return line.text.rfind("# ", 0) == 0 ? Role::dim : Role::strong;
    case LineKind::target:
      return Role::strong;
    default:
      return Role::plain;
  }
}

}  // namespace

std::size_t draw_fix_lines(const FixView& fix, const Look& look, Canvas& canvas, const Box& box,
                           std::size_t scroll) {
  Sheet sheet(canvas, box, scroll);
  const int indent = box.width >= kWide ? kLabelWide : kLabelNarrow;
  for (const FixLine& line : fix.lines) {
    if (line.kind == LineKind::rule) {
      const int y = sheet.next();
      // Nothing is seen below the last line that it could part from what is above.
      if (y >= 0 && y + 1 < box.y + box.height)
        canvas.fill(box.x, y, box.width, marks(look.glyphs).line, Role::dim);
      continue;
    }
    if (line.kind == LineKind::head) {
      const Role role = role_of(fix.limit) == Role::plain ? Role::strong : role_of(fix.limit);
      for (const std::string& part : wrap(line.text, static_cast<std::size_t>(box.width)))
        sheet.put(0, sheet.next(), part, role);
      continue;
    }
    const int room = std::max(8, box.width - indent - 1);
    const auto limit = static_cast<std::size_t>(room);
    std::vector<std::string> parts =
        line.kind == LineKind::command ? command_lines(line.text, limit) : wrap(line.text, limit);
    if (line.kind == LineKind::target && box.width >= kWide) parts.back() += "   (+ -)";
    const std::string label = line.label.substr(0, static_cast<std::size_t>(indent) - 1);
    bool first = true;
    for (const std::string& part : parts) {
      const int y = sheet.next();
      if (first)
        sheet.put(0, y, label,
                  line.chosen && line.label.rfind("Fix", 0) == 0 ? Role::key : Role::dim);
      sheet.put(indent, y, part, text_role(line));
      first = false;
    }
  }
  return sheet.lines();
}

void draw_fix(Model& model, const Look& look, Canvas& canvas, const Box& box) {
  if (model.flow() == nullptr) {
    canvas.put(box.x + 2, box.y + 1, "No flow is chosen: 1 lists them.", Role::dim);
    return;
  }
  model.places.height = box.height - 1;
  const FixView fix = model.fix();
  // The last line says how much is below.
  const Box text{box.x, box.y, box.width, box.height - 1};
  const std::size_t lines = draw_fix_lines(fix, look, canvas, text, model.scroll());
  model.places.lines = lines;
  const auto below = static_cast<long>(lines) - static_cast<long>(model.scroll()) - text.height;
  if (below > 0)
    canvas.put_right(box.x + box.width, box.y + box.height - 1,
                     " " + std::to_string(below) + " more lines: down ", Role::key);
}

void draw_clipboard(Model& model, const Look& look, Canvas& canvas) {
  const std::string copied = model.fix().copy;
  const int width = std::min(canvas.width(), 76);
  std::vector<std::string> lines;
  for (const std::string& line :
       wrap("Sent to the clipboard of this terminal (OSC 52). If it is not there, mark it here:",
            static_cast<std::size_t>(width - 2)))
    lines.push_back(line);
  std::size_t at = 0;
  while (at < copied.size()) {
    const std::size_t end = std::min(copied.find('\n', at), copied.size());
    for (std::string& part : cut(copied.substr(at, end - at), static_cast<std::size_t>(width)))
      lines.push_back(std::move(part));
    at = end + 1;
  }
  lines.emplace_back("Any key closes this.");
  const int height = std::min(canvas.height() - 2, static_cast<int>(lines.size()) + 2);
  const int top = std::max(1, (canvas.height() - height) / 2);
  for (int y = top; y < top + height; ++y) canvas.fill(0, y, canvas.width(), ' ', Role::plain);
  canvas.fill(0, top, canvas.width(), marks(look.glyphs).line, Role::key);
  canvas.fill(0, top + height - 1, canvas.width(), marks(look.glyphs).line, Role::key);
  // Text at the left edge: what is marked with a mouse has no frame in it.
  for (int i = 0; i < height - 2; ++i)
    canvas.put(0, top + 1 + i, lines[static_cast<std::size_t>(i)], Role::strong);
}

}  // namespace rwin::tui
