// Which system an end is, from its SYN or SYN-ACK (passive; p0f's method). Signatures:
// rules/fingerprints.toml.
#pragma once

#include <string>
#include <vector>

#include "analysis/result.h"

namespace rwin::rules {

struct OsGuess {
  // "Linux 4.20 to 6.15"; "A or B" where two fit equally well; empty: not recognised.
  std::string os;
  std::vector<std::string>
      platforms;  // ids of rules/platforms to advise, most likely first; empty: all likely ones
  double confidence = 0;   // 0..1
  bool ambiguous = false;  // another system fits as well
  std::string setting;     // what the shift tells: "autotuning level restricted"; empty: nothing
};

}  // namespace rwin::rules
