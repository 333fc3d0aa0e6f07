// The sentences and figures of a verdict. Inside rules/ only.
#pragma once

#include <string>
#include <vector>

#include "rules/flow.h"

namespace rwin::rules {

// One plain sentence: who, what, the figures. `verdict` has its limit, cause and ceiling already.
std::string summary_of(const Flow& flow, const Verdict& verdict);

// The figures that decided, unit in each.
std::vector<Evidence> evidence_of(const Flow& flow, const Verdict& verdict, const Sizing& sizing);

// "No progress for 2.1 s at 14.2 s: the receiver's window was closed."; empty below one second.
std::string stall_note(const Flow& flow);

}  // namespace rwin::rules
