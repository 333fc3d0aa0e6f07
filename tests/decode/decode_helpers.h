// Runs the decoder on bytes that end exactly where their heap block ends, so that AddressSanitizer
// sees a read too far.
#pragma once

#include <cstring>
#include <memory>
#include <ostream>

#include "capture/decode/decode.h"
#include "tests/support/packet_builder.h"

namespace rwin::test {

inline constexpr std::uint32_t kEthernet = 1, kRaw = 101;

struct Decoded {
  capture::DecodeStatus status;
  analysis::Segment segment;
};

// The first `captured` bytes of `bytes`, a record of `original` bytes on the wire.
inline Decoded decode_cut(std::uint32_t link_type, const Bytes& bytes, std::size_t captured,
                          std::size_t original) {
  const auto block = std::make_unique<std::uint8_t[]>(captured);
  if (captured > 0) std::memcpy(block.get(), bytes.data(), captured);
  const capture::RawPacket packet{.time_ns = 1234567890,
                                  .record = 7,
                                  .link_type = link_type,
                                  .captured = static_cast<std::uint32_t>(captured),
                                  .original = static_cast<std::uint32_t>(original),
                                  .data = block.get()};
  Decoded result;
  result.status = capture::decode(packet, result.segment);
  return result;
}

inline Decoded decode_bytes(std::uint32_t link_type, const Bytes& bytes) {
  return decode_cut(link_type, bytes, bytes.size(), bytes.size());
}

}  // namespace rwin::test

namespace rwin::capture {
// For readable failures.
inline void PrintTo(DecodeStatus status, std::ostream* out) { *out << word(status); }
}  // namespace rwin::capture
