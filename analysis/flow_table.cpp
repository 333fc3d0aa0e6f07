#include "analysis/flow_table.h"

#include <cstring>
#include <utility>

namespace rwin::analysis {
namespace {

std::uint64_t hash_one(const Endpoint& e) {
  std::uint64_t w[2];
  std::memcpy(w, e.address.bytes.data(), sizeof w);
  std::uint64_t h = (w[0] ^ (std::uint64_t{e.port} << 40)) * 0x9e3779b97f4a7c15ULL;
  h = (h ^ (h >> 32) ^ w[1]) * 0xff51afd7ed558ccdULL;
  return h ^ (h >> 29);
}

}  // namespace

FlowTable::FlowTable() : slots_(1024) {}

// The same for either order of the two.
std::uint32_t FlowTable::hash_of(const Endpoint& a, const Endpoint& b) {
  const std::uint64_t x = hash_one(a);
  const std::uint64_t y = hash_one(b);
  const std::uint64_t h = ((x + y) ^ (x * y >> 32)) * 0x9e3779b97f4a7c15ULL;
  return static_cast<std::uint32_t>(h >> 32);
}

void FlowTable::place(Slot slot) {
  std::size_t i = slot.hash & mask();
  while (slots_[i].index != kNoConnection) i = (i + 1) & mask();
  slots_[i] = slot;
}

void FlowTable::insert(const Endpoint& a, const Endpoint& b, std::uint32_t index) {
  if ((size_ + 1) * 10 > slots_.size() * 7) {
    const std::vector<Slot> old = std::exchange(slots_, std::vector<Slot>(slots_.size() * 2));
    for (const Slot& s : old) {
      if (s.index != kNoConnection) place(s);
    }
  }
  place({hash_of(a, b), index});
  ++size_;
}

void FlowTable::erase(const Endpoint& a, const Endpoint& b, std::uint32_t index) {
  std::size_t hole = hash_of(a, b) & mask();
  while (slots_[hole].index != index) {
    if (slots_[hole].index == kNoConnection) return;
    hole = (hole + 1) & mask();
  }
  --size_;
  // Linear probing without tombstones: pull back what would not be found any more.
  for (std::size_t i = (hole + 1) & mask(); slots_[i].index != kNoConnection;
       i = (i + 1) & mask()) {
    const std::size_t home = slots_[i].hash & mask();
    if (((i - home) & mask()) >= ((i - hole) & mask())) {
      slots_[hole] = slots_[i];
      hole = i;
    }
  }
  slots_[hole] = Slot{};
}

}  // namespace rwin::analysis
