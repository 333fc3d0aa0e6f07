#include "capture/decode/tins_adapter.h"

#ifdef RWIN_WITH_TINS

#include <tins/dot11/dot11_base.h>
#include <tins/dot11/dot11_data.h>
#include <tins/exceptions.h>
#include <tins/ppi.h>
#include <tins/radiotap.h>

#include <array>
#include <cstddef>
#include <exception>
#include <memory>
#include <optional>

namespace rwin::capture {
namespace {

constexpr std::uint32_t kNull = 0;
constexpr std::uint32_t kEthernet = 1;
constexpr std::uint32_t kDot11 = 105;
constexpr std::uint32_t kCooked = 113;
constexpr std::uint32_t kRadiotap = 127;
constexpr std::uint32_t kPpi = 192;

// What libtins gets to see: the start of the record, filled up with zeros. A cut record would make
// its constructors throw; with the filling they measure the headers, and our reader finds the cut.
constexpr std::size_t kSeen = 512;
using Start = std::array<std::uint8_t, kSeen>;

struct Found {
  std::size_t offset = 0;                  // of what follows the link headers
  std::optional<std::uint32_t> link_type;  // what follows is a frame of this type; none: it is LLC
  DecodeStatus status = DecodeStatus::ok;
};

Found refused(DecodeStatus status) {
  Found found;
  found.status = status;
  return found;
}

Found frame(std::size_t offset, std::uint32_t link_type) {
  Found found;
  found.offset = offset;
  found.link_type = link_type;
  return found;
}

std::unique_ptr<Tins::PDU> parse(std::uint32_t link_type, const Start& start) {
  const auto size = static_cast<std::uint32_t>(start.size());
  switch (link_type) {
    case kDot11:
      return std::unique_ptr<Tins::PDU>(Tins::Dot11::from_bytes(start.data(), size));
    case kRadiotap:
      return std::make_unique<Tins::RadioTap>(start.data(), size);
    default:
      return std::make_unique<Tins::PPI>(start.data(), size);
  }
}

// Frame control, second byte: protected, and "+HTC/order".
constexpr std::uint8_t kProtected = 0x40;
constexpr std::uint8_t kOrder = 0x80;
// QoS control, first byte: the body is a row of subframes.
constexpr std::uint8_t kAggregate = 0x80;

// libtins knows neither the HT control field nor A-MSDU subframes nor radiotap's padding before the
// body: their lengths are added here (IEEE 802.11-2020 9.2.4.6, 9.3.2.2). Of an A-MSDU the first
// subframe is read.
Found after_data_header(const Tins::PDU& pdu, const Start& start, std::size_t offset, bool padded) {
  constexpr std::uint8_t kNoData = 0x40;  // subtype bit: null function
  Found found;
  const std::uint8_t first = start.at(offset);
  const std::uint8_t second = start.at(offset + 1);
  if ((first & kNoData) != 0) return refused(DecodeStatus::not_ip);
  if ((second & kProtected) != 0) return refused(DecodeStatus::encrypted);
  std::size_t length = pdu.header_size();
  bool aggregate = false;
  if (pdu.pdu_type() == Tins::PDU::DOT11_QOS_DATA) {
    aggregate = (start.at(offset + length - 2) & kAggregate) != 0;
    if ((second & kOrder) != 0) length += 4;
  }
  if (padded) length = (length + 3) / 4 * 4;
  if (aggregate) length += 14;
  found.offset = offset + length;
  return found;
}

Found find_payload(const Tins::PDU* pdu, const Start& start) {
  std::size_t offset = 0;
  bool padded = false;
  for (; pdu != nullptr && offset + 64 < start.size(); pdu = pdu->inner_pdu()) {
    switch (pdu->pdu_type()) {
      case Tins::PDU::RADIOTAP: {
        const auto& radiotap = static_cast<const Tins::RadioTap&>(*pdu);
        padded = (radiotap.present() & Tins::RadioTap::FLAGS) != 0 &&
                 (radiotap.flags() & Tins::RadioTap::PADDING) != 0;
        break;
      }
      case Tins::PDU::PPI:
        break;
      case Tins::PDU::DOT11_DATA:
      case Tins::PDU::DOT11_QOS_DATA:
        return after_data_header(*pdu, start, offset, padded);
      case Tins::PDU::ETHERNET_II:
      case Tins::PDU::DOT3:
        return frame(offset, kEthernet);
      case Tins::PDU::SLL:
        return frame(offset, kCooked);
      case Tins::PDU::LOOPBACK:
        return frame(offset, kNull);
      default:
        return refused(DecodeStatus::not_ip);
    }
    offset += pdu->header_size();
  }
  return refused(DecodeStatus::not_ip);
}

Found measure(std::uint32_t link_type, const Start& start) {
  try {
    const std::unique_ptr<Tins::PDU> pdu = parse(link_type, start);
    return find_payload(pdu.get(), start);
  } catch (const std::exception&) {
    // malformed_packet, option_not_found, ...: libtins has no reason finer than its type.
    return refused(DecodeStatus::malformed_link);
  }
}

}  // namespace

DecodeStatus decode_with_tins(Context& context, std::uint32_t link_type, SpanReader reader) {
  if (link_type != kDot11 && link_type != kRadiotap && link_type != kPpi) {
    return DecodeStatus::unsupported_link;
  }
  if (!context.enter()) return DecodeStatus::malformed_link;
  Start start{};
  const std::size_t captured = reader.copy(start.data(), start.size());
  if (captured < 2) return short_link(reader, 2);
  const Found found = measure(link_type, start);
  if (found.status != DecodeStatus::ok) return found.status;
  if (!reader.skip(found.offset)) return short_link(reader, found.offset);
  return found.link_type ? decode_link(context, *found.link_type, reader)
                         : decode_llc(context, reader);
}

}  // namespace rwin::capture

#else

namespace rwin::capture {

DecodeStatus decode_with_tins(Context&, std::uint32_t, SpanReader) {
  return DecodeStatus::unsupported_link;
}

}  // namespace rwin::capture

#endif
