// The answer in one line: who is limited, by what, and the key that shows the fix. And the short
// verdict that stays on the terminal after quitting.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "text/units.h"
#include "tui/model/rows.h"

namespace rwin::tui {

struct Answer {
  analysis::Limit limit = analysis::Limit::unknown;  // decides the colour
  bool none = false;                                 // nothing to tell yet
  std::vector<std::string> forms;  // the same, longest first, without the key; never empty
  std::string_view key;            // "[3] fix", empty: nothing to open
  FlowId worst;                    // the flow that [3] opens
};

Answer answer_of(const Snapshot& snapshot, const std::vector<Row>& rows, Units units,
                 const Names& names);

// A host as it is shown: its name where one is known.
std::string host_text(const analysis::Address& address, const Names& names);

// At most ten lines: the answer, then the worst transfers with what limits them and their fix.
std::vector<std::string> short_verdict(const Snapshot& snapshot, Units units);

}  // namespace rwin::tui
