// How pages and pictures look, and what moves in them. No other files, no network.
#pragma once

#include <string_view>

namespace rwin::app::html {

// Of the pictures, also alone; light and dark.
std::string_view picture_style();
// Of the page around them.
std::string_view page_style();
// The page's script, and its SHA-256 in base64: the only script that the page lets run.
std::string_view page_script();
inline constexpr std::string_view kScriptHash = "vB395YequiSzbg4Pag/7duN8+nyhfAhZp+p5yl/28/c=";

}  // namespace rwin::app::html
