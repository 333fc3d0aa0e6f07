#include "analysis/log_blocks.h"

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

}  // namespace rwin::analysis
