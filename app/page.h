// Lays text out in lines: labelled fields that wrap at their own indent, headings with a word at
// the right edge.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "app/style.h"

namespace rwin::app {

inline constexpr std::size_t kLabelIndent = 3;
inline constexpr std::size_t kFieldIndent = 13;

class Page {
 public:
  explicit Page(const Style& style) : style_(style) {}

  void blank() { text_ += '\n'; }
  // Wraps; further lines start `indent` deep, the first one as deep as the text does.
  void paragraph(std::string_view text, std::size_t indent = 0);
  // "   speed     24.1 Mbit/s ..."
  void field(std::string_view label, std::string_view text);
  // Entries with three blanks between them; lines break only between entries.
  void entries(std::string_view label, const std::vector<std::string>& list, std::size_t indent);
  // "             look     sysctl ...": a command is never broken, so that it can be copied whole.
  // A comment in it (from "# " on) wraps, each line a comment again.
  void command(std::string_view label, std::string_view text);
  // The same with prose, which wraps.
  void remark(std::string_view label, std::string_view text);
  // `lead` (painted) and `rest`, wrapped, with `right` at the right edge. False, and `right` is
  // left out, where that does not fit.
  bool heading(Paint paint, std::string_view lead, std::string_view rest, std::string_view right);
  void raw(std::string_view text) { text_ += text; }

  [[nodiscard]] const Style& style() const { return style_; }
  [[nodiscard]] std::size_t field_width() const { return style_.width - kFieldIndent; }
  std::string take() { return std::move(text_); }

 private:
  void command_line(std::string_view label, std::string_view text);
  [[nodiscard]] std::string safe(std::string_view text) const;
  Style style_;
  std::string text_;
};

}  // namespace rwin::app
