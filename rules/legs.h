// A host that hands on what it receives (proxy, relay): the connection it receives by is held by
// its window, and the one it sends by has nothing to send because of that. Inside rules/ only.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "rules/assess.h"

namespace rwin::rules {

class Legs {
 public:
  // Every direction of data; those that are neither held by the window nor waiting for their
  // program are not kept. Bounded: the first kMost of either kind.
  void add(const analysis::ConnectionResult& connection,
           const analysis::DirectionResult& direction);
  // One sentence for each pair of legs of this host.
  [[nodiscard]] std::vector<std::string> notes(const analysis::Address& host) const;

 private:
  static constexpr std::size_t kMost = 256;
  static constexpr std::uint64_t kFewestBytes = 100'000;
  struct Leg {
    std::int64_t from_ns = 0, to_ns = 0;
    std::uint64_t bytes = 0;
    analysis::Address host, peer;
  };
  std::vector<Leg> held_, waiting_;  // received by host, sent by host
};

}  // namespace rwin::rules
