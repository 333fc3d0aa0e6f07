// The analysis: segments in (in capture order), connection results out. Pure: time comes from the
// segments. One pass, bounded memory, no allocation per packet on the hot path.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <vector>

#include "analysis/result.h"
#include "analysis/segment.h"

namespace rwin::analysis {

struct EngineOptions {
  std::uint64_t max_connections = 1'000'000;  // oldest idle ones are evicted (and counted) above it
  std::int64_t idle_expiry_ns = 3'600'000'000'000;  // a connection silent that long is expired
  // Events of one direction that are kept before they are read: more look further ahead, fewer need
  // less memory.
  std::uint32_t log_limit = 32'768;
  // The user's word for the shift of a receiver whose handshake was not seen.
  struct AssumedScale {
    Address address;
    std::uint8_t shift = 0;
  };
  std::vector<AssumedScale> assume_wscale;
};

class Engine {
 public:
  explicit Engine(EngineOptions options = {});
  ~Engine();
  Engine(Engine&&) noexcept;
  Engine& operator=(Engine&&) noexcept;

  // Segments must come in the order of the capture; steps back in time are tolerated and counted.
  void add(const Segment& segment);

  [[nodiscard]] const EngineCounters& counters() const;
  [[nodiscard]] std::size_t connection_count() const;

  // Ends the input and hands out every connection in order of its first packet, one at a time; each
  // one's memory is released before the next. The engine is empty afterwards.
  void finish(const std::function<void(ConnectionResult&&)>& sink);

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace rwin::analysis
