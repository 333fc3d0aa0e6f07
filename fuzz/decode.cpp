// Records of any link type, one after the other, fragments joined.
// Form of the input: a byte (1: join fragments), then per record a link type (index), its length
// (16 bit), how much longer it was on the wire (16 byte units), and the bytes.
#include <cstring>
#include <memory>

#include "capture/decode/decode.h"
#include "capture/decode/fragments.h"
#include "fuzz/link_types.h"
#include "fuzz/segment_claims.h"
#include "fuzz/targets.h"

namespace rwin::fuzz {
namespace {

// Common packets are decoded in one go, but only behind Ethernet: without it the same IPv4 packet
// goes layer by layer.
void require_same_without_ethernet(capture::RawPacket packet, const analysis::Segment& segment) {
  constexpr std::uint32_t kEthernet = 1, kIpv4 = 228, kHeader = 14;
  const bool plain = packet.link_type == kEthernet && packet.captured >= kHeader &&
                     packet.data[12] == 0x08 && packet.data[13] == 0x00;
  if (!plain) return;
  packet.link_type = kIpv4;
  packet.data += kHeader;
  packet.captured -= kHeader;
  packet.original -= kHeader;
  analysis::Segment by_layers;
  require(capture::decode(packet, by_layers) == capture::DecodeStatus::ok, "the same status");
  require(by_layers == segment, "the same segment");
}

}  // namespace

void decode(Input input) {
  Reader reader(input);
  std::unique_ptr<capture::Fragments> fragments;  // kilobytes: only where wanted
  if (reader.u8() == 1) fragments = std::make_unique<capture::Fragments>();
  capture::DecodeCounters counters;
  for (std::uint64_t record = 1; !reader.empty(); ++record) {
    const std::uint32_t link_type = kLinkTypes[reader.u8() % kLinkTypes.size()];
    const std::uint16_t length = reader.u16();
    const std::uint32_t beyond = reader.u8() * 16U;
    const Input bytes = reader.take(length);
    // A block of exactly that size: AddressSanitizer sees a read too far.
    const auto block = std::make_unique<std::uint8_t[]>(bytes.size());
    if (!bytes.empty()) std::memcpy(block.get(), bytes.data(), bytes.size());
    const auto captured = static_cast<std::uint32_t>(bytes.size());
    const capture::RawPacket packet{.time_ns = static_cast<std::int64_t>(record) * 1'000'000,
                                    .record = record,
                                    .link_type = link_type,
                                    .captured = captured,
                                    .original = captured + beyond,
                                    .data = block.get()};
    analysis::Segment segment;
    const capture::DecodeStatus status = capture::decode(packet, segment, fragments.get());
    counters.add(packet, status);
    require(!capture::word(status).empty(), "every status has a word");
    if (status != capture::DecodeStatus::ok) continue;
    require_sane(segment);
    if (fragments == nullptr) require_same_without_ethernet(packet, segment);
  }
}

}  // namespace rwin::fuzz
