// The compact record of one data direction: what the sender sent and what the receiver answered, in capture order.
// Half-flows append to it packet by packet; the direction analysis reads it in one go. Blocks come from a pool, so
// a packet costs no allocation once the pool is warm, and a finished connection gives its blocks back.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <vector>

namespace rwin::analysis {

// One event, expanded. Sequence numbers are 64-bit and unwrapped; time is microseconds from the connection's start.
struct Event {
  std::int64_t time_us = 0;
  std::int64_t seq = 0;         // data: end of the payload; ack: the acknowledgement number
  std::uint32_t sample_us = 0;  // delay that a timestamp echo closed here, 0: none
  std::uint32_t amount = 0;     // data: payload bytes; ack: the raw window field
  std::uint16_t flags = 0;
};

namespace event {
inline constexpr std::uint16_t kAck = 1;          // else data
// Data.
inline constexpr std::uint16_t kRetransmission = 2;
inline constexpr std::uint16_t kReordered = 4;
inline constexpr std::uint16_t kProbe = 8;        // window probe or keep-alive: neither data nor retransmission
inline constexpr std::uint16_t kPush = 16;
inline constexpr std::uint16_t kTimeout = 32;
inline constexpr std::uint16_t kSpurious = 64;
// Ack.
inline constexpr std::uint16_t kUnscaled = 2;     // the window of a SYN or SYN-ACK (RFC 7323 2.2)
inline constexpr std::uint16_t kDuplicate = 4;
inline constexpr std::uint16_t kSack = 8;
inline constexpr std::uint16_t kReset = 16;       // RST beside it: its window is no finding
inline constexpr std::uint16_t kCarriesData = 32; // rode on data of the other direction
}  // namespace event

class EventPool;

class EventLog {
 public:
  EventLog() = default;
  EventLog(const EventLog&) = delete;
  EventLog& operator=(const EventLog&) = delete;

  void append(EventPool& pool, const Event& event);
  // Appends all events, oldest first, to `out` and gives the blocks back.
  void drain(EventPool& pool, std::vector<Event>& out);
  [[nodiscard]] std::uint32_t size() const { return size_; }

 private:
  friend class EventPool;
  struct Packed {
    std::uint32_t time_us;    // from the block's base
    std::uint32_t seq;        // low 32 bits, near the block's base
    std::uint32_t sample_us;
    std::uint32_t amount_flags;  // 22 bits amount, 10 bits flags
  };
  static constexpr std::uint32_t kPerBlock = 15;
  struct Block {
    Block* next = nullptr;
    std::int64_t base_us = 0;
    std::int64_t base_seq = 0;
    std::uint32_t count = 0;
    std::array<Packed, kPerBlock> events;
  };

  Block* first_ = nullptr;
  Block* last_ = nullptr;
  std::uint32_t size_ = 0;
};

// Hands out blocks from slabs; freed blocks are reused.
class EventPool {
 public:
  EventLog::Block* take();
  void give(EventLog::Block* block);

 private:
  static constexpr std::size_t kSlab = 256;
  std::vector<std::unique_ptr<EventLog::Block[]>> slabs_;
  std::size_t used_in_slab_ = kSlab;
  EventLog::Block* free_ = nullptr;
};

}  // namespace rwin::analysis
