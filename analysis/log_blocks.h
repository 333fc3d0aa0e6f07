// What logs are made of: chains of small blocks from a pool, and numbers of variable length.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>

#include "analysis/large_memory.h"

namespace rwin::analysis {

struct alignas(64) LogBlock {  // a cache line
  LogBlock* next = nullptr;
  std::uint8_t used = 0;
  std::array<std::uint8_t, 55> bytes;
};

// Hands out blocks from slabs; freed blocks are reused. One thread takes, any may give.
class EventPool {
 public:
  LogBlock* take();
  // A chain of blocks from `first` to `last`; nullptr for none.
  void give(LogBlock* first, LogBlock* last);

 private:
  SlabSource source_;
  std::size_t left_in_slab_ = 0;
  LogBlock* next_in_slab_ = nullptr;
  LogBlock* free_ = nullptr;
  Returns<LogBlock> given_;
};

// Appends bytes to the chain; all of them stand in one block. `length`: at most a block's bytes.
// `bytes` must be readable for kShortRecord.
inline constexpr std::size_t kShortRecord = 16;
inline void append_record(EventPool& pool, LogBlock*& first, LogBlock*& last,
                          const std::uint8_t* bytes, std::size_t length) {
  if (last == nullptr || last->used + length > sizeof last->bytes) {
    LogBlock* block = pool.take();
    (last != nullptr ? last->next : first) = block;
    last = block;
  }
  std::uint8_t* to = last->bytes.data() + last->used;
  // Most records are short and the block has room: one load and one store instead of a call.
  if (length <= kShortRecord && last->used + kShortRecord <= sizeof last->bytes)
    std::memcpy(to, bytes, kShortRecord);
  else
    std::memcpy(to, bytes, length);
  last->used = static_cast<std::uint8_t>(last->used + length);
}

// Seven bits a byte, the lowest first.
inline std::uint8_t* put_number(std::uint8_t* p, std::uint64_t v) {
  while (v >= 0x80) {
    *p++ = static_cast<std::uint8_t>(v | 0x80);
    v >>= 7;
  }
  *p++ = static_cast<std::uint8_t>(v);
  return p;
}
inline std::uint64_t get_number(const std::uint8_t*& p) {
  std::uint64_t v = *p & 0x7f;
  for (unsigned shift = 7; (*p++ & 0x80) != 0; shift += 7)
    v |= static_cast<std::uint64_t>(*p & 0x7f) << shift;
  return v;
}
// Small numbers of either sign become small ones.
inline std::uint64_t zigzag(std::int64_t v) {
  return (static_cast<std::uint64_t>(v) << 1) ^ static_cast<std::uint64_t>(v >> 63);
}
inline std::int64_t unzigzag(std::uint64_t v) {
  return static_cast<std::int64_t>(v >> 1) ^ -static_cast<std::int64_t>(v & 1);
}

}  // namespace rwin::analysis
