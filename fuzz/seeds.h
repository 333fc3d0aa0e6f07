// First inputs of each target, made from pcaps/, rules/ and the packets that the tests build.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace rwin::fuzz {

using Bytes = std::vector<std::uint8_t>;

// The same list at every call. Needs the source tree.
std::vector<Bytes> seeds(std::string_view target);

// The files kept for a target, by name: fuzz/corpus/TARGET (grown by scripts/fuzz) and
// fuzz/crashes/TARGET (what once failed).
struct Kept {
  std::string name;
  Bytes bytes;
};
std::vector<Kept> kept_inputs(std::string_view target);

}  // namespace rwin::fuzz
