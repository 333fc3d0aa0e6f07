// Random transfers, one kind for each thing that can hold a transfer. The parameters stay clear of
// the border to the next kind: which limit is the main one must not be a matter of taste.
#pragma once

#include <string_view>
#include <vector>

#include "tests/simulator/random.h"
#include "tests/simulator/spec.h"

namespace rwin::sim {

struct Kind {
  std::string_view name;
  Spec (*make)(Random&);
  // A box between the place and the sender hides the limit: such captures are not judged.
  bool hidden_at_receiver = false;
};

const std::vector<Kind>& kinds();

// The transfer number `seed` of a kind: parameters and run depend on it alone.
Spec make(const Kind& kind, std::uint64_t seed);

}  // namespace rwin::sim
