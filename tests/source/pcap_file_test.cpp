#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/source/capture_bytes.h"

namespace rwin::capture::test {
namespace {

using ::testing::HasSubstr;

class PcapKinds : public ::testing::TestWithParam<std::tuple<Order, std::uint32_t>> {
 protected:
  [[nodiscard]] PcapOptions options() const {
    return {std::get<0>(GetParam()), std::get<1>(GetParam()), 65535, 1};
  }
  [[nodiscard]] std::int64_t unit() const { return options().magic == kNano ? 1 : 1000; }
};

TEST_P(PcapKinds, GivesTimeLengthsAndBytes) {
  TempDir dir;
  PcapBytes file(options());
  file.record(1'700'000'000, 123'456, {1, 2, 3}, 1500).record(4'000'000'000, 7, {4, 5});
  const ReadResult r = read_all(dir.file("a.pcap", file.bytes()));
  ASSERT_TRUE(r.opened) << r.error.message;
  ASSERT_EQ(r.records.size(), 2U);
  EXPECT_EQ(r.records[0],
            (ReadRecord{1'700'000'000 * kSecond + 123'456 * unit(), 1, 1, 1500, {1, 2, 3}}));
  // Seconds are unsigned: 2096, not 1960.
  EXPECT_EQ(r.records[1], (ReadRecord{4'000'000'000 * kSecond + 7 * unit(), 2, 1, 2, {4, 5}}));
  EXPECT_EQ(r.end, Read::end);
  EXPECT_EQ(r.warning, "");
}

TEST_P(PcapKinds, HeaderWithoutRecordsIsNoError) {
  TempDir dir;
  const ReadResult r = read_all(dir.file("a.pcap", PcapBytes(options()).bytes()));
  ASSERT_TRUE(r.opened) << r.error.message;
  EXPECT_TRUE(r.records.empty());
  EXPECT_EQ(r.end, Read::end);
}

// Cut at every byte: all whole records before the cut are given, and `cut` is told unless it fell
// between two records.
TEST_P(PcapKinds, CutAnywhereKeepsWhatWasBefore) {
  TempDir dir;
  PcapBytes file(options());
  std::vector<std::size_t> borders = {file.bytes().size()};
  for (unsigned i = 0; i < 3; ++i) {
    file.record(1000 + i, i, Bytes(5 + i, static_cast<std::uint8_t>(i)));
    borders.push_back(file.bytes().size());
  }
  for (std::size_t size = 0; size <= file.bytes().size(); ++size) {
    const auto end = file.bytes().begin() + static_cast<std::ptrdiff_t>(size);
    const ReadResult r = read_all(dir.file("cut.pcap", Bytes(file.bytes().begin(), end)));
    if (size < borders[0]) {
      EXPECT_FALSE(r.opened) << size;
      EXPECT_EQ(r.error.code, ErrorCode::not_a_capture);
      EXPECT_FALSE(r.error.hint.empty());
      continue;
    }
    ASSERT_TRUE(r.opened) << size << r.error.message;
    std::size_t whole = 0;
    while (whole + 1 < borders.size() && borders[whole + 1] <= size) ++whole;
    EXPECT_EQ(r.records.size(), whole) << size;
    EXPECT_EQ(r.end, borders[whole] == size ? Read::end : Read::cut) << size;
    if (r.end == Read::cut) {
      EXPECT_THAT(r.warning, HasSubstr("cut in the middle of a record after " +
                                       std::to_string(whole) + " packets"));
      EXPECT_THAT(r.warning, HasSubstr("cut.pcap: "));
    }
  }
}

INSTANTIATE_TEST_SUITE_P(All, PcapKinds,
                         ::testing::Combine(::testing::Values(Order::little, Order::big),
                                            ::testing::Values(kMicro, kNano, kModified)));

TEST(PcapFile, LyingRecordLengthIsDamageNotFailure) {
  TempDir dir;
  PcapBytes file;
  file.record(1, 0, {1, 2, 3, 4});
  Bytes bytes = file.bytes();
  const Bytes lie =
      ByteWriter(Order::little).u32(2).u32(0).u32(0x7fffffff).u32(60).raw(Bytes(60)).bytes();
  bytes.insert(bytes.end(), lie.begin(), lie.end());
  const ReadResult r = read_all(dir.file("a.pcap", bytes));
  ASSERT_TRUE(r.opened);
  EXPECT_EQ(r.records.size(), 1U);
  EXPECT_EQ(r.end, Read::cut);
  EXPECT_THAT(r.warning, HasSubstr("damaged"));
  EXPECT_THAT(r.warning, HasSubstr("after 1 packets"));
}

TEST(PcapFile, StaysAtTheEnd) {
  TempDir dir;
  auto opened = open_file(dir.file("a.pcap", PcapBytes().record(1, 0, {1}).bytes()), "");
  ASSERT_TRUE(opened.ok());
  RawPacket p;
  EXPECT_EQ(opened.value()->next(p), Read::packet);
  for (int i = 0; i < 3; ++i) EXPECT_EQ(opened.value()->next(p), Read::end);
  EXPECT_DOUBLE_EQ(opened.value()->progress(), 1.0);
}

Bytes joined(const Bytes& a, const Bytes& b) {
  Bytes all = a;
  all.insert(all.end(), b.begin(), b.end());
  return all;
}

class PcapJoined : public PcapKinds {};

TEST_P(PcapJoined, SecondFileOfTheSameKindIsReadOn) {
  TempDir dir;
  const Bytes a = PcapBytes(options()).record(1, 0, {1, 2}).bytes();
  const Bytes b = PcapBytes(options()).record(2, 0, {3}).record(3, 0, {4}).bytes();
  const ReadResult r = read_all(dir.file("ab.pcap", joined(joined(a, b), a)));
  ASSERT_TRUE(r.opened);
  EXPECT_EQ(r.end, Read::end) << r.warning;
  ASSERT_EQ(r.records.size(), 4U);
  EXPECT_EQ(r.records[2], (ReadRecord{3 * kSecond, 3, 1, 1, {4}}));
  EXPECT_EQ(r.records[3], (ReadRecord{1 * kSecond, 4, 1, 2, {1, 2}}));
}

INSTANTIATE_TEST_SUITE_P(All, PcapJoined,
                         ::testing::Combine(::testing::Values(Order::little, Order::big),
                                            ::testing::Values(kMicro, kNano)));

TEST(PcapFile, SecondFileOfAnotherKindStopsWithAWarning) {
  TempDir dir;
  const Bytes a = PcapBytes().record(1, 0, {1, 2}).bytes();
  const std::vector<PcapOptions> others = {{Order::big, kMicro, 65535, 1},
                                           {Order::little, kNano, 65535, 1},
                                           {Order::little, kMicro, 65535, 113},
                                           {Order::little, kMicro, 262144, 1},
                                           {Order::little, kModified, 65535, 1}};
  for (const PcapOptions& other : others) {
    const Bytes b = PcapBytes(other).record(2, 0, {3}).bytes();
    const ReadResult r = read_all(dir.file("ab.pcap", joined(a, b)));
    ASSERT_TRUE(r.opened);
    EXPECT_EQ(r.records.size(), 1U);
    EXPECT_EQ(r.end, Read::cut);
    EXPECT_THAT(r.warning, HasSubstr("a second capture of another kind follows"));
  }
}

TEST(PcapFile, RawIpGetsLibpcapsNumber) {
  TempDir dir;
  const ReadResult r = read_all(dir.file(
      "raw.pcap",
      PcapBytes({Order::little, kMicro, 65535, 101}).record(1, 0, tcp_raw_ip(1, 2)).bytes()));
  ASSERT_EQ(r.records.size(), 1U);
  EXPECT_EQ(r.records[0].link_type, 12U);
}

TEST(PcapFile, UnknownVersionIsNamed) {
  TempDir dir;
  Bytes bytes = PcapBytes().record(1, 0, {1}).bytes();
  bytes[4] = 9;
  const ReadResult r = read_all(dir.file("v9.pcap", bytes));
  ASSERT_FALSE(r.opened);
  EXPECT_EQ(r.error.code, ErrorCode::not_a_capture);
  EXPECT_THAT(r.error.message, HasSubstr("version"));
}

// Programs of the early nineties wrote the original length first (libpcap, sf-pcap.c).
TEST(PcapFile, OldVersionsPutTheLengthsTheOtherWayRound) {
  for (const unsigned minor : {2U, 4U}) {
    PcapOptions options;
    options.minor = minor;
    const TempDir dir;
    const ReadResult r =
        read_all(dir.file("old", PcapBytes(options).record(1, 0, {1, 2, 3}, 1500).bytes()));
    ASSERT_EQ(r.records.size(), 1U) << minor;
    EXPECT_EQ(r.records[0].original, 1500U);
    EXPECT_EQ(r.records[0].data, (Bytes{1, 2, 3}));
    EXPECT_EQ(r.end, Read::end);
  }
}

}  // namespace
}  // namespace rwin::capture::test
