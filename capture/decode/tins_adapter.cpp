#include "capture/decode/tins_adapter.h"

#ifdef RWIN_WITH_TINS

#include <tins/dot11/dot11_base.h>
#include <tins/dot11/dot11_data.h>

#include <array>
#include <cstddef>
#include <exception>
#include <memory>
#include <optional>

namespace rwin::capture {
namespace {

constexpr std::uint32_t kDot11 = 105;
constexpr std::uint32_t kRadiotap = 127;

// What libtins gets to see: a copy of the record's start, filled up with zeros, so that a cut
// record does not make its constructors throw. The cut is found afterwards by our own reader.
constexpr std::size_t kSeen = 512;
constexpr std::size_t kMostHeader = 64;  // of 802.11 alone
using Start = std::array<std::uint8_t, kSeen>;

// Frame control, first byte: type and subtype.
constexpr std::uint8_t kTypeBits = 0x0c;
constexpr std::uint8_t kData = 0x08;
constexpr std::uint8_t kNoData = 0x40;  // null functions
constexpr std::uint8_t kQos = 0x80;
// Frame control, second byte.
constexpr std::uint8_t kProtected = 0x40;
constexpr std::uint8_t kOrder = 0x80;  // on QoS data: an HT control field follows
// QoS control, first byte: the body is a row of subframes (A-MSDU).
constexpr std::uint8_t kAggregate = 0x80;

constexpr std::size_t kHtControl = 4;
constexpr std::size_t kSubframeHeader = 14;

// What radiotap's flags field says (radiotap.org, "Flags"); 0 where there is none. Read here: the
// reader of libtins 4.0 follows chained presence words beyond the header.
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

// Bytes of the 802.11 header at `at` up to the LLC header behind it; none where libtins finds it
// malformed. libtins knows neither HT control nor A-MSDU nor radiotap's padding: they are added
// here (IEEE 802.11-2020 9.2.4, 9.3.2.2). Of an A-MSDU the first subframe is read.
std::optional<std::size_t> measure(const Start& start, std::size_t at, bool padded) {
  try {
    const std::unique_ptr<Tins::PDU> frame(
        Tins::Dot11::from_bytes(start.data() + at, static_cast<std::uint32_t>(start.size() - at)));
    const Tins::PDU* header = frame ? frame->find_pdu<Tins::Dot11Data>() : nullptr;
    if (header == nullptr) return std::nullopt;
    std::size_t length = header->header_size();
    const bool qos = (start.at(at) & kQos) != 0;
    const bool aggregate = qos && (start.at(at + length - 2) & kAggregate) != 0;
    if (qos && (start.at(at + 1) & kOrder) != 0) length += kHtControl;
    if (padded) length = (length + 3) / 4 * 4;
    return aggregate ? length + kSubframeHeader : length;
  } catch (const std::exception&) {
    return std::nullopt;
  }
}

}  // namespace

DecodeStatus decode_with_tins(Context& context, std::uint32_t link_type, SpanReader reader) {
  if (link_type != kDot11 && link_type != kRadiotap) return DecodeStatus::unsupported_link;
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
  // libtins leaves the body of a protected frame alone: then nothing behind the headers can make it
  // throw.
  start[at + 1] |= kProtected;
  const std::uint8_t flags = link_type == kRadiotap ? radiotap_flags(start, at) : std::uint8_t{0};
  if ((flags & kDamaged) != 0) return DecodeStatus::malformed_link;
  const std::optional<std::size_t> length = measure(start, at, (flags & kPadding) != 0);
  if (!length) return DecodeStatus::malformed_link;
  if (!reader.skip(at + *length)) return short_link(reader, at + *length);
  return decode_llc(context, reader);
}

std::string_view missing_library(std::uint32_t) { return {}; }

}  // namespace rwin::capture

#else

namespace rwin::capture {

DecodeStatus decode_with_tins(Context&, std::uint32_t, SpanReader) {
  return DecodeStatus::unsupported_link;
}

// 802.11, radiotap, and PPI, which may hold the first of them.
std::string_view missing_library(std::uint32_t link_type) {
  return link_type == 105 || link_type == 127 || link_type == 192 ? "libtins" : "";
}

}  // namespace rwin::capture

#endif
