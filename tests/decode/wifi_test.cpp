// 802.11, bare and behind radiotap. The headers that libtins knows: tins_test.cpp.
#include <gtest/gtest.h>

#include <string>

#include "tests/decode/decode_helpers.h"

namespace rwin::test {
namespace {

using capture::DecodeStatus;

constexpr std::uint32_t kDot11 = 105;
constexpr std::uint32_t kRadiotap = 127;
constexpr std::uint32_t kPpi = 192;

// What follows the two bytes of frame control: duration, three addresses, sequence control.
const char kRest[] = "0000 020000000001 020000000002 020000000003 0000";
const char kLlc[] = "aaaa03 000000 0800";

Bytes packet() { return build(Ipv4{}, build(Tcp{.payload = 70})); }

void expect_found(std::uint32_t link_type, const Bytes& bytes) {
  const Decoded d = decode_bytes(link_type, bytes);
  ASSERT_EQ(d.status, DecodeStatus::ok);
  EXPECT_EQ(d.segment.seq, Tcp{}.seq);
  EXPECT_EQ(d.segment.payload, 70U);
}

TEST(WifiTest, DataFrames) {
  const Bytes body = cat({hex(kLlc), packet()});
  expect_found(kDot11, cat({hex("0801"), hex(kRest), body}));
  expect_found(kDot11, cat({hex("0802"), hex(kRest), body}));
  expect_found(kDot11, cat({hex("8801"), hex(kRest), hex("0000"), body}));
  // Between two access points: a fourth address.
  expect_found(kDot11, cat({hex("0803"), hex(kRest), hex("020000000004"), body}));
  expect_found(kDot11, cat({hex("8803"), hex(kRest), hex("020000000004 0000"), body}));
}

TEST(WifiTest, HtControlAndAggregates) {
  const Bytes body = cat({hex(kLlc), packet()});
  expect_found(kDot11, cat({hex("8881"), hex(kRest), hex("0000 11223344"), body}));
  const Bytes subframe = cat({hex("020000000001 020000000002"), be16(118), body});
  expect_found(kDot11, cat({hex("8801"), hex(kRest), hex("8000"), subframe}));
  expect_found(kDot11, cat({hex("8881"), hex(kRest), hex("8000 11223344"), subframe}));
}

TEST(WifiTest, Radiotap) {
  const Bytes frame = cat({hex("8801"), hex(kRest), hex("0000"), hex(kLlc), packet()});
  expect_found(kRadiotap, cat({hex("0000 0800 00000000"), frame}));
  expect_found(kRadiotap,
               cat({hex("0000 0900 02000000 10"), frame, zeros(4)}));  // checksum at the end
  const Bytes padded = cat({hex("8801"), hex(kRest), hex("0000 0000"), hex(kLlc), packet()});
  expect_found(kRadiotap, cat({hex("0000 0900 02000000 20"), padded}));
  // Two presence words (the second repeats nothing) and a timer before the flags.
  expect_found(kRadiotap,
               cat({hex("0000 1900 03000080 00000000 00000000 0102030405060708 20"), padded}));
  // The chain of presence words goes beyond the header: no flags, and no reading behind it.
  expect_found(kRadiotap, cat({hex("0000 0c00 02000080 000000a0"), frame}));
  EXPECT_EQ(decode_bytes(kRadiotap, cat({hex("0000 0900 02000000 50"), frame, zeros(4)})).status,
            DecodeStatus::malformed_link);  // its checksum was wrong
  EXPECT_EQ(decode_bytes(kRadiotap, cat({hex("0000 0700 00000000"), frame})).status,
            DecodeStatus::malformed_link);
  EXPECT_EQ(decode_bytes(kRadiotap, cat({hex("0000 ffff 00000000"), frame})).status,
            DecodeStatus::malformed_link);
  expect_found(kPpi, cat({hex("0000 0800 69000000"), frame}));
}

TEST(WifiTest, SaysWhyNot) {
  const Bytes body = cat({hex(kLlc), packet()});
  EXPECT_EQ(decode_bytes(kDot11, cat({hex("8841"), hex(kRest), hex("0000"), body})).status,
            DecodeStatus::encrypted);
  EXPECT_EQ(decode_bytes(kDot11, cat({hex("8000"), hex(kRest), zeros(12)})).status,
            DecodeStatus::not_ip);  // beacon
  EXPECT_EQ(decode_bytes(kDot11, cat({hex("d400"), zeros(8)})).status, DecodeStatus::not_ip);
  EXPECT_EQ(decode_bytes(kDot11, cat({hex("c801"), hex(kRest), hex("0000")})).status,
            DecodeStatus::not_ip);  // null function
  EXPECT_EQ(
      decode_bytes(kDot11, cat({hex("0801"), hex(kRest), hex("aaaa03 000000 888e 0103")})).status,
      DecodeStatus::not_ip);  // key exchange
  EXPECT_EQ(decode_bytes(kDot11, hex("0801 0000 0200")).status, DecodeStatus::malformed_link);
}

TEST(WifiTest, CutFramesAreUsedAsFarAsTheyGo) {
  const Bytes frame = cat({hex("0801"), hex(kRest), hex(kLlc), packet()});
  const Decoded d = decode_cut(kDot11, frame, 24 + 8 + 40, frame.size());
  ASSERT_EQ(d.status, DecodeStatus::ok);
  EXPECT_EQ(d.segment.payload, 70U);
  EXPECT_TRUE(d.segment.cut);
  EXPECT_EQ(decode_cut(kDot11, frame, 24 + 8 + 10, frame.size()).status, DecodeStatus::cut_ip);
}

}  // namespace
}  // namespace rwin::test
