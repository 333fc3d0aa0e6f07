#include "capture/decode/dot11.h"

#include <array>
#include <cstddef>

namespace rwin::capture {
namespace {

constexpr std::uint32_t kRadiotap = 127;

// A copy of the record's start, filled up with zeros: a header that is cut has a length all the
// same. The cut is found afterwards by the reader.
constexpr std::size_t kSeen = 512;
constexpr std::size_t kMostHeader = 64;  // of 802.11 alone
using Start = std::array<std::uint8_t, kSeen>;

// Frame control, first byte: type and subtype.
constexpr std::uint8_t kTypeBits = 0x0c;
constexpr std::uint8_t kData = 0x08;
constexpr std::uint8_t kNoData = 0x40;  // null functions
constexpr std::uint8_t kQos = 0x80;
// Frame control, second byte.
constexpr std::uint8_t kRelayed = 0x03;  // to and from the distribution system: four addresses
constexpr std::uint8_t kProtected = 0x40;
constexpr std::uint8_t kOrder = 0x80;  // on QoS data: an HT control field follows
// QoS control, first byte: the body is a row of subframes (A-MSDU).
constexpr std::uint8_t kAggregate = 0x80;

constexpr std::size_t kThreeAddresses = 24;  // with frame control, duration, sequence control
constexpr std::size_t kFourthAddress = 6;
constexpr std::size_t kQosControl = 2;
constexpr std::size_t kHtControl = 4;
constexpr std::size_t kSubframeHeader = 14;

// What radiotap's flags field says (radiotap.org, "Flags"); 0 where there is none. Chained presence
// words are followed no further than the header.
std::uint8_t radiotap_flags(const Start& start, std::size_t header) {
  constexpr std::uint32_t kTimer = 1, kFlags = 2, kMoreWords = 0x80000000;
  const auto word = [&](std::size_t at) {
    return std::uint32_t{start[at]} | std::uint32_t{start[at + 1]} << 8 |
           std::uint32_t{start[at + 2]} << 16 | std::uint32_t{start[at + 3]} << 24;
  };
  const std::uint32_t present = word(4);
  std::size_t at = 8;
  for (std::uint32_t w = present; (w & kMoreWords) != 0 && at + 4 <= header; at += 4) w = word(at);
  if ((present & kFlags) == 0) return 0;
  if ((present & kTimer) != 0) at = (at + 7) / 8 * 8 + 8;
  return at < header ? start[at] : std::uint8_t{0};
}
constexpr std::uint8_t kPadding = 0x20, kDamaged = 0x40;

// Bytes of the header of the data frame at `at`, up to the LLC header behind it (IEEE 802.11-2020
// 9.2.4, 9.3.2; at most kMostHeader). Of an A-MSDU the first subframe is read.
std::size_t header_length(const Start& start, std::size_t at, bool padded) {
  const bool qos = (start[at] & kQos) != 0;
  std::size_t length = kThreeAddresses;
  if ((start[at + 1] & kRelayed) == kRelayed) length += kFourthAddress;
  const bool aggregate = qos && (start[at + length] & kAggregate) != 0;
  if (qos) length += kQosControl;
  if (qos && (start[at + 1] & kOrder) != 0) length += kHtControl;
  if (padded) length = (length + 3) / 4 * 4;
  return aggregate ? length + kSubframeHeader : length;
}

}  // namespace

DecodeStatus decode_dot11(Context& context, std::uint32_t link_type, SpanReader reader) {
  if (!context.enter()) return DecodeStatus::malformed_link;
  std::size_t at = 0;  // of the 802.11 header
  if (link_type == kRadiotap) {
    Fields<8> radiotap{};  // version, padding, length (little-endian), what is present
    if (!reader.peek(radiotap)) return short_link(reader, 8);
    at = radiotap.le16<2>();
    if (at < 8 || at + kMostHeader > kSeen) return DecodeStatus::malformed_link;
  }
  Start start{};
  if (reader.copy(start.data(), start.size()) < at + 2) return short_link(reader, at + 2);
  if ((start[at] & kTypeBits) != kData || (start[at] & kNoData) != 0) return DecodeStatus::not_ip;
  if ((start[at + 1] & kProtected) != 0) return DecodeStatus::encrypted;
  const std::uint8_t flags = link_type == kRadiotap ? radiotap_flags(start, at) : std::uint8_t{0};
  if ((flags & kDamaged) != 0) return DecodeStatus::malformed_link;
  const std::size_t length = header_length(start, at, (flags & kPadding) != 0);
  if (!reader.skip(at + length)) return short_link(reader, at + length);
  return decode_llc(context, reader);
}

}  // namespace rwin::capture
