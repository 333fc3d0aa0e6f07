// What is said of a pair of flows, before and after, for every report that people read.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "rules/compare.h"
#include "text/units.h"

namespace rwin::app {

template <class T, class Form>
std::string or_unknown(const std::optional<T>& value, Form form) {
  return value ? form(*value) : std::string("not known");
}

// "NO CHANGE"
std::string outcome_words(rules::ChangeOutcome outcome);
// The two ends; the port of the one that keeps it.
std::string pair_ends(const rules::FlowPair& pair);

struct CompareRow {
  std::string label, before, after, more;
};
std::vector<CompareRow> compare_rows(const rules::FlowPair& pair, Units units);
// What makes the comparison doubtful, and of how many transfers these two are.
std::vector<std::string> pair_notes(const rules::FlowPair& pair);

}  // namespace rwin::app
