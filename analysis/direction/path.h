// The path's capacity, as far as one direction shows it.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "analysis/direction/delays.h"
#include "analysis/direction/histogram.h"
#include "analysis/direction/trace.h"

namespace rwin::analysis {

struct Epoch;

class PathMeter {
 public:
  void begin();
  // A train of ACKs that each cover little: their spacing is the bottleneck's (packet dispersion).
  struct Train {
    std::int64_t t = 0;  // its end
    std::int64_t bytes = 0;
    double bps = 0;
  };
  // Working memory: the trains of a stretch.
  struct Trains {
    std::vector<Train> of_four, of_seven;  // ACKs
  };
  // Adds a stretch; `epochs` are its round trips.
  void consume(const Trace& trace, const std::vector<Epoch>& epochs, const Delays& delays,
               std::uint32_t mss, Trains& trains);

  // Rate at which the path was full: with a queue behind it, or at which packet trains passed while
  // the flow itself ran far below. Payload bit/s.
  [[nodiscard]] std::optional<double> full_bps() const { return full_bps_; }
  [[nodiscard]] bool from_queue() const { return from_queue_; }

 private:
  Histogram long_trains_, short_trains_, queued_rates_;
  std::uint32_t independent_ = 0, trains_at_speed_ = 0;
  double counted_bps_ = 0;  // the speed that those two were counted for
  bool outpaced_ = false;   // the path let trains through that were much faster than most
  std::optional<double> full_bps_;
  bool from_queue_ = false;
};

// A round trip above the base: a queue stands somewhere. Deeply: so much that the path must be
// full, with this flow's traffic or somebody else's.
[[nodiscard]] bool queued(const Epoch& epoch, std::int64_t base_rtt);
[[nodiscard]] bool deeply_queued(const Epoch& epoch, std::int64_t base_rtt);

}  // namespace rwin::analysis
