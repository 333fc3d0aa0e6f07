// A packet as the simulated hosts see it. Sequence numbers are relative: the SYN is 0, the first
// byte 1.
#pragma once

#include <array>
#include <cstdint>
#include <optional>

namespace rwin::sim {

struct Range {
  std::int64_t left = 0, right = 0;
};

struct Packet {
  bool from_sender = false;
  bool syn = false, fin = false, push = false, has_ack = true;
  bool sure = false;  // neither lost nor delayed: what is not the subject of a run
  std::int64_t seq = 0, length = 0, ack = 0;
  std::uint16_t window = 0;
  std::optional<std::uint8_t> scale;  // of a SYN
  std::uint32_t tsval = 0, tsecr = 0;
  std::uint16_t ip_id = 0;
  std::uint8_t sack_count = 0;
  std::array<Range, 3> sack{};
  [[nodiscard]] std::int64_t wire_bytes() const { return length + 66; }
};

}  // namespace rwin::sim
