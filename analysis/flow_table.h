// Finds the connection of a segment: a hash table keyed by both endpoints, the same for either
// direction. Connections are kept in order of their first packet; a closed or evicted one leaves
// the table, not the order.
#pragma once

#include <array>
#include <bit>
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
    const Slot* const slots = slots_.data();
    for (std::size_t i = hash & mask();; i = (i + 1) & mask()) {
      const Slot slot = slots[i];
      if (slot.index == kNoConnection) return kNoConnection;
      if (slot.hash == hash && matches(slot.index)) return slot.index;
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
  // The same for either order of the two: a product of both, folded (as in W. Yi's wyhash).
  static std::uint32_t hash_of(const Endpoint& a, const Endpoint& b) {
    __extension__ using Wide = unsigned __int128;
    const Wide product = Wide{word_of(a)} * word_of(b);
    const auto h = static_cast<std::uint64_t>(product) ^ static_cast<std::uint64_t>(product >> 64);
    return static_cast<std::uint32_t>(h ^ (h >> 32));
  }
  static std::uint64_t word_of(const Endpoint& e) {
    const auto [first, second] = std::bit_cast<std::array<std::uint64_t, 2>>(e.address.bytes);
    return first ^ (std::uint64_t{e.port} << 40) ^ second * 0x9e3779b97f4a7c15ULL ^
           0xa0761d6478bd642fULL;
  }
  [[nodiscard]] std::size_t mask() const { return slots_.size() - 1; }
  void place(Slot slot);

  std::vector<Slot> slots_;
  std::size_t size_ = 0;
};

}  // namespace rwin::analysis
