// The page of a comparison: both flows of each pair side by side.
#pragma once

#include <string>
#include <vector>

#include "app/finding.h"
#include "app/options.h"
#include "rules/compare.h"

namespace rwin::app::html {

struct ComparePage {
  const Options& options;
  const rules::Comparison& comparison;
  // Flows with charts; those of a pair are looked up by connection and direction.
  const std::vector<Finding>&before, &after;
  const std::vector<std::string>& warnings;
};
std::string compare_page(const ComparePage& page);

}  // namespace rwin::app::html
