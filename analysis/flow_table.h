// Finds the connection of a segment: a hash table keyed by both endpoints, the same for either direction.
// Connections are kept in order of their first packet; a closed or evicted one leaves the table, not the order.
#pragma once

#include <cstdint>
#include <vector>

#include "analysis/segment.h"

namespace rwin::analysis {

inline constexpr std::uint32_t kNoConnection = 0xffffffff;

class FlowTable {
 public:
  FlowTable();
  // Index stored for this pair of endpoints, or kNoConnection. The reference may be written; it is valid until the
  // next call. `low_is_source`: the endpoints are ordered inside, this tells how.
  std::uint32_t& find_or_insert(const Endpoint& source, const Endpoint& destination);
  void erase(const Endpoint& source, const Endpoint& destination);
  [[nodiscard]] std::size_t size() const { return size_; }

 private:
  struct Key {
    Endpoint low, high;
    friend bool operator==(const Key&, const Key&) = default;
  };
  struct Slot {
    Key key;
    std::uint64_t hash = 0;
    std::uint32_t index = kNoConnection;
    bool used = false;
  };
  static Key make_key(const Endpoint& a, const Endpoint& b);
  static std::uint64_t hash_of(const Key& key);
  std::size_t locate(const Key& key, std::uint64_t hash) const;
  void grow();

  std::vector<Slot> slots_;
  std::size_t size_ = 0;
};

}  // namespace rwin::analysis
