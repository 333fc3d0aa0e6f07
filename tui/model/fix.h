// Diagnosis and fix of one flow as lines of text; the screen only paints them.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "text/units.h"
#include "tui/model/rows.h"

namespace rwin::tui {

enum class LineKind : std::uint8_t {
  head,     // the verdict: "RECEIVER WINDOW limits ..."
  rule,     // a line across
  text,     // label and text that wraps
  command,  // label and a command that must stay whole
  target,   // the target rate, with its keys
  blank,
};

struct FixLine {
  LineKind kind = LineKind::text;
  std::string label;  // "What happens", "change"
  std::string text;
  bool chosen = false;  // belongs to the advice that y copies
};

struct FixView {
  analysis::Limit limit = analysis::Limit::unknown;
  std::vector<FixLine> lines;
  std::size_t choices = 0;  // pieces of advice
  std::string copy;         // what y copies: commands, and comments around them; empty: no advice
};

// `target_bps`: the rate that the user set on the screen, nullopt: as the snapshot has it.
// `choice`: which advice.
FixView make_fix(const Snapshot& snapshot, const Row& row, std::optional<double> target_bps,
                 std::size_t choice, Units units, const Names& names);

// The target rate that the screen starts from: the user's, the capacity, the interface, else ten
// times the rate now.
double first_target(const Snapshot& snapshot, const Row& row);
// The next of 1, 1.5, 2, 2.5, 3, 4, 5, 6, 8 x 10^n above or below, from 100 kbit/s to 400 Gbit/s.
double next_target(double bps, bool up);

}  // namespace rwin::tui
