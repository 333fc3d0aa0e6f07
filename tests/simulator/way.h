// One way of the path: delay, bottleneck with a queue, loss, reordering, duplicates.
#pragma once

#include <functional>
#include <vector>

#include "tests/simulator/clock.h"
#include "tests/simulator/packet.h"
#include "tests/simulator/random.h"
#include "tests/simulator/spec.h"

namespace rwin::sim {

class Way {
 public:
  using Tap = std::function<void(const Packet&)>;
  // `first`, `second`: delays before and behind the middle. `narrow_first`: the bottleneck lies
  // before the middle.
  Way(Clock& clock, Random& random, const WaySpec& spec, Time first, Time second,
      bool narrow_first);
  void connect(Tap middle, Tap end);
  void send(const Packet& p);

  struct Busy {
    Time from, to;
  };
  // When the bottleneck was sending, in order, joined where they touch.
  [[nodiscard]] const std::vector<Busy>& busy() const { return busy_; }
  [[nodiscard]] std::uint64_t dropped() const { return dropped_; }

 private:
  // When a packet that comes now leaves the bottleneck; -1: never.
  Time narrow(const Packet& p);
  void deliver(const Packet& p, Time at);

  Clock& clock_;
  Random& random_;
  WaySpec spec_;
  Time first_, second_;
  bool narrow_first_;
  Tap middle_, end_;
  Time card_free_ = 0, line_free_ = 0, last_out_ = 0;
  std::vector<Busy> busy_;
  std::uint64_t dropped_ = 0;
};

}  // namespace rwin::sim
