#include "analysis/flow_table.h"

#include <cstring>
#include <utility>

namespace rwin::analysis {

FlowTable::FlowTable() : slots_(1024) {}

FlowTable::Key FlowTable::make_key(const Endpoint& a, const Endpoint& b) {
  return (a <=> b) <= 0 ? Key{a, b} : Key{b, a};
}

std::uint64_t FlowTable::hash_of(const Key& key) {
  std::uint64_t w[4];
  std::memcpy(&w[0], key.low.address.bytes.data(), 16);
  std::memcpy(&w[2], key.high.address.bytes.data(), 16);
  std::uint64_t h = (std::uint64_t{key.low.port} << 16) | key.high.port;
  for (std::uint64_t v : w) h = (h ^ v) * 0x9e3779b97f4a7c15ULL, h ^= h >> 29;
  return h;
}

std::size_t FlowTable::locate(const Key& key, std::uint64_t hash) const {
  const std::size_t mask = slots_.size() - 1;
  std::size_t i = hash & mask;
  while (slots_[i].used && !(slots_[i].hash == hash && slots_[i].key == key)) i = (i + 1) & mask;
  return i;
}

std::uint32_t& FlowTable::find_or_insert(const Endpoint& source, const Endpoint& destination) {
  const Key key = make_key(source, destination);
  const std::uint64_t hash = hash_of(key);
  std::size_t i = locate(key, hash);
  if (!slots_[i].used) {
    if ((size_ + 1) * 10 > slots_.size() * 7) {
      grow();
      i = locate(key, hash);
    }
    slots_[i] = Slot{key, hash, kNoConnection, true};
    ++size_;
  }
  return slots_[i].index;
}

void FlowTable::erase(const Endpoint& source, const Endpoint& destination) {
  const Key key = make_key(source, destination);
  const std::size_t mask = slots_.size() - 1;
  std::size_t hole = locate(key, hash_of(key));
  if (!slots_[hole].used) return;
  --size_;
  // Linear probing without tombstones: pull back what would not be found any more.
  for (std::size_t i = (hole + 1) & mask; slots_[i].used; i = (i + 1) & mask) {
    const std::size_t home = slots_[i].hash & mask;
    if (((i - home) & mask) >= ((i - hole) & mask)) {
      slots_[hole] = slots_[i];
      hole = i;
    }
  }
  slots_[hole] = Slot{};
}

void FlowTable::grow() {
  std::vector<Slot> old = std::exchange(slots_, std::vector<Slot>(slots_.size() * 2));
  for (const Slot& s : old) {
    if (s.used) slots_[locate(s.key, s.hash)] = s;
  }
}

}  // namespace rwin::analysis
