// The judgement over one transfer before and after a change. Inside rules/ only.
#pragma once

#include "rules/compare.h"

namespace rwin::rules {

// Fills outcome, reason, summary and notes from the two records.
void judge(FlowPair& pair);

}  // namespace rwin::rules
