// What a report for people says of its input.
#pragma once

#include <string>
#include <vector>

#include "app/report.h"

namespace rwin::app {

struct InputWords {
  // Name of the first input, when, how long, packets, flows, damage: short items.
  std::vector<std::string> head;
  std::string more;                // " and 2 more" inputs, or empty
  std::vector<std::string> notes;  // not used, capture quality, filter, warnings: a sentence each
};
InputWords input_words(const RunInfo& info);

}  // namespace rwin::app
