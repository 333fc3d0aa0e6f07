// The help: the key table, and what the glyphs mean.
#include <fmt/format.h>

#include <algorithm>

#include "text/limit_text.h"
#include "tui/screens/screens.h"

namespace rwin::tui {
namespace {

struct HelpLine {
  std::string key, text;
  bool heading = false;
};

std::vector<HelpLine> help_lines() {
  std::vector<HelpLine> lines;
  Group group = key_table().front().group;
  lines.push_back({"", std::string(heading(group)), true});
  for (const KeySpec& spec : key_table()) {
    if (spec.group != group) {
      group = spec.group;
      lines.push_back({"", std::string(heading(group)), true});
    }
    std::string keys(spec.keys);
    lines.push_back({std::move(keys), std::string(spec.help), false});
  }
  lines.push_back({"", "Letters of the bars", true});
  for (const analysis::Limit limit : analysis::kAllLimits)
    lines.push_back({std::string(1, limit_text(limit).letter),
                     fmt::format("{} ({})", limit_text(limit).name, analysis::word(limit)), false});
  lines.push_back({".", "not running then", false});
  lines.push_back({"", "Words", true});
  lines.push_back({"CEILING", "window / round trip: no faster than that", false});
  lines.push_back({"USE", "bytes in flight / window", false});
  lines.push_back({"mouse", "click selects, again opens; heads sort", false});
  return lines;
}

}  // namespace

void draw_help(Model& model, const Look& look, Canvas& canvas, const Box& box) {
  static_cast<void>(look);
  constexpr int kColumn = 58;
  const std::vector<HelpLine> lines = help_lines();
  const int columns = std::max(1, box.width / kColumn);
  const int per_column = (static_cast<int>(lines.size()) + columns - 1) / columns;
  model.places.lines = static_cast<std::size_t>(per_column);
  model.places.height = box.height;
  const int key_width = box.width >= 44 ? 11 : 9;
  for (int c = 0; c < columns; ++c) {
    const int x = box.x + c * kColumn;
    for (int i = 0; i < box.height; ++i) {
      const int in_column = i + static_cast<int>(model.scroll());
      const int at = c * per_column + in_column;
      if (in_column >= per_column || at >= static_cast<int>(lines.size())) break;
      const HelpLine& line = lines[static_cast<std::size_t>(at)];
      const int room = std::min(kColumn, box.width) - 1;
      if (line.heading) {
        canvas.put(x, box.y + i, line.text, Role::strong, room);
      } else {
        canvas.put(x + 1, box.y + i, line.key, Role::key, key_width);
        canvas.put(x + 1 + key_width, box.y + i, line.text, Role::plain, room - key_width);
      }
    }
  }
  const int below = per_column - static_cast<int>(model.scroll()) - box.height;
  if (below > 0)
    canvas.put_right(box.x + box.width, box.y + box.height - 1,
                     fmt::format(" {} more: down ", below), Role::key);
}

}  // namespace rwin::tui
