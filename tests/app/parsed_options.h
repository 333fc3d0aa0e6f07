// Command lines for tests: what they mean, or what is said against them.
#pragma once

#include <gtest/gtest.h>

#include <string>
#include <variant>
#include <vector>

#include "app/options.h"

namespace rwin::app {

// The options; a test failure where they are refused.
inline Options good(const std::vector<std::string>& arguments) {
  const auto parsed = parse_options(arguments);
  if (const auto* failure = std::get_if<Failure>(&parsed)) {
    ADD_FAILURE() << failure->message << "; " << failure->hint;
    return {};
  }
  return std::get<Options>(parsed);
}

// The message of a command line that must be refused: one line, with a hint.
inline std::string bad(const std::vector<std::string>& arguments) {
  const auto parsed = parse_options(arguments);
  const auto* failure = std::get_if<Failure>(&parsed);
  if (failure == nullptr) return "no failure";
  EXPECT_EQ(failure->code, ExitCode::usage);
  EXPECT_FALSE(failure->hint.empty()) << failure->message;
  EXPECT_EQ(failure->message.find('\n'), std::string::npos);
  return failure->message;
}

}  // namespace rwin::app
