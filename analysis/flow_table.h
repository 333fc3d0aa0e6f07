// Finds the connection of a segment: a hash table keyed by both endpoints, the same for either
// direction. Connections are kept in order of their first packet; a closed or evicted one leaves
// the table, not the order.
#pragma once

#include <cstdint>
#include <vector>

#include "analysis/segment.h"

namespace rwin::analysis {

inline constexpr std::uint32_t kNoConnection = 0xffffffff;

class FlowTable {
 public:
  FlowTable();
  // Index stored for this pair of endpoints (either order), or kNoConnection. `matches(index)`
  // tells whether that connection has these endpoints: the table keeps no copy of them.
  template <class Matches>
  [[nodiscard]] std::uint32_t find(const Endpoint& a, const Endpoint& b, Matches matches) const {
    const std::uint32_t hash = hash_of(a, b);
    for (std::size_t i = hash & mask();; i = (i + 1) & mask()) {
      if (slots_[i].index == kNoConnection) return kNoConnection;
      if (slots_[i].hash == hash && matches(slots_[i].index)) return slots_[i].index;
    }
  }
  // The pair must not be in the table.
  void insert(const Endpoint& a, const Endpoint& b, std::uint32_t index);
  void erase(const Endpoint& a, const Endpoint& b, std::uint32_t index);
  [[nodiscard]] std::size_t size() const { return size_; }

 private:
  struct Slot {
    std::uint32_t hash = 0;
    std::uint32_t index = kNoConnection;
  };
  static std::uint32_t hash_of(const Endpoint& a, const Endpoint& b);
  [[nodiscard]] std::size_t mask() const { return slots_.size() - 1; }
  void place(Slot slot);

  std::vector<Slot> slots_;
  std::size_t size_ = 0;
};

}  // namespace rwin::analysis
