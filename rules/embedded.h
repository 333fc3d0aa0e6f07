// The data files of this folder as text in the binary (made by embed.cmake).
#pragma once

#include <span>
#include <string_view>

namespace rwin::rules {

struct EmbeddedText {
  std::string_view name;  // file name without folder: "linux.toml"
  std::string_view text;
};

std::span<const EmbeddedText> platform_texts();     // platforms/*.toml
std::span<const EmbeddedText> application_texts();  // applications/*.toml
std::span<const EmbeddedText> fingerprint_texts();  // fingerprints.toml, one entry
std::span<const EmbeddedText> explain_texts();      // explain/*.md

}  // namespace rwin::rules
