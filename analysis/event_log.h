// The compact record of one data direction: what the sender sent and what the receiver answered, in
// capture order. Half-flows append to it packet by packet; the direction analysis reads it in one
// go. An event takes about five bytes (differences, variable length). Blocks come from a pool, so a
// packet costs no allocation once the pool is warm, and a finished connection gives its blocks
// back.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <utility>

#include "analysis/log_blocks.h"

namespace rwin::analysis {

// One event, expanded. Sequence numbers are 64-bit and unwrapped; time is microseconds from the
// connection's start.
struct Event {
  std::int64_t time_us = 0;
  std::int64_t seq = 0;         // data: end of the payload; ack: the acknowledgement number
  std::uint32_t sample_us = 0;  // delay that a timestamp echo closed here, 0: none
  std::uint32_t amount = 0;     // data: payload bytes; ack: the raw window field
  std::uint16_t flags = 0;      // event::k...
  friend bool operator==(const Event&, const Event&) = default;
};

namespace event {
inline constexpr std::uint16_t kAck = 1;  // else data
inline constexpr std::uint16_t kClockStep =
    256;  // the first event after the capture's clock was set
// Data.
inline constexpr std::uint16_t kPush = 2;
inline constexpr std::uint16_t kRetransmission = 4;
inline constexpr std::uint16_t kReordered = 8;
inline constexpr std::uint16_t kProbe =
    16;  // window probe or keep-alive: neither data nor retransmission
inline constexpr std::uint16_t kTimeout = 32;
inline constexpr std::uint16_t kSpurious = 64;
inline constexpr std::uint16_t kNewEcho =
    128;  // echoes another time stamp than the segment before: another ACK released it
// Ack.
inline constexpr std::uint16_t kDuplicate = 2;
inline constexpr std::uint16_t kUnscaled = 4;  // the window of a SYN or SYN-ACK (RFC 7323 2.2)
inline constexpr std::uint16_t kSack = 8;
inline constexpr std::uint16_t kReset = 16;        // RST beside it: its window is no finding
inline constexpr std::uint16_t kCarriesData = 32;  // rode on data of the other direction
inline constexpr std::uint16_t kNewStamp = 64;     // carries another time stamp than the ACK before
}  // namespace event

class EventLog {
 public:
  EventLog() = default;
  // The source is empty afterwards.
  EventLog(EventLog&& other) noexcept
      : first_(std::exchange(other.first_, nullptr)),
        last_(std::exchange(other.last_, nullptr)),
        size_(std::exchange(other.size_, 0)) {}
  EventLog& operator=(EventLog&&) = delete;

  // Time must not go back.
  void append(EventPool& pool, const Event& event);
  // Hands out all events, oldest first, and gives the blocks back.
  template <class F>
  void drain(EventPool& pool, F f);
  // Shows all events, oldest first, and keeps them.
  template <class F>
  void show(F f) const;
  [[nodiscard]] std::uint32_t size() const { return size_; }

 private:
  // Head byte of an event.
  static constexpr unsigned kIsAck = 1;         // event::kAck
  static constexpr unsigned kSecond = 2;        // event::kPush or event::kDuplicate
  static constexpr unsigned kMoreFlags = 4;     // a byte with the other flags follows
  static constexpr unsigned kSameAmount = 8;    // length or window as the last time
  static constexpr unsigned kExpectedSeq = 16;  // data: right behind the last; ack: as the last
  static constexpr unsigned kHasSample = 32;
  static constexpr unsigned kSameTime = 64;
  static constexpr unsigned kNews = 128;  // event::kNewStamp or event::kNewEcho
  static constexpr std::size_t kLongest =
      48;  // bytes of one event: head, flags, time 10, seq 10, amount 5, sample 5

  // What the next event is a difference to; the same for writing and reading.
  struct Base {
    std::int64_t time_us = 0;
    std::int64_t data_end = 0, ack = 0;
    std::uint32_t length = 0, window = 0;
  };
  static std::uint8_t* encode(const Event& event, Base& base, std::uint8_t* p);
  static const std::uint8_t* decode(const std::uint8_t* p, Base& base, Event& event);

  LogBlock* first_ = nullptr;
  LogBlock* last_ = nullptr;
  std::uint32_t size_ = 0;
  Base base_;  // of the next event written
};

// Inline, as append(): an event stays in registers, and who writes one knows its kind.
[[gnu::always_inline]] inline std::uint8_t* EventLog::encode(const Event& e, Base& base,
                                                             std::uint8_t* p) {
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
    p = put_number(p, zigzag(e.time_us - base.time_us));
  if (e.amount == last_amount)
    bits |= kSameAmount;
  else
    p = put_number(p, e.amount);
  if (e.seq == expected)
    bits |= kExpectedSeq;
  else
    p = put_number(p, zigzag(e.seq - expected));
  if (e.sample_us != 0) {
    bits |= kHasSample;
    p = put_number(p, e.sample_us);
  }
  *head = static_cast<std::uint8_t>(bits);
  base.time_us = e.time_us;
  last_seq = e.seq;
  last_amount = e.amount;
  return p;
}

[[gnu::always_inline]] inline void EventLog::append(EventPool& pool, const Event& event) {
  if (size_ == 0) base_ = Base{};
  std::array<std::uint8_t, kLongest> bytes;
  const auto length = static_cast<std::size_t>(encode(event, base_, bytes.data()) - bytes.data());
  append_record(pool, first_, last_, bytes.data(), length);
  ++size_;
}

inline const std::uint8_t* EventLog::decode(const std::uint8_t* p, Base& base, Event& e) {
  const unsigned bits = *p++;
  const bool ack = (bits & kIsAck) != 0;
  std::int64_t& last_seq = ack ? base.ack : base.data_end;
  std::uint32_t& last_amount = ack ? base.window : base.length;
  e.flags = static_cast<std::uint16_t>(bits & (kIsAck | kSecond));
  if ((bits & kNews) != 0) e.flags |= ack ? event::kNewStamp : event::kNewEcho;
  if ((bits & kMoreFlags) != 0) e.flags |= static_cast<std::uint16_t>(*p++ << 2U);
  e.time_us = base.time_us + ((bits & kSameTime) != 0 ? 0 : unzigzag(get_number(p)));
  e.amount = (bits & kSameAmount) != 0 ? last_amount : static_cast<std::uint32_t>(get_number(p));
  const std::int64_t expected = ack ? last_seq : last_seq + e.amount;
  e.seq = expected + ((bits & kExpectedSeq) != 0 ? 0 : unzigzag(get_number(p)));
  e.sample_us = (bits & kHasSample) != 0 ? static_cast<std::uint32_t>(get_number(p)) : 0;
  base.time_us = e.time_us;
  last_seq = e.seq;
  last_amount = e.amount;
  return p;
}

template <class F>
void EventLog::drain(EventPool& pool, F f) {
  show(f);
  pool.give(first_, last_);
  first_ = last_ = nullptr;
  size_ = 0;
}

template <class F>
void EventLog::show(F f) const {
  Base base;
  Event event;
  for (const LogBlock* block = first_; block != nullptr; block = block->next) {
    __builtin_prefetch(block->next);  // a chain through memory: fetched while this one is read
    const std::uint8_t* p = block->bytes.data();
    const std::uint8_t* end = p + block->used;
    while (p < end) {
      p = decode(p, base, event);
      f(event);
    }
  }
}

}  // namespace rwin::analysis
