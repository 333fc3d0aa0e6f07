#include "capture/source/pcapng.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <pcap/pcap.h>

#include <functional>
#include <limits>

#include "capture/source/link_type.h"
#include "tests/source/capture_bytes.h"

namespace rwin::capture::test {
namespace {

using ::testing::HasSubstr;

class PcapngOrder : public ::testing::TestWithParam<Order> {
 protected:
  TempDir dir_;
  ReadResult read(const Bytes& bytes) { return read_all(dir_.file("a.pcapng", bytes)); }
};

TEST_P(PcapngOrder, EveryPacketBlockAndSkippedOnes) {
  PcapngBytes file(GetParam());
  file.block(0xbad, {1, 2, 3, 4, 5}).interface(1, 4).interface(113);
  file.block(4, Bytes(20)).enhanced(0, 5'000'001, {1, 2, 3}, 99).block(5, Bytes(16));
  file.old_packet(1, 6'000'000, {9})
      .simple({7, 7, 7, 7}, 1500)
      .block(0x40000bad, {})
      .block(0x12345678, Bytes(400));
  file.enhanced(1, 7'000'000, {}, 60, option(GetParam(), 1, {'h', 'i'}));
  const ReadResult r = read(file.bytes());
  ASSERT_TRUE(r.opened) << r.error.message;
  EXPECT_EQ(r.end, Read::end) << r.warning;
  const std::vector<ReadRecord> expected = {{5 * kSecond + 1000, 1, 1, 99, {1, 2, 3}},
                                            {6 * kSecond, 2, 113, 1, {9}},
                                            // No stamp of its own: that of the packet before.
                                            {6 * kSecond, 3, 1, 1500, {7, 7, 7, 7}},
                                            {7 * kSecond, 4, 113, 60, {}}};
  EXPECT_EQ(r.records, expected);
}

TEST_P(PcapngOrder, SimplePacketEndsAtTheSnapLength) {
  PcapngBytes file(GetParam());
  file.interface(1, 6).simple(Bytes(6, 1), 1500).simple({1, 2, 3});
  const ReadResult r = read(file.bytes());
  ASSERT_EQ(r.records.size(), 2U);
  EXPECT_EQ(r.records[0].data, Bytes(6, 1));  // two bytes of padding left out
  EXPECT_EQ(r.records[1].data, (Bytes{1, 2, 3}));
}

TEST_P(PcapngOrder, TimeResolutionsAndOffset) {
  const Order o = GetParam();
  PcapngBytes file(o);
  file.interface(1, 0, option(o, 9, {9}));
  file.interface(1, 0, option(o, 9, {0x80 | 10}));
  file.interface(1, 0, option(o, 14, ByteWriter(o).u64(1000).bytes()));
  file.interface(1, 0, option(o, 14, ByteWriter(o).u64(static_cast<std::uint64_t>(-3)).bytes()));
  file.interface(
      1, 0, ByteWriter(o).raw(option(o, 2, {'e', 't', 'h'})).raw(option(o, 9, {3})).u32(0).bytes());
  file.enhanced(0, 1'700'000'000'123'456'789, {0})
      .enhanced(1, 3 * 1024 + 512, {0})
      .enhanced(2, 5, {0});
  file.enhanced(3, 1'000'000, {0}).enhanced(4, 12'345, {0});
  const ReadResult r = read(file.bytes());
  ASSERT_EQ(r.records.size(), 5U) << r.warning;
  EXPECT_EQ(r.records[0].time_ns, 1'700'000'000'123'456'789);
  EXPECT_EQ(r.records[1].time_ns, 3 * kSecond + kSecond / 2);
  EXPECT_EQ(r.records[2].time_ns, 1000 * kSecond + 5000);
  EXPECT_EQ(r.records[3].time_ns, -2 * kSecond);
  EXPECT_EQ(r.records[4].time_ns, 12'345'000'000);
}

TEST_P(PcapngOrder, SectionsOfBothByteOrdersHaveTheirOwnInterfaces) {
  PcapngBytes file(GetParam());
  const Order other = GetParam() == Order::little ? Order::big : Order::little;
  file.interface(1).enhanced(0, 1'000'000, {1});
  file.section(other)
      .interface(101)
      .interface(276)
      .enhanced(1, 2'000'000, {2})
      .enhanced(0, 3'000'000, {3});
  file.section(GetParam()).enhanced(0, 1, {4});  // no interface in this section
  const ReadResult r = read(file.bytes());
  ASSERT_EQ(r.records.size(), 3U);
  EXPECT_EQ(r.records[0].link_type, 1U);
  EXPECT_EQ(r.records[1], (ReadRecord{2 * kSecond, 2, 276, 1, {2}}));
  EXPECT_EQ(r.records[2].link_type, 12U);  // LINKTYPE_RAW is DLT_RAW 12
  EXPECT_EQ(r.end, Read::cut);
  EXPECT_THAT(r.warning, HasSubstr("not announced"));
  EXPECT_THAT(r.warning, HasSubstr("after 3 packets"));
}

TEST_P(PcapngOrder, CutAnywhereKeepsWhatWasBefore) {
  const Order o = GetParam();
  PcapngBytes file(o);
  const std::size_t header = file.bytes().size();
  std::vector<std::size_t> borders = {header};
  std::vector<std::size_t> packets_at = {0};
  const auto mark = [&](std::size_t packets) {
    borders.push_back(file.bytes().size());
    packets_at.push_back(packets);
  };
  file.interface(1, 0, option(o, 9, {9}));
  mark(0);
  file.enhanced(0, 1, {1, 2, 3});
  mark(1);
  file.block(5, Bytes(12));
  mark(1);
  file.simple({1});
  mark(2);
  file.section(o == Order::little ? Order::big : Order::little).interface(1);
  mark(2);
  file.old_packet(0, 1, {1, 2});
  mark(3);
  for (std::size_t size = 0; size <= file.bytes().size(); ++size) {
    const auto end = file.bytes().begin() + static_cast<std::ptrdiff_t>(size);
    const ReadResult r = read(Bytes(file.bytes().begin(), end));
    if (size < header) {
      EXPECT_FALSE(r.opened) << size;
      EXPECT_EQ(r.error.code, ErrorCode::not_a_capture) << size;
      continue;
    }
    ASSERT_TRUE(r.opened) << size << r.error.message;
    std::size_t last = 0;
    while (last + 1 < borders.size() && borders[last + 1] <= size) ++last;
    EXPECT_EQ(r.records.size(), packets_at[last]) << size;
    if (size == borders[last]) {
      EXPECT_EQ(r.end, Read::end) << size << r.warning;
    } else if (last != 4) {  // block borders inside the step of two blocks are clean ends too
      EXPECT_EQ(r.end, Read::cut) << size;
      EXPECT_THAT(r.warning, HasSubstr("cut in the middle of a record")) << size;
    }
  }
}

// Any byte may be wrong: never a crash, never bytes from outside (the sanitizers watch), and an end
// comes.
TEST_P(PcapngOrder, AnyByteMayLie) {
  const Order o = GetParam();
  PcapngBytes file(o);
  file.interface(1, 0,
                 ByteWriter(o).raw(option(o, 9, {9})).raw(option(o, 14, Bytes(8))).u32(0).bytes());
  file.enhanced(0, 1, {1, 2, 3}).simple({1}).old_packet(0, 1, {1, 2}).block(0xbad, Bytes(8));
  const std::size_t total = read(file.bytes()).records.size();
  EXPECT_EQ(total, 3U);
  for (std::size_t at = 0; at < file.bytes().size(); ++at) {
    for (const unsigned value : {0x00U, 0x01U, 0x7fU, 0x80U, 0xffU}) {
      Bytes bytes = file.bytes();
      bytes[at] = static_cast<std::uint8_t>(value);
      const ReadResult r = read(bytes);
      EXPECT_LE(r.records.size(), total);
      EXPECT_EQ(r.opened, r.error.message.empty());
      EXPECT_EQ(r.end == Read::cut, !r.warning.empty());
    }
  }
}

TEST_P(PcapngOrder, DamageIsNamed) {
  const Order o = GetParam();
  const auto with = [&](const std::function<void(PcapngBytes&)>& add) {
    PcapngBytes file(o);
    file.interface(1).enhanced(0, 1, {1});
    add(file);
    return file.bytes();
  };
  const auto expect = [&](const Bytes& bytes, const char* words) {
    const ReadResult r = read(bytes);
    ASSERT_TRUE(r.opened) << r.error.message;
    EXPECT_EQ(r.records.size(), 1U) << words;
    EXPECT_EQ(r.end, Read::cut) << words;
    EXPECT_THAT(r.warning, HasSubstr(words));
  };
  const auto epb = [&](std::uint32_t captured) {
    return ByteWriter(o).u32(0).u64(0).u32(captured).u32(captured).raw(Bytes(8)).bytes();
  };
  expect(with([&](PcapngBytes& f) { f.block(6, epb(9)); }), "packet longer than its block");
  expect(with([&](PcapngBytes& f) { f.block(6, epb(0xffffffff)); }),
         "packet longer than its block");
  expect(with([&](PcapngBytes& f) { f.block(6, Bytes(16)); }), "packet block of 16 bytes");
  expect(with([&](PcapngBytes& f) { f.block(3, {}); }), "packet block of 0 bytes");
  expect(with([&](PcapngBytes& f) { f.enhanced(1, 0, {1}); }), "not announced");
  expect(with([&](PcapngBytes& f) { f.block(1, Bytes(4)); }), "interface block of 4 bytes");
  expect(
      with([&](PcapngBytes& f) { f.interface(1, 0, ByteWriter(o).u16(2).u16(9).u32(0).bytes()); }),
      "leaves its block");
  expect(with([&](PcapngBytes& f) { f.section(o, ByteWriter(o).u16(2).u16(9).u32(0).bytes()); }),
         "leaves its block");
  expect(with([&](PcapngBytes& f) { f.section(o, {}, 2); }), "version 2");
  const auto tail = [&](std::uint32_t type, std::uint32_t length, std::uint32_t length_again) {
    Bytes bytes = with([](PcapngBytes&) {});
    const Bytes more = ByteWriter(o).u32(type).u32(length).raw(Bytes(20)).u32(length_again).bytes();
    bytes.insert(bytes.end(), more.begin(), more.end());
    return bytes;
  };
  expect(tail(5, 32, 36), "two lengths of a block differ");
  expect(tail(5, 8, 8), "block length 8");
  expect(tail(5, 30, 30), "block length 30");
  expect(tail(6, 0x10000000, 0), "block of 268435456 bytes");
  expect(tail(5, 0x10000000, 0), "cut in the middle of a record");
  expect(tail(0x0a0d0d0a, 32, 32), "no byte-order mark");
}

INSTANTIATE_TEST_SUITE_P(Both, PcapngOrder, ::testing::Values(Order::little, Order::big));

TEST(Pcapng, LargeBlockOfNoInterestIsPassedOver) {
  TempDir dir;
  PcapngBytes file;
  file.interface(1).block(10, Bytes(20U << 20U)).enhanced(0, 1, {1});
  const ReadResult r = read_all(dir.file("a.pcapng", file.bytes()));
  EXPECT_EQ(r.records.size(), 1U) << r.warning;
  EXPECT_EQ(r.end, Read::end);
}

TEST(Pcapng, PcapBehindItStopsWithAWarning) {
  TempDir dir;
  PcapngBytes file;
  file.interface(1).enhanced(0, 1, {1});
  Bytes bytes = file.bytes();
  const Bytes more = PcapBytes().record(1, 1, {1}).bytes();
  bytes.insert(bytes.end(), more.begin(), more.end());
  const ReadResult r = read_all(dir.file("a.pcapng", bytes));
  EXPECT_EQ(r.records.size(), 1U);
  EXPECT_EQ(r.end, Read::cut);
  EXPECT_FALSE(r.warning.empty());
}

TEST(Pcapng, SectionOnlyIsAnEmptyCapture) {
  TempDir dir;
  const ReadResult r = read_all(dir.file("a.pcapng", PcapngBytes().bytes()));
  ASSERT_TRUE(r.opened);
  EXPECT_EQ(r.end, Read::end);
}

TEST(TimeScale, ExtremeValuesNeitherOverflowNorTrap) {
  constexpr auto kMax = std::numeric_limits<std::uint64_t>::max();
  constexpr auto kLatest = std::numeric_limits<std::int64_t>::max();
  EXPECT_EQ(TimeScale(6, 0).to_ns(kMax), kLatest);
  EXPECT_EQ(TimeScale(0, 0).to_ns(kMax), kLatest);
  EXPECT_EQ(TimeScale(9, 0).to_ns(kMax), kLatest);
  EXPECT_EQ(TimeScale(12, 0).to_ns(5'000), 5);
  EXPECT_EQ(TimeScale(28, 0).to_ns(kMax), 1);
  EXPECT_EQ(TimeScale(127, 0).to_ns(kMax), 0);
  EXPECT_EQ(TimeScale(0x80, 0).to_ns(3), 3 * kSecond);
  EXPECT_EQ(TimeScale(0x80 | 32, 0).to_ns((std::uint64_t{7} << 32U) + (1U << 31U)),
            7 * kSecond + kSecond / 2);
  EXPECT_EQ(TimeScale(0x80 | 63, 0).to_ns(std::uint64_t{1} << 63U), kSecond);
  EXPECT_EQ(TimeScale(0x80 | 64, 0).to_ns(std::uint64_t{1} << 63U), kSecond / 2);
  EXPECT_EQ(TimeScale(0x80 | 127, 0).to_ns(kMax), 0);
  EXPECT_EQ(TimeScale(0x80, 0).to_ns(kMax), kLatest);
  EXPECT_EQ(TimeScale(6, std::numeric_limits<std::int64_t>::max()).to_ns(1), kLatest);
  EXPECT_EQ(TimeScale(6, std::numeric_limits<std::int64_t>::min()).to_ns(1),
            std::numeric_limits<std::int64_t>::min());
}

// The number that libpcap makes of each link type in a file header is the one that our table gives.
TEST(LinkType, TableAgreesWithLibpcap) {
  TempDir dir;
  for (std::uint32_t link = 0; link < 320; ++link) {
    const std::string path =
        dir.file("a.pcap", PcapBytes({Order::little, kMicro, 65535, link}).bytes());
    char error[PCAP_ERRBUF_SIZE] = "";
    pcap_t* pcap = pcap_open_offline(path.c_str(), error);
    ASSERT_NE(pcap, nullptr) << link << error;
    EXPECT_EQ(dlt_of_link_type(link), static_cast<std::uint32_t>(pcap_datalink(pcap))) << link;
    pcap_close(pcap);
  }
}

}  // namespace
}  // namespace rwin::capture::test
