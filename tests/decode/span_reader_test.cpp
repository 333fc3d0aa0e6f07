#include "capture/decode/span_reader.h"

#include <gtest/gtest.h>

namespace rwin::capture {
namespace {

constexpr std::uint8_t kData[] = {0x01, 0x02, 0x03, 0x04, 0x05, 0x06};

TEST(SpanReaderTest, ReadsInBothByteOrders) {
  SpanReader reader(kData, 6, 6);
  Fields<4> fields{};
  ASSERT_TRUE(reader.read(fields));
  EXPECT_EQ(fields.u8<3>(), 0x04);
  EXPECT_EQ(fields.be16<1>(), 0x0203);
  EXPECT_EQ(fields.le16<1>(), 0x0302);
  EXPECT_EQ(fields.be32<0>(), 0x01020304U);
  EXPECT_EQ(fields.le32<0>(), 0x04030201U);
  EXPECT_EQ(reader.left(), 2U);
}

TEST(SpanReaderTest, AFailedReadChangesNothing) {
  SpanReader reader(kData, 3, 6);
  Fields<4> four{};
  four.bytes = {9, 9, 9, 9};
  EXPECT_FALSE(reader.read(four));
  EXPECT_EQ(four.bytes, (std::array<std::uint8_t, 4>{9, 9, 9, 9}));
  EXPECT_FALSE(reader.skip(4));
  EXPECT_EQ(reader.left(), 3U);
  EXPECT_EQ(reader.wire_left(), 6U);
  std::uint8_t byte = 0;
  EXPECT_TRUE(reader.read_u8(byte));
  EXPECT_EQ(byte, 1);
}

TEST(SpanReaderTest, PeekDoesNotAdvance) {
  SpanReader reader(kData, 6, 6);
  Fields<2> two{};
  EXPECT_TRUE(reader.peek(two));
  EXPECT_EQ(reader.left(), 6U);
}

TEST(SpanReaderTest, LengthDropsWhatIsBehind) {
  SpanReader reader(kData, 6, 6);
  reader.set_length(2);
  EXPECT_EQ(reader.left(), 2U);
  EXPECT_EQ(reader.wire_left(), 2U);
  EXPECT_FALSE(reader.skip(3));
}

TEST(SpanReaderTest, LengthAboveTheRecordCountsAsNotCaptured) {
  SpanReader reader(kData, 6, 6);
  reader.set_length(100);
  EXPECT_EQ(reader.left(), 6U);
  EXPECT_EQ(reader.wire_left(), 100U);
}

TEST(SpanReaderTest, TakeSplitsCapturedAndWire) {
  SpanReader reader(kData, 4, 10);
  const SpanReader part = reader.take(6);
  EXPECT_EQ(part.left(), 4U);
  EXPECT_EQ(part.wire_left(), 6U);
  EXPECT_EQ(reader.left(), 0U);
  EXPECT_EQ(reader.wire_left(), 4U);
  const SpanReader rest = reader.take(100);
  EXPECT_EQ(rest.wire_left(), 4U);
  EXPECT_EQ(reader.wire_left(), 0U);
}

TEST(SpanReaderTest, ARecordThatClaimsLessThanItHoldsIsBelievedForWhatItHolds) {
  const SpanReader reader(kData, 6, 2);
  EXPECT_EQ(reader.left(), 6U);
  EXPECT_EQ(reader.wire_left(), 6U);
}

TEST(SpanReaderTest, EmptyIsFineWithoutData) {
  SpanReader reader(nullptr, 0, 0);
  std::uint8_t byte = 0;
  EXPECT_FALSE(reader.read_u8(byte));
  EXPECT_TRUE(reader.skip(0));
  EXPECT_EQ(reader.take(3).left(), 0U);
  EXPECT_EQ(reader.copy(&byte, 1), 0U);
}

}  // namespace
}  // namespace rwin::capture
