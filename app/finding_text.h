// One finding of the text report: what limits this direction, how much it costs, and the change
// that lifts it.
#pragma once

#include "app/finding_words.h"
#include "app/page.h"

namespace rwin::app {

// As a block, or in one line.
void print_finding(Page& page, const Finding& finding, bool full, const FindingText& how);

}  // namespace rwin::app
