#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/source/capture_bytes.h"

namespace rwin::capture::test {
namespace {

using ::testing::HasSubstr;

TEST(Filter, CountsWhatItRefuses) {
  TempDir dir;
  PcapBytes file;
  for (unsigned i = 0; i < 10; ++i) file.record(i, 0, tcp_frame(i < 3 ? 80 : 443, 1000));
  const std::string path = dir.file("a.pcap", file.bytes());
  const ReadResult r = read_all(path, "tcp and port 80");
  EXPECT_EQ(r.records.size(), 3U);
  EXPECT_EQ(r.filtered_out, 7U);
  // Numbers are those of the file, as Wireshark shows them.
  EXPECT_EQ(read_all(path, "port 443").records.front().record, 4U);
  EXPECT_EQ(read_all(path, "  ").records.size(), 10U);
  EXPECT_EQ(read_all(path, "udp").filtered_out, 10U);
}

TEST(Filter, EveryLinkTypeGetsItsOwnProgram) {
  TempDir dir;
  PcapngBytes file;
  file.interface(1).interface(113).interface(101);
  for (const unsigned port : {80U, 443U}) {
    file.enhanced(0, 1, tcp_frame(port, 9))
        .enhanced(1, 2, tcp_cooked(port, 9))
        .enhanced(2, 3, tcp_raw_ip(port, 9));
  }
  const ReadResult r = read_all(dir.file("a.pcapng", file.bytes()), "tcp src port 443");
  ASSERT_EQ(r.records.size(), 3U) << r.error.message;
  EXPECT_EQ(r.filtered_out, 3U);
  EXPECT_EQ(r.records[0].record, 4U);
  EXPECT_EQ(r.warning, "");
}

TEST(Filter, LinkTypeThatCannotBeFilteredIsToldNotHidden) {
  TempDir dir;
  // "vlan" needs a link layer that has one: raw IP has not.
  PcapngBytes file;
  file.interface(1)
      .interface(101)
      .enhanced(1, 1, tcp_raw_ip(80, 9))
      .enhanced(0, 2, tcp_frame(80, 9));
  const ReadResult r = read_all(dir.file("a.pcapng", file.bytes()), "tcp or vlan");
  ASSERT_TRUE(r.opened) << r.error.message;
  EXPECT_EQ(r.records.size(), 1U);
  EXPECT_EQ(r.end, Read::end);
  EXPECT_EQ(r.filtered_out, 1U);
  EXPECT_THAT(r.warning, HasSubstr("filter cannot be used"));

  // Where no interface suits, it is an error before anything is read.
  PcapngBytes raw;
  raw.interface(101).enhanced(0, 1, tcp_raw_ip(80, 9));
  const ReadResult none = read_all(dir.file("b.pcapng", raw.bytes()), "tcp or vlan");
  ASSERT_FALSE(none.opened);
  EXPECT_EQ(none.error.code, ErrorCode::bad_filter);
  EXPECT_THAT(none.error.message, HasSubstr("RAW"));
  EXPECT_THAT(none.error.hint, HasSubstr("without a filter"));

  const PcapBytes classic({Order::little, kMicro, 65535, 101});
  EXPECT_EQ(read_all(dir.file("c.pcap", classic.bytes()), "tcp or vlan").error.code,
            ErrorCode::bad_filter);
}

struct Fault {
  const char* filter;
  int position;
  const char* words;
};

class FilterFaults : public ::testing::TestWithParam<Fault> {};

TEST_P(FilterFaults, PositionAndWords) {
  const auto& [filter, position, words] = GetParam();
  FilterFault fault;
  EXPECT_FALSE(filter_ok(filter, fault));
  EXPECT_EQ(fault.position, position) << filter << ": " << fault.message;
  EXPECT_THAT(fault.message, HasSubstr(words));
  // The same fault, found when a file is opened.
  TempDir dir;
  const ReadResult r = read_all(dir.file("a.pcap", PcapBytes().bytes()), filter);
  ASSERT_FALSE(r.opened);
  EXPECT_EQ(r.error.code, ErrorCode::bad_filter);
  EXPECT_EQ(r.error.position, position);
}

INSTANTIATE_TEST_SUITE_P(
    All, FilterFaults,
    ::testing::Values(
        Fault{"tcp prot 80", 4, "syntax error at 'prot'"}, Fault{"foo", 0, "'foo'"},
        Fault{"host", 4, "ends too early"}, Fault{"port 99999", 5, "99999"},
        Fault{"port htp", 5, "unknown port 'htp'"}, Fault{"(tcp", 4, "ends too early"},
        Fault{"tcp)", 3, "')'"}, Fault{"tcp and", 7, "ends too early"},
        Fault{"tcp $ udp", 4, "'$'"}, Fault{"tcp[13", 6, "ends too early"},
        Fault{"host 1.2.3.4 an port 80", 13, "'an'"}, Fault{"tcp &&& udp", 6, "'&'"},
        Fault{"net 1.2.3.4/40", 4, "mask length"},
        Fault{"ether host 1.2.3.4", 11, "link layer address"},
        Fault{"tcp port 80 udp port 40", 12, "'udp'"}, Fault{"host 1.2.3.400", 5, "1.2.3.400"},
        Fault{"tcp[13] & 2 != 0 adn port 80", 17, "'adn'"}, Fault{"len >", 5, "ends too early"},
        Fault{"  tcp port", 10, "ends too early"}));

TEST(Filter, GoodOnesPass) {
  FilterFault fault;
  for (const char* filter :
       {"", " ", "tcp", "tcp port 80", "host 10.0.0.1 and (port 80 or port 443)",
        "tcp[tcpflags] & tcp-syn != 0", "ip6 and tcp", "vlan and tcp", "type mgt subtype beacon"}) {
    EXPECT_TRUE(filter_ok(filter, fault)) << filter << ": " << fault.message;
  }
}

}  // namespace
}  // namespace rwin::capture::test
