// TCP headers that are spread over IP fragments (tiny fragments: RFC 1858 section 3). Only the
// start of a datagram is kept, and only where a first fragment did not hold the whole header.
#pragma once

#include <array>
#include <cstdint>
#include <optional>

#include "analysis/segment.h"
#include "capture/decode/span_reader.h"

namespace rwin::capture {

// One fragment's place in its datagram.
struct FragmentPlace {
  std::uint32_t id = 0;      // identification field
  std::uint32_t offset = 0;  // bytes
  bool more = false;         // others follow
  bool is_fragment = false;
};

// Bounded: 64 datagrams; the oldest gives way.
class Fragments {
 public:
  // Fragments from here on cannot hold a part of a TCP header (60 bytes at most).
  static constexpr std::uint32_t kHeaderRoom = 64;

  // Adds what `piece` holds of the header. The start of the datagram, once and as soon as it holds
  // the whole TCP header; bytes of fragments still to come are missing from its length. Valid until
  // the next call.
  // Pieces more than 30 s apart are of different datagrams (RFC 791 3.2), and so is a start after
  // the header was given.
  [[nodiscard]] std::optional<SpanReader> add(std::int64_t time_ns, const analysis::Address& source,
                                              const analysis::Address& destination,
                                              const FragmentPlace& place, SpanReader piece);

 private:
  struct Datagram {
    analysis::Address source, destination;
    std::int64_t time_ns = 0;  // of the first piece
    std::uint32_t id = 0;
    std::uint32_t length = 0;  // furthest byte seen on the wire
    std::uint8_t present = 0;  // a bit for each 8 bytes of `start`
    bool used = false, given = false;
    std::array<std::uint8_t, kHeaderRoom> start{};
  };
  Datagram& datagram(std::int64_t time_ns, const analysis::Address& source,
                     const analysis::Address& destination, const FragmentPlace& place);

  std::array<Datagram, 64> datagrams_{};
  std::size_t next_ = 0;
};

}  // namespace rwin::capture
