#include "capture/decode/fragments.h"

#include <algorithm>

namespace rwin::capture {

Fragments::Datagram& Fragments::datagram(std::int64_t time_ns, const analysis::Address& source,
                                         const analysis::Address& destination,
                                         const FragmentPlace& place) {
  constexpr std::int64_t kLongest = 30'000'000'000;
  Datagram* slot = nullptr;
  for (Datagram& d : datagrams_) {
    if (d.used && d.id == place.id && d.source == source && d.destination == destination) slot = &d;
  }
  const bool same = slot != nullptr && !(slot->given && place.offset == 0) &&
                    time_ns - slot->time_ns <= kLongest && slot->time_ns - time_ns <= kLongest;
  if (same) return *slot;
  if (slot == nullptr) {
    slot = &datagrams_[next_];
    next_ = (next_ + 1) % datagrams_.size();
  }
  *slot = {.source = source,
           .destination = destination,
           .time_ns = time_ns,
           .id = place.id,
           .used = true};
  return *slot;
}

std::optional<SpanReader> Fragments::add(std::int64_t time_ns, const analysis::Address& source,
                                         const analysis::Address& destination,
                                         const FragmentPlace& place, SpanReader piece) {
  constexpr std::uint32_t kUnit = 8;
  constexpr std::size_t kDataOffset = 12;
  if (place.offset >= kHeaderRoom) return std::nullopt;
  Datagram& d = datagram(time_ns, source, destination, place);
  const auto on_wire = static_cast<std::uint32_t>(piece.wire_left());
  d.length = std::max(d.length, place.offset + on_wire);
  std::array<std::uint8_t, kHeaderRoom> bytes{};
  const auto count =
      static_cast<std::uint32_t>(piece.copy(bytes.data(), kHeaderRoom - place.offset));
  // Whole units, the datagram's last one excepted; what came first stays (RFC 5722: overlaps are
  // an attack).
  for (std::uint32_t at = 0; at < count; at += kUnit) {
    const std::uint32_t size = std::min(kUnit, count - at);
    const std::uint32_t unit = (place.offset + at) / kUnit;
    const bool last = !place.more && at + size == on_wire;
    if ((size < kUnit && !last) || ((d.present >> unit) & 1U) != 0) continue;
    std::copy_n(bytes.data() + at, size, d.start.data() + place.offset + at);
    d.present = static_cast<std::uint8_t>(d.present | 1U << unit);
  }
  if (d.given || (d.present & 3U) != 3U) return std::nullopt;
  const std::uint32_t header = (d.start[kDataOffset] >> 4U) * 4U;
  const std::uint32_t units = (std::max(header, 20U) + kUnit - 1) / kUnit;
  const std::uint32_t needed = (1U << units) - 1U;
  if ((d.present & needed) != needed) return std::nullopt;
  d.given = true;
  return SpanReader(d.start.data(), std::min(d.length, units * kUnit), d.length);
}

}  // namespace rwin::capture
