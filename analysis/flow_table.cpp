#include "analysis/flow_table.h"

#include <utility>

namespace rwin::analysis {

FlowTable::FlowTable() : slots_(1024) {}

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
