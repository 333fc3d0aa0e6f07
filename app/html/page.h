// A page around its parts: one file, nothing from elsewhere.
#pragma once

#include <set>
#include <string>
#include <string_view>

namespace rwin::app::html {

// `body` between the header and the end of a whole document.
std::string page(std::string_view title, std::string_view body);

// "word-loss": the place of a limit's or cause's explanation in the page.
std::string word_id(std::string_view code);
// A link there, as text.
std::string word_link(std::string_view code);
// The section of explanations for `codes`; empty for none.
std::string words_section(const std::set<std::string, std::less<>>& codes);

}  // namespace rwin::app::html
