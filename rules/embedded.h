// The data files of this folder in the binary (made by embed/).
#pragma once

#include <span>
#include <string_view>

namespace rwin::rules {

struct EmbeddedText {
  std::string_view name;  // file name without folder: "linux.toml"
  std::string_view text;
};

// Packed (packed.h).
std::span<const EmbeddedText> platform_files();     // platforms/*.toml
std::span<const EmbeddedText> application_files();  // applications/*.toml
std::span<const EmbeddedText> fingerprint_files();  // fingerprints.toml, one entry
// As they are.
std::span<const EmbeddedText> explain_texts();  // explain/*.md

}  // namespace rwin::rules
