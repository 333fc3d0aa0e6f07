// How people read the classes of limits.
#pragma once

#include <string_view>

#include "analysis/limit.h"

namespace rwin {
inline namespace text {

// One class of limit for people. Upper case is only for what rwin is there for.
struct LimitText {
  char letter;                // in bars
  std::string_view name;      // in lists: "window", "loss"
  std::string_view headline;  // head of a finding: "RECEIVER WINDOW limits"
  std::string_view tag;       // in narrow columns, at most 7 characters: "WINDOW", "loss"
};
const LimitText& limit_text(analysis::Limit limit);

}  // namespace text
}  // namespace rwin
