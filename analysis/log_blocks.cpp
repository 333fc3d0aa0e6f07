#include "analysis/log_blocks.h"

#include <cstring>
#include <new>

namespace rwin::analysis {

LogBlock* EventPool::take() {
  if (free_ == nullptr) free_ = given_.take();
  LogBlock* block = free_;
  if (block != nullptr) {
    free_ = block->next;
    __builtin_prefetch(free_, 1);  // written soon, and long out of the cache
  } else {
    if (left_in_slab_ == 0) {
      const SlabSource::Slab slab = source_.next();
      next_in_slab_ = static_cast<LogBlock*>(slab.memory);
      left_in_slab_ = slab.bytes / sizeof(LogBlock);
    }
    --left_in_slab_;
    block = ::new (static_cast<void*>(next_in_slab_++)) LogBlock;
  }
  block->next = nullptr;
  block->used = 0;
  return block;
}

void EventPool::give(LogBlock* first, LogBlock* last) {
  if (first == nullptr) return;
  given_.give(first, last);
}

void append_record(EventPool& pool, LogBlock*& first, LogBlock*& last, const std::uint8_t* bytes,
                   std::size_t length) {
  if (last == nullptr || last->used + length > last->bytes.size()) {
    LogBlock* block = pool.take();
    if (last != nullptr)
      last->next = block;
    else
      first = block;
    last = block;
  }
  std::uint8_t* to = last->bytes.data() + last->used;
  // Most records are short and the block has room: one load and one store instead of a call.
  if (length <= kShortRecord && last->used + kShortRecord <= last->bytes.size())
    std::memcpy(to, bytes, kShortRecord);
  else
    std::memcpy(to, bytes, length);
  last->used = static_cast<std::uint8_t>(last->used + length);
}

}  // namespace rwin::analysis
