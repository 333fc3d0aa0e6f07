// The one bounds-checked reader of packet bytes. A read either succeeds and advances, or fails and
// changes nothing. Fields are loaded with memcpy, so alignment and the machine's byte order never
// matter.
//
// A record may be stored shorter than it was on the wire (snap length). The reader therefore knows
// two ends: the bytes that were captured, and the length that the packet had. Lengths of payloads
// come from the second.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>

namespace rwin::capture {

// A header of N bytes, taken out of the packet; offsets are checked by the compiler.
template <std::size_t N>
struct Fields {
  std::array<std::uint8_t, N> bytes;

  template <std::size_t At>
  [[nodiscard]] constexpr std::uint8_t u8() const {
    static_assert(At < N);
    return bytes[At];
  }
  template <std::size_t At>
  [[nodiscard]] constexpr std::uint16_t be16() const {
    static_assert(At + 2 <= N);
    return static_cast<std::uint16_t>(bytes[At] << 8 | bytes[At + 1]);
  }
  template <std::size_t At>
  [[nodiscard]] constexpr std::uint32_t be32() const {
    static_assert(At + 4 <= N);
    return std::uint32_t{bytes[At]} << 24 | std::uint32_t{bytes[At + 1]} << 16 |
           std::uint32_t{bytes[At + 2]} << 8 | std::uint32_t{bytes[At + 3]};
  }
  // Four bytes in the order in which they lie.
  template <std::size_t At>
  [[nodiscard]] std::uint32_t raw32() const {
    static_assert(At + 4 <= N);
    std::uint32_t value = 0;
    std::memcpy(&value, bytes.data() + At, sizeof value);
    return value;
  }
  template <std::size_t At>
  [[nodiscard]] constexpr std::uint16_t le16() const {
    static_assert(At + 2 <= N);
    return static_cast<std::uint16_t>(bytes[At] | bytes[At + 1] << 8);
  }
  template <std::size_t At>
  [[nodiscard]] constexpr std::uint32_t le32() const {
    static_assert(At + 4 <= N);
    return std::uint32_t{bytes[At]} | std::uint32_t{bytes[At + 1]} << 8 |
           std::uint32_t{bytes[At + 2]} << 16 | std::uint32_t{bytes[At + 3]} << 24;
  }
  // Copies Count bytes that start at At; `out` has room for them.
  template <std::size_t At, std::size_t Count>
  void copy(std::uint8_t* out) const {
    static_assert(At + Count <= N);
    std::memcpy(out, bytes.data() + At, Count);
  }
};

class SpanReader {
 public:
  // `wire` is the length before any cut; a record that claims less than it holds is believed for
  // what it holds.
  SpanReader(const std::uint8_t* data, std::uint32_t captured, std::uint32_t wire)
      : data_(data), left_(captured), wire_(std::max(captured, wire)) {}

  // Captured bytes, and bytes on the wire, from here on. left() <= wire_left().
  [[nodiscard]] std::size_t left() const { return left_; }
  [[nodiscard]] std::size_t wire_left() const { return wire_; }

  // The next N bytes where they lie, without advancing; nullptr when they were not captured.
  template <std::size_t N>
  [[nodiscard]] const Fields<N>* view() const {
    static_assert(sizeof(Fields<N>) == N && alignof(Fields<N>) == 1);
    return left_ < N ? nullptr : reinterpret_cast<const Fields<N>*>(data_);
  }
  template <std::size_t N>
  [[nodiscard]] bool peek(Fields<N>& out) const {
    if (left_ < N) return false;
    std::memcpy(out.bytes.data(), data_, N);
    return true;
  }
  template <std::size_t N>
  [[nodiscard]] bool read(Fields<N>& out) {
    return peek(out) && skip(N);
  }
  [[nodiscard]] bool read_u8(std::uint8_t& out) {
    Fields<1> byte{};
    if (!read(byte)) return false;
    out = byte.u8<0>();
    return true;
  }
  [[nodiscard]] bool skip(std::size_t count) {
    if (left_ < count) return false;
    advance(static_cast<std::uint32_t>(count), static_cast<std::uint32_t>(count));
    return true;
  }

  // The length of what follows, as a header states it: bytes behind it (padding, trailers) are
  // dropped; a length above the record's own is believed, the bytes that are missing count as not
  // captured.
  void set_length(std::uint32_t length) {
    wire_ = length;
    left_ = std::min(left_, length);
  }

  // A reader for the next `length` bytes on the wire, as far as they were captured; this one
  // continues behind them. `length` above wire_left() is reduced to it.
  [[nodiscard]] SpanReader take(std::size_t length) {
    const auto on_wire = static_cast<std::uint32_t>(std::min<std::size_t>(length, wire_));
    const SpanReader part(data_, std::min(left_, on_wire), on_wire);
    advance(part.left_, on_wire);
    return part;
  }

  // Copies up to `room` captured bytes without advancing; returns how many.
  [[nodiscard]] std::size_t copy(std::uint8_t* out, std::size_t room) const {
    const std::size_t count = std::min<std::size_t>(room, left_);
    if (count > 0) std::memcpy(out, data_, count);
    return count;
  }

 private:
  void advance(std::uint32_t captured, std::uint32_t on_wire) {
    if (captured > 0) data_ += captured;
    left_ -= captured;
    wire_ -= on_wire;
  }

  // 16 bytes: it travels from layer to layer in two registers (24 bytes would go through memory, 5
  // ns a layer).
  const std::uint8_t* data_;
  std::uint32_t left_;
  std::uint32_t wire_;
};

}  // namespace rwin::capture
