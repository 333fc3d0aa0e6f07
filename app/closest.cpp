#include "app/closest.h"

#include <algorithm>
#include <cstdint>
#include <vector>

#include "app/command_table.h"

namespace rwin::app {
namespace {

// Number of edits from one word to the other, two neighbours swapped counted as one (optimal string
// alignment; dynamic programming over three rows).
std::size_t edits(std::string_view a, std::string_view b) {
  std::vector<std::size_t> before, last(b.size() + 1), row(b.size() + 1);
  for (std::size_t j = 0; j <= b.size(); ++j) row[j] = j;
  for (std::size_t i = 1; i <= a.size(); ++i) {
    before = last;
    last = row;
    row[0] = i;
    for (std::size_t j = 1; j <= b.size(); ++j) {
      row[j] =
          std::min({last[j] + 1, row[j - 1] + 1, last[j - 1] + (a[i - 1] == b[j - 1] ? 0U : 1U)});
      if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1])
        row[j] = std::min(row[j], before[j - 2] + 1);
    }
  }
  return row.back();
}

}  // namespace

std::string closest(std::string_view given, std::span<const std::string> known) {
  std::string best;
  std::size_t best_edits = SIZE_MAX;
  for (const std::string& word : known) {
    const std::size_t n = edits(given, word);
    if (n < best_edits && n <= 2 && n * 2 <= std::max(given.size(), word.size())) {
      best = word;
      best_edits = n;
    }
  }
  return best;
}

std::string closest_command(std::string_view given) {
  if (given.find_first_of("/.-") != std::string_view::npos) return {};
  std::vector<std::string> names;
  names.reserve(kCommands.size());
  for (const CommandSpec& command : kCommands) names.emplace_back(command.name);
  return closest(given, names);
}

}  // namespace rwin::app
