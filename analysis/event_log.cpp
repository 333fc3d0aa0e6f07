#include "analysis/event_log.h"

#include <cstring>
#include <new>

namespace rwin::analysis {
namespace {

// Head byte of an event.
constexpr unsigned kIsAck = 1;         // event::kAck
constexpr unsigned kSecond = 2;        // event::kPush or event::kDuplicate
constexpr unsigned kMoreFlags = 4;     // a byte with the other flags follows
constexpr unsigned kSameAmount = 8;    // length or window as the last time
constexpr unsigned kExpectedSeq = 16;  // data: right behind the last; ack: as the last
constexpr unsigned kHasSample = 32;
constexpr unsigned kSameTime = 64;
constexpr unsigned kNews = 128;  // event::kNewStamp or event::kNewEcho
constexpr std::size_t kLongest =
    48;  // bytes of one event: head, flags, time 10, seq 10, amount 5, sample 5

inline std::uint8_t* put(std::uint8_t* p, std::uint64_t v) {
  while (v >= 0x80) {
    *p++ = static_cast<std::uint8_t>(v | 0x80);
    v >>= 7;
  }
  *p++ = static_cast<std::uint8_t>(v);
  return p;
}

std::uint64_t get(const std::uint8_t*& p) {
  std::uint64_t v = *p & 0x7f;
  for (unsigned shift = 7; (*p++ & 0x80) != 0; shift += 7)
    v |= static_cast<std::uint64_t>(*p & 0x7f) << shift;
  return v;
}

std::uint64_t zigzag(std::int64_t v) {
  return (static_cast<std::uint64_t>(v) << 1) ^ static_cast<std::uint64_t>(v >> 63);
}
std::int64_t unzigzag(std::uint64_t v) {
  return static_cast<std::int64_t>(v >> 1) ^ -static_cast<std::int64_t>(v & 1);
}

}  // namespace

EventLog::Block* EventPool::take() {
  if (free_ == nullptr) free_ = given_.take();
  EventLog::Block* block = free_;
  if (block != nullptr) {
    free_ = block->next;
    __builtin_prefetch(free_, 1);  // written soon, and long out of the cache
  } else {
    if (left_in_slab_ == 0) {
      const SlabSource::Slab slab = source_.next();
      next_in_slab_ = static_cast<EventLog::Block*>(slab.memory);
      left_in_slab_ = slab.bytes / sizeof(EventLog::Block);
    }
    --left_in_slab_;
    block = ::new (static_cast<void*>(next_in_slab_++)) EventLog::Block;
  }
  block->next = nullptr;
  block->used = 0;
  return block;
}

void EventPool::give(EventLog::Block* first, EventLog::Block* last) {
  if (first == nullptr) return;
  given_.give(first, last);
}

std::uint8_t* EventLog::encode(const Event& e, Base& base, std::uint8_t* p) {
  const bool ack = (e.flags & event::kAck) != 0;
  std::int64_t& last_seq = ack ? base.ack : base.data_end;
  std::uint32_t& last_amount = ack ? base.window : base.length;
  const std::int64_t expected = ack ? last_seq : last_seq + e.amount;
  const unsigned news = ack ? event::kNewStamp : event::kNewEcho;
  const unsigned more = (e.flags & ~news) >> 2U;
  std::uint8_t* head = p++;
  unsigned bits = e.flags & (kIsAck | kSecond);
  if ((e.flags & news) != 0) bits |= kNews;
  if (more != 0) {
    bits |= kMoreFlags;
    *p++ = static_cast<std::uint8_t>(more);
  }
  if (e.time_us == base.time_us)
    bits |= kSameTime;
  else
    p = put(p, zigzag(e.time_us - base.time_us));
  if (e.amount == last_amount)
    bits |= kSameAmount;
  else
    p = put(p, e.amount);
  if (e.seq == expected)
    bits |= kExpectedSeq;
  else
    p = put(p, zigzag(e.seq - expected));
  if (e.sample_us != 0) {
    bits |= kHasSample;
    p = put(p, e.sample_us);
  }
  *head = static_cast<std::uint8_t>(bits);
  base.time_us = e.time_us;
  last_seq = e.seq;
  last_amount = e.amount;
  return p;
}

const std::uint8_t* EventLog::decode(const std::uint8_t* p, Base& base, Event& e) {
  const unsigned bits = *p++;
  const bool ack = (bits & kIsAck) != 0;
  std::int64_t& last_seq = ack ? base.ack : base.data_end;
  std::uint32_t& last_amount = ack ? base.window : base.length;
  e.flags = static_cast<std::uint16_t>(bits & (kIsAck | kSecond));
  if ((bits & kNews) != 0) e.flags |= ack ? event::kNewStamp : event::kNewEcho;
  if ((bits & kMoreFlags) != 0) e.flags |= static_cast<std::uint16_t>(*p++ << 2U);
  e.time_us = base.time_us + ((bits & kSameTime) != 0 ? 0 : unzigzag(get(p)));
  e.amount = (bits & kSameAmount) != 0 ? last_amount : static_cast<std::uint32_t>(get(p));
  const std::int64_t expected = ack ? last_seq : last_seq + e.amount;
  e.seq = expected + ((bits & kExpectedSeq) != 0 ? 0 : unzigzag(get(p)));
  e.sample_us = (bits & kHasSample) != 0 ? static_cast<std::uint32_t>(get(p)) : 0;
  base.time_us = e.time_us;
  last_seq = e.seq;
  last_amount = e.amount;
  return p;
}

void EventLog::append(EventPool& pool, const Event& event) {
  if (size_ == 0) base_ = Base{};
  std::array<std::uint8_t, kLongest> bytes;
  const auto length = static_cast<std::size_t>(encode(event, base_, bytes.data()) - bytes.data());
  if (last_ == nullptr || last_->used + length > last_->bytes.size()) {
    Block* block = pool.take();
    if (last_ != nullptr)
      last_->next = block;
    else
      first_ = block;
    last_ = block;
  }
  std::uint8_t* to = last_->bytes.data() + last_->used;
  // Most events are short and the block has room: one load and one store instead of a call.
  constexpr std::size_t kShort = 16;
  if (length <= kShort && last_->used + kShort <= last_->bytes.size())
    std::memcpy(to, bytes.data(), kShort);
  else
    std::memcpy(to, bytes.data(), length);
  last_->used = static_cast<std::uint8_t>(last_->used + length);
  ++size_;
}

}  // namespace rwin::analysis
