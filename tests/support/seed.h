// Seeds of random tests: fixed, so that a run can be repeated; RWIN_TEST_SEED in the environment
// tries another.
#pragma once

#include <cstdint>
#include <cstdlib>
#include <string>

namespace rwin::test {

inline std::uint64_t test_seed(std::uint64_t usual) {
  const char* text = std::getenv("RWIN_TEST_SEED");
  return text == nullptr ? usual : std::strtoull(text, nullptr, 10);
}

// For SCOPED_TRACE: how to see the same failure again.
inline std::string seed_text(std::uint64_t seed) {
  return "RWIN_TEST_SEED=" + std::to_string(seed);
}

}  // namespace rwin::test
