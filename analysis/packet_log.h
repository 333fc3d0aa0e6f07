// The first packets of a connection, as they came: a connection begins as such a log and becomes a
// Connection when it grows longer, or at its end. A packet takes about 8 bytes instead of the
// kilobyte of a Connection, so that captures of very many short connections stay small.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

#include "analysis/log_blocks.h"
#include "analysis/segment.h"

namespace rwin::analysis {

class PacketLog {
 public:
  // `start_ns`: time of the first packet that will be appended.
  explicit PacketLog(std::int64_t start_ns) : start_ns_(start_ns), last_ns_(start_ns) {}

  // False, and nothing is appended: what the log has no room for (a time before the last one's, a
  // tunnel, a very long option list). `wild`: its time is not to be trusted.
  bool append(EventPool& pool, const Segment& segment, bool from_a, bool wild);
  // Shows all packets, f(segment, from_a, wild), oldest first; all but `record` as it was given,
  // `source` and `destination` from a and b.
  template <class F>
  void show(const Endpoint& a, const Endpoint& b, F f) const;
  // Empty afterwards.
  void clear(EventPool& pool);

  [[nodiscard]] std::int64_t start_ns() const { return start_ns_; }
  [[nodiscard]] std::int64_t last_ns() const { return last_ns_; }
  [[nodiscard]] std::uint32_t packets() const { return packets_; }
  // That the packets take, counted one block after the other.
  [[nodiscard]] std::size_t bytes() const;

 private:
  // What the next packet of a side is a difference to.
  struct Base {
    std::uint32_t seq = 0, ack = 0, tsval = 0;  // seq: the next one expected
    std::uint32_t payload = 0;
    std::uint16_t window = 0, ip_id = 0;
    std::uint8_t flags = 0;
    std::uint8_t ttl = 0;
    std::uint8_t traits = 0;
  };
  using Bases = std::array<Base, 2>;
  std::uint8_t* encode(const Segment& segment, std::uint8_t traits, bool from_a, bool wild,
                       std::uint8_t* p) const;
  // `segment`: a fresh one, or what this gave before.
  static const std::uint8_t* decode(const std::uint8_t* p, std::int64_t& last_ns, Bases& bases,
                                    Segment& segment, bool& from_a, bool& wild);

  LogBlock* first_ = nullptr;
  LogBlock* last_ = nullptr;
  std::int64_t start_ns_, last_ns_;
  Bases bases_{};
  std::uint32_t packets_ = 0;
};

template <class F>
void PacketLog::show(const Endpoint& a, const Endpoint& b, F f) const {
  Bases bases{};
  std::int64_t last_ns = start_ns_;
  bool from_a = true;
  bool wild = false;
  Segment segment;
  for (const LogBlock* block = first_; block != nullptr; block = block->next) {
    __builtin_prefetch(block->next);
    const std::uint8_t* p = block->bytes.data();
    const std::uint8_t* end = p + block->used;
    while (p < end) {
      p = decode(p, last_ns, bases, segment, from_a, wild);
      segment.source = from_a ? a : b;
      segment.destination = from_a ? b : a;
      f(segment, from_a, wild);
    }
  }
}

}  // namespace rwin::analysis
