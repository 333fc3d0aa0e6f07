// Option lists in an IPv4 packet, captured whole and cut: what a cut list tells, the whole one
// tells too. Form of the input: TCP flags, bytes of the list that were captured,
// then the list.
#include <algorithm>
#include <array>
#include <cstring>
#include <memory>

#include "capture/decode/decode.h"
#include "fuzz/segment_claims.h"
#include "fuzz/targets.h"

namespace rwin::fuzz {
namespace {

constexpr std::size_t kHeaders = 40, kLongestList = 40;

struct Packet {
  std::array<std::uint8_t, kHeaders + kLongestList> bytes{};
  std::size_t size = kHeaders;
};

Packet with_options(std::uint8_t flags, Input list) {
  Packet p;
  const std::size_t padded = (list.size() + 3) / 4 * 4;
  p.size = kHeaders + padded;
  p.bytes[0] = 0x45;
  p.bytes[3] = static_cast<std::uint8_t>(p.size);
  p.bytes[8] = 64;
  p.bytes[9] = 6;
  p.bytes[12] = p.bytes[16] = 10;
  p.bytes[32] = static_cast<std::uint8_t>((5 + padded / 4) << 4U);
  p.bytes[33] = flags;
  std::copy(list.begin(), list.end(), p.bytes.begin() + kHeaders);
  return p;
}

capture::DecodeStatus decoded(const Packet& packet, std::size_t captured,
                              analysis::Segment& segment) {
  const auto block = std::make_unique<std::uint8_t[]>(captured);
  std::memcpy(block.get(), packet.bytes.data(), captured);
  return capture::decode({.time_ns = 1,
                          .record = 1,
                          .link_type = 101,
                          .captured = static_cast<std::uint32_t>(captured),
                          .original = static_cast<std::uint32_t>(packet.size),
                          .data = block.get()},
                         segment);
}

}  // namespace

void tcp_options(Input input) {
  Reader reader(input);
  const std::uint8_t flags = reader.u8();
  const std::uint8_t kept = reader.u8();
  const Packet packet = with_options(flags, reader.take(kLongestList));
  analysis::Segment whole, cut;
  require(decoded(packet, packet.size, whole) == capture::DecodeStatus::ok,
          "a whole header is decoded");
  require_sane(whole);
  const std::size_t captured = kHeaders + kept % (packet.size - kHeaders + 1);
  require(decoded(packet, captured, cut) == capture::DecodeStatus::ok,
          "twenty bytes of TCP are enough");
  require_sane(cut);
  require(cut.seq == whole.seq && cut.window == whole.window && cut.flags == whole.flags,
          "the fixed header does not depend on the options");
  require(cut.payload == whole.payload, "lengths come from the wire");
  using analysis::Presence;
  require(cut.timestamps != Presence::known || whole.timestamps == Presence::known,
          "a cut list tells no more than the whole one");
  require(!cut.mss.known() || whole.mss.known(), "so for the MSS");
  require(!cut.window_scale.known() || whole.window_scale.known(), "and for the scale");
  require(cut.sack_count <= whole.sack_count, "and for SACK");
}

}  // namespace rwin::fuzz
