// The capture of one place: packets as they went by, and the segments a recording would show.
#pragma once

#include <cstdint>
#include <vector>

#include "analysis/segment.h"
#include "tests/simulator/packet.h"
#include "tests/simulator/random.h"
#include "tests/simulator/spec.h"

namespace rwin::sim {

class Recorder {
 public:
  void see(Time now, const Packet& p) { seen_.push_back({now, p}); }
  // `offload`: the recording host's card cuts and joins segments.
  [[nodiscard]] std::vector<analysis::Segment> segments(const Spec& spec, bool offload) const;

 private:
  struct Seen {
    Time at;
    Packet p;
  };
  static std::vector<Seen> joined(const std::vector<Seen>& seen);
  std::vector<Seen> seen_;
};

}  // namespace rwin::sim
