#include <cstdio>
#include <cstdlib>

#include "fuzz/targets.h"

namespace rwin::fuzz {

void require(bool holds, std::string_view claim) {
  if (holds) return;
  std::fprintf(stderr, "does not hold: %.*s\n", static_cast<int>(claim.size()), claim.data());
  std::abort();
}

}  // namespace rwin::fuzz
