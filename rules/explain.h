// What a class or cause word means: one page each (explain/*.md), for --explain and help.
#pragma once

#include <optional>
#include <string_view>
#include <vector>

namespace rwin::rules {

// The page of a word ("receiver-window", "scaling-stripped"); nullopt for a word without one.
// Markdown, plain enough to print as it is.
std::optional<std::string_view> explain(std::string_view code);

// All words that have a page, sorted.
std::vector<std::string_view> explain_codes();

}  // namespace rwin::rules
