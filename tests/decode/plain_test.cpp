// The commonest packet is decoded in one go (capture/decode/plain.cpp): as it would be layer by
// layer, which is how the same IP packet without its Ethernet header goes.
#include <gtest/gtest.h>

#include <random>

#include "tests/decode/decode_helpers.h"
#include "tests/support/seed.h"

namespace rwin::test {
namespace {

using analysis::Segment;
using capture::DecodeStatus;

constexpr std::size_t kHeader = 14;  // of Ethernet

// A packet of the kind, or nearly.
Bytes nearly_plain(std::mt19937_64& random) {
  const auto one_of = [&](std::initializer_list<int> values) {
    return *(values.begin() + random() % values.size());
  };
  Tcp tcp{.flags = static_cast<std::uint8_t>(one_of({0x10, 0x18, 0x11, 0x14, 0x02, 0x12, 0xff})),
          .payload = random() % 40};
  switch (random() % 4) {
    case 0:
      break;
    case 1:
      tcp.options = hex("0101080a 01020304 05060708");
      break;
    case 2:
      tcp.options = hex("01010508 00000001 00000002");
      break;
    default:
      tcp.options = option::linux_syn(1460, 7);
  }
  Ipv4 ip;
  ip.fragment = static_cast<std::uint16_t>(one_of({0x4000, 0x4000, 0, 0x8000, 0x2000, 0x0001}));
  if (random() % 8 == 0) ip.options = hex("01010101");
  if (random() % 4 == 0) ip.total = static_cast<std::uint16_t>(random() % 120);
  Bytes bytes = ethernet(0x0800, build(ip, build(tcp)));
  if (random() % 4 == 0) bytes[kHeader + random() % (bytes.size() - kHeader)] ^= 1U << random() % 8;
  return bytes;
}

// Everything but what means nothing.
void expect_same(Segment a, Segment b) {
  for (Segment* s : {&a, &b}) {
    for (std::size_t i = s->sack_count; i < s->sack.size(); ++i) s->sack[i] = {};
    if (s->option_kind_count == 0) s->option_kinds = {};
    if (s->tunnel == analysis::Tunnel::none) s->outer_source = s->outer_destination = {};
  }
  EXPECT_EQ(a, b);
}

TEST(PlainDecodeTest, GivesWhatTheLayersGive) {
  const std::uint64_t seed = test_seed(20261201);
  SCOPED_TRACE(seed_text(seed));
  std::mt19937_64 random(seed);
  Decoded used;  // again and again: nothing of one packet may be left in the next
  int good = 0;
  for (int round = 0; round < 50000 && !testing::Test::HasFailure(); ++round) {
    const Bytes bytes = nearly_plain(random);
    const std::size_t captured =
        random() % 4 == 0 ? kHeader + random() % (bytes.size() + 1 - kHeader) : bytes.size();
    const std::size_t original = random() % 8 == 0 ? kHeader + random() % 3000 : bytes.size();
    const capture::RawPacket packet{.time_ns = round,
                                    .record = static_cast<std::uint64_t>(round) + 1,
                                    .link_type = kEthernet,
                                    .captured = static_cast<std::uint32_t>(captured),
                                    .original = static_cast<std::uint32_t>(original),
                                    .data = bytes.data()};
    used.status = capture::decode(packet, used.segment);
    capture::RawPacket inner = packet;
    inner.link_type = 228;
    inner.captured -= kHeader;
    inner.original -= kHeader;
    inner.data += kHeader;
    Segment by_layers;
    ASSERT_EQ(capture::decode(inner, by_layers), used.status);
    if (used.status != DecodeStatus::ok) continue;
    ++good;
    expect_same(used.segment, by_layers);
  }
  EXPECT_GT(good, 20000);  // else the test tests nothing
}

}  // namespace
}  // namespace rwin::test
