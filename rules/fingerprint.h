// Which system an end is, from its SYN or SYN-ACK (passive; p0f's method). Signatures:
// rules/fingerprints.toml.
#pragma once

#include <string>
#include <vector>

#include "analysis/result.h"

namespace rwin::rules {

struct OsGuess {
  std::string os;  // "Linux 4.20-6.5", "macOS 10.14-10.15", ...; empty: not recognised
  std::vector<std::string>
      platforms;  // ids of rules/platforms to advise, most likely first; empty: all likely ones
  double confidence = 0;  // 0..1
};

}  // namespace rwin::rules
