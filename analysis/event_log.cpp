#include "analysis/event_log.h"

#include <algorithm>
#include <limits>

namespace rwin::analysis {
namespace {

constexpr std::uint32_t kAmountBits = 22;
constexpr std::uint32_t kAmountMax = (1U << kAmountBits) - 1;

}  // namespace

EventLog::Block* EventPool::take() {
  if (free_ != nullptr) {
    EventLog::Block* block = free_;
    free_ = block->next;
    block->next = nullptr;
    block->count = 0;
    return block;
  }
  if (used_in_slab_ == kSlab) {
    slabs_.push_back(std::make_unique_for_overwrite<EventLog::Block[]>(kSlab));
    used_in_slab_ = 0;
  }
  EventLog::Block* block = &slabs_.back()[used_in_slab_++];
  block->next = nullptr;
  block->count = 0;
  return block;
}

void EventPool::give(EventLog::Block* block) {
  block->next = free_;
  free_ = block;
}

void EventLog::append(EventPool& pool, const Event& event) {
  constexpr std::int64_t kSpan = std::numeric_limits<std::uint32_t>::max();
  Block* block = last_;
  const bool fits = block != nullptr && block->count < kPerBlock && event.time_us >= block->base_us &&
                    event.time_us - block->base_us <= kSpan;
  if (!fits) {
    block = pool.take();
    block->base_us = event.time_us;
    block->base_seq = event.seq;
    if (last_ != nullptr) last_->next = block;
    else first_ = block;
    last_ = block;
  }
  Packed& packed = block->events[block->count++];
  packed.time_us = static_cast<std::uint32_t>(event.time_us - block->base_us);
  packed.seq = static_cast<std::uint32_t>(event.seq);
  packed.sample_us = event.sample_us;
  packed.amount_flags = std::min(event.amount, kAmountMax) | (static_cast<std::uint32_t>(event.flags) << kAmountBits);
  ++size_;
}

void EventLog::drain(EventPool& pool, std::vector<Event>& out) {
  out.reserve(out.size() + size_);
  for (Block* block = first_; block != nullptr;) {
    for (std::uint32_t i = 0; i < block->count; ++i) {
      const Packed& p = block->events[i];
      Event event;
      event.time_us = block->base_us + p.time_us;
      event.seq = block->base_seq +
                  static_cast<std::int32_t>(p.seq - static_cast<std::uint32_t>(block->base_seq));
      event.sample_us = p.sample_us;
      event.amount = p.amount_flags & kAmountMax;
      event.flags = static_cast<std::uint16_t>(p.amount_flags >> kAmountBits);
      out.push_back(event);
    }
    Block* next = block->next;
    pool.give(block);
    block = next;
  }
  first_ = last_ = nullptr;
  size_ = 0;
}

}  // namespace rwin::analysis
