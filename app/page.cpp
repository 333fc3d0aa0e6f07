#include "app/page.h"

#include <fmt/format.h>

#include <algorithm>

#include "text/text.h"

namespace rwin::app {
namespace {

constexpr std::size_t kRemarkLabel = 9;

std::string blanks(std::size_t n) { return std::string(n, ' '); }

}  // namespace

std::string Page::safe(std::string_view text) const { return escape_terminal(text, style_.ascii); }

void Page::paragraph(std::string_view text, std::size_t indent) {
  const std::size_t first =
      text.find_first_not_of(' ') == std::string_view::npos ? 0 : text.find_first_not_of(' ');
  const auto lines = wrap(safe(text), style_.width - std::max(indent, first));
  for (std::size_t i = 0; i < lines.size(); ++i)
    text_ += blanks(i == 0 ? first : indent) + lines[i] + "\n";
}

void Page::field(std::string_view label, std::string_view text) {
  const auto lines = wrap(safe(text), field_width());
  for (std::size_t i = 0; i < lines.size(); ++i) {
    text_ += fmt::format("{:{}}{:<{}}{}\n", "", kLabelIndent, i == 0 ? label : "",
                         kFieldIndent - kLabelIndent, lines[i]);
  }
}

void Page::entries(std::string_view label, const std::vector<std::string>& list,
                   std::size_t indent) {
  std::string text;
  for (const std::string& entry : list) {
    std::string whole = safe(entry);
    std::replace(whole.begin(), whole.end(), ' ', kHardBlank);
    text += (text.empty() ? "" : "   ") + whole;
  }
  const auto lines = wrap(text, style_.width - indent);
  const std::size_t label_indent = label.empty() ? 0 : kLabelIndent;
  for (std::size_t i = 0; i < lines.size(); ++i) {
    const bool flush_left = label.empty() && i == 0;
    const std::size_t margin = flush_left ? 0 : indent - label_indent;
    text_ += fmt::format("{:{}}{:<{}}{}\n", "", flush_left ? 0 : label_indent, i == 0 ? label : "",
                         margin, lines[i]);
  }
}

void Page::command_line(std::string_view label, std::string_view text) {
  text_ += fmt::format("{:{}}{:<{}}{}\n", "", kFieldIndent, label, kRemarkLabel, text);
}

void Page::command(std::string_view label, std::string_view text) {
  const std::string whole = safe(text);
  const std::size_t room = std::max<std::size_t>(field_width() - kRemarkLabel, 20);
  std::size_t comment = whole.compare(0, 2, "# ") == 0 ? 0 : whole.find("   # ");
  if (width(whole) <= room || comment == std::string::npos) {
    command_line(label, whole);
    return;
  }
  if (comment > 0) {
    command_line(label, whole.substr(0, comment));
    label = "";
    comment += 3;
  }
  for (const std::string& line : wrap(std::string_view(whole).substr(comment + 2), room - 2)) {
    command_line(label, "# " + line);
    label = "";
  }
}

void Page::remark(std::string_view label, std::string_view text) {
  const auto lines = wrap(safe(text), std::max<std::size_t>(field_width() - kRemarkLabel, 20));
  for (std::size_t i = 0; i < lines.size(); ++i) command_line(i == 0 ? label : "", lines[i]);
}

bool Page::heading(Paint paint, std::string_view lead, std::string_view rest,
                   std::string_view right) {
  const std::string whole = safe(std::string(lead) + " " + std::string(rest));
  auto lines = wrap(whole, style_.width);
  const std::size_t used = width(lines[0]);
  const bool fits = lines.size() == 1 && used + 3 + width(right) <= style_.width;
  const std::string tail = safe(right);
  if (fits && !tail.empty()) lines[0] += blanks(style_.width - used - width(tail)) + tail;
  const std::string head = safe(lead);
  const bool lead_whole = lines[0].compare(0, head.size(), head) == 0;
  text_ += lead_whole ? painted(style_, paint, head) + lines[0].substr(head.size()) : lines[0];
  text_ += '\n';
  for (std::size_t i = 1; i < lines.size(); ++i) text_ += blanks(kLabelIndent) + lines[i] + "\n";
  return fits;
}

}  // namespace rwin::app
