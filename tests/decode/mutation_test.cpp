// Random damage to good packets of every link type: no crash, no read too far (the sanitizers
// watch), no claim that contradicts itself.
#include <gtest/gtest.h>

#include <random>
#include <vector>

#include "tests/decode/decode_helpers.h"
#include "tests/support/seed.h"

namespace rwin::test {
namespace {

using analysis::Presence;
using analysis::Segment;
using capture::DecodeStatus;

constexpr std::uint32_t kLinkTypes[] = {0,   1,   9,   11,  12,  50,  51,  101, 104, 105, 108, 109,
                                        113, 127, 149, 166, 192, 204, 219, 228, 229, 239, 258, 276};

struct Good {
  std::uint32_t link_type;
  Bytes bytes;
};

std::vector<Good> good_packets() {
  const Bytes syn = build(Tcp{.flags = 0x02, .options = option::linux_syn(1460, 7), .payload = 20});
  const Bytes v4 = build(Ipv4{}, syn);
  const Bytes v6 =
      build(Ipv6{.next = 0}, cat({hex("2c00 0104 0000 0000 0600 0000 00000005"), syn}));
  const Bytes llc = hex("aaaa03 000000 0800");
  const Bytes wifi =
      cat({hex("8801 0000 020000000001 020000000002 020000000003 0000 0000"), llc, v4});
  const Bytes radio = cat({hex("0000 0900 02000000 10"), wifi, zeros(4)});
  return {
      {101, v4},
      {12, v6},
      {1, ethernet(0x0800, v4)},
      {1, ethernet(0x86dd, v6)},
      {1, cat({ethernet(0x8100, hex("0007 8864 1100 0001 0050 0021")), v4})},
      {1, cat({ethernet(0x8847, hex("00010140")), build(Ipv4{.protocol = 41}, v6)})},
      {0, cat({hex("02000000"), v4})},
      {9, cat({hex("ff03 0021"), v4})},
      {113, cat({zeros(14), be16(0x0800), v4})},
      {276, cat({be16(0x86dd), zeros(18), v6})},
      {239, cat({hex("02000000 0500 0a00 2d 000000 9400 0900"), v4})},
      {258, cat({le32(108), le32(1), le32(127), zeros(96), radio})},
      {105, wifi},
      {127, radio},
      {192, cat({hex("0000 0800 69000000"), wifi})},
      {229, build(Ipv6{.next = 0, .length = 0}, cat({hex("0600 c204"), be32(100000), syn}))},
  };
}

void damage(Bytes& bytes, std::mt19937_64& random) {
  const auto below = [&](std::size_t n) { return static_cast<std::size_t>(random() % n); };
  for (std::size_t count = below(5); count > 0 && !bytes.empty(); --count) {
    std::uint8_t& at = bytes[below(bytes.size())];
    switch (below(4)) {
      case 0:
        at = static_cast<std::uint8_t>(random());
        break;
      case 1:
        at = static_cast<std::uint8_t>(at ^ (1U << below(8)));
        break;
      case 2:
        at = below(2) == 0 ? 0x00 : 0xff;
        break;
      default:
        bytes.insert(bytes.begin() + static_cast<std::ptrdiff_t>(below(bytes.size())),
                     static_cast<std::uint8_t>(random()));
    }
  }
}

void expect_sane(const Segment& s) {
  EXPECT_TRUE(s.source.address.family == 4 || s.source.address.family == 6);
  EXPECT_EQ(s.source.address.family, s.destination.address.family);
  EXPECT_LE(s.sack_count, analysis::kMaxSackBlocks);
  EXPECT_LE(s.option_kind_count, analysis::kMaxOptionKinds);
  EXPECT_LE(s.payload, 1U << 30);
  if (s.options_cut || !s.has(analysis::flag::kSyn)) {
    EXPECT_NE(s.mss.state, Presence::absent);
    EXPECT_NE(s.window_scale.state, Presence::absent);
    EXPECT_NE(s.sack_permitted.state, Presence::absent);
  } else {
    EXPECT_NE(s.mss.state, Presence::unknown);
    EXPECT_NE(s.window_scale.state, Presence::unknown);
    EXPECT_NE(s.sack_permitted.state, Presence::unknown);
    EXPECT_NE(s.timestamps, Presence::unknown);
  }
  if (s.source.address.family == 4) {
    for (std::size_t i = 4; i < 16; ++i) {
      EXPECT_EQ(s.source.address.bytes[i], 0);
    }
  }
}

TEST(MutationTest, DamagedPackets) {
  const std::uint64_t seed = test_seed(20261130);
  SCOPED_TRACE(seed_text(seed));
  std::mt19937_64 random(seed);
  const std::vector<Good> good = good_packets();
  std::uint64_t decoded = 0;
  for (int round = 0; round < 60000 && !testing::Test::HasFailure(); ++round) {
    const Good& from = good[random() % good.size()];
    Bytes bytes = from.bytes;
    damage(bytes, random);
    const std::size_t captured = random() % 4 == 0 ? random() % (bytes.size() + 1) : bytes.size();
    const std::size_t original = random() % 8 == 0 ? random() % 0x100000000 : bytes.size();
    const std::uint32_t link_type =
        random() % 4 != 0 ? from.link_type : kLinkTypes[random() % std::size(kLinkTypes)];
    const Decoded d = decode_cut(link_type, bytes, captured, original);
    if (d.status != DecodeStatus::ok) continue;
    ++decoded;
    expect_sane(d.segment);
  }
  EXPECT_GT(decoded, 10000U);  // else the test tests nothing
}

TEST(MutationTest, RandomBytes) {
  const std::uint64_t seed = test_seed(77);
  SCOPED_TRACE(seed_text(seed));
  std::mt19937_64 random(seed);
  for (int round = 0; round < 60000 && !testing::Test::HasFailure(); ++round) {
    Bytes bytes(random() % 120);
    for (std::uint8_t& b : bytes) b = static_cast<std::uint8_t>(random());
    const std::uint32_t link_type = kLinkTypes[random() % std::size(kLinkTypes)];
    const Decoded d = decode_bytes(link_type, bytes);
    if (d.status == DecodeStatus::ok) expect_sane(d.segment);
  }
}

}  // namespace
}  // namespace rwin::test
