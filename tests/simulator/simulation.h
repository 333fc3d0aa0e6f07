// One transfer from the first SYN to the last ACK, recorded at three places at once.
#pragma once

#include <array>
#include <vector>

#include "analysis/segment.h"
#include "tests/simulator/recorder.h"
#include "tests/simulator/spec.h"
#include "tests/simulator/truth.h"

namespace rwin::sim {

struct Outcome {
  Spec spec;
  Truth truth;
  bool finished = false;  // all data acknowledged before the longest time allowed
  std::array<std::vector<analysis::Segment>, kPlaces> captures;
  [[nodiscard]] const std::vector<analysis::Segment>& at(Place place) const {
    return captures[static_cast<std::size_t>(place)];
  }
};

Outcome simulate(const Spec& spec);

}  // namespace rwin::sim
