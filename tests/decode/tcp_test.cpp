// The TCP header and its options; above all: a list that was not read to its end makes nothing
// absent.
#include <gtest/gtest.h>

#include <ostream>
#include <string>

#include "tests/decode/decode_helpers.h"

namespace rwin::test {
namespace {

using analysis::Presence;
using analysis::SackBlock;
using analysis::Segment;
using analysis::Tri;
using capture::DecodeStatus;

constexpr std::uint8_t kSyn = 0x02;
constexpr std::uint8_t kAck = 0x10;

Decoded decode_tcp(const Tcp& tcp) { return decode_bytes(kRaw, build(Ipv4{}, build(tcp))); }

Segment segment(std::uint8_t flags, const Bytes& options) {
  const Decoded d = decode_tcp(Tcp{.flags = flags, .options = options});
  EXPECT_EQ(d.status, DecodeStatus::ok);
  return d.segment;
}

Bytes kinds(const Segment& s) {
  return {s.option_kinds.begin(), s.option_kinds.begin() + s.option_kind_count};
}

TEST(TcpTest, FixedHeader) {
  for (const std::uint32_t seq : {0U, 1U, 0x7fffffffU, 0xffffffecU, 0xffffffffU}) {
    const Decoded d = decode_tcp(Tcp{.source_port = 0,
                                     .destination_port = 65535,
                                     .seq = seq,
                                     .ack = ~seq,
                                     .flags = 0xff,
                                     .window = 0xfffe,
                                     .payload = 3});
    ASSERT_EQ(d.status, DecodeStatus::ok);
    EXPECT_EQ(d.segment.source.port, 0);
    EXPECT_EQ(d.segment.destination.port, 65535);
    EXPECT_EQ(d.segment.seq, seq);
    EXPECT_EQ(d.segment.ack, ~seq);
    EXPECT_EQ(d.segment.flags, 0xff);
    EXPECT_EQ(d.segment.window, 0xfffe);
    EXPECT_EQ(d.segment.sequence_length(), 5U);
  }
}

TEST(TcpTest, DataOffset) {
  for (int words = 0; words < 16; ++words) {
    const Decoded d = decode_tcp(Tcp{.payload = 12, .data_offset = words});
    if (words < 5 || words > 8) {  // 12 bytes: three words of options at most
      EXPECT_EQ(d.status, DecodeStatus::malformed_tcp) << words;
    } else {
      ASSERT_EQ(d.status, DecodeStatus::ok) << words;
      EXPECT_EQ(d.segment.payload, 12U - static_cast<unsigned>(words - 5) * 4) << words;
    }
  }
}

TEST(TcpOptionsTest, NoOptionsOnSynMeansAbsent) {
  const Segment s = segment(kSyn, {});
  EXPECT_FALSE(s.options_cut);
  EXPECT_EQ(s.mss.state, Presence::absent);
  EXPECT_EQ(s.window_scale.state, Presence::absent);
  EXPECT_EQ(s.sack_permitted.state, Presence::absent);
  EXPECT_EQ(s.timestamps, Presence::absent);
  EXPECT_EQ(s.option_kind_count, 0);
}

TEST(TcpOptionsTest, NothingIsAbsentOnASegmentWithoutSyn) {
  const Segment s = segment(kAck, {});
  EXPECT_EQ(s.mss.state, Presence::unknown);
  EXPECT_EQ(s.window_scale.state, Presence::unknown);
  EXPECT_EQ(s.sack_permitted.state, Presence::unknown);
  EXPECT_EQ(s.timestamps, Presence::absent);  // this segment has none, that is certain
}

TEST(TcpOptionsTest, LinuxSyn) {
  const Segment s = segment(kSyn, option::linux_syn(1460, 7));
  EXPECT_EQ(s.mss, Tri<std::uint16_t>::of(1460));
  EXPECT_EQ(s.window_scale, Tri<std::uint8_t>::of(7));
  EXPECT_EQ(s.sack_permitted, Tri<bool>::of(true));
  EXPECT_EQ(s.timestamps, Presence::known);
  EXPECT_EQ(s.tsval, 1000U);
  EXPECT_EQ(s.tsecr, 0U);
  EXPECT_EQ(kinds(s), (Bytes{2, 4, 8, 1, 3}));
}

TEST(TcpOptionsTest, TimestampsInEveryArrangement) {
  const Bytes ts = option::timestamps(0xfffffffe, 7);
  for (const std::uint8_t flags : {kAck, kSyn}) {
    for (const Bytes& list : {cat({hex("0101"), ts}), cat({ts, hex("0101")}),
                              cat({ts, hex("0000")}), cat({hex("01"), ts, hex("01")})}) {
      const Segment s = segment(flags, list);
      EXPECT_EQ(s.timestamps, Presence::known);
      EXPECT_EQ(s.tsval, 0xfffffffeU);
      EXPECT_EQ(s.tsecr, 7U);
      EXPECT_FALSE(s.options_cut);
      EXPECT_EQ(s.option_kind_count > 0, flags == kSyn);
      EXPECT_EQ(s.mss.state, flags == kSyn ? Presence::absent : Presence::unknown);
    }
  }
}

TEST(TcpOptionsTest, ScaleIsGivenAsItStands) {
  for (const int shift : {0, 1, 14, 15, 255}) {
    const auto value = static_cast<std::uint8_t>(shift);
    EXPECT_EQ(segment(kSyn, option::scale(value)).window_scale, Tri<std::uint8_t>::of(value));
  }
}

TEST(TcpOptionsTest, SynOptionsElsewhereSayNothing) {
  const Segment s = segment(kAck, option::linux_syn(1460, 7));
  EXPECT_EQ(s.mss.state, Presence::unknown);
  EXPECT_EQ(s.window_scale.state, Presence::unknown);
  EXPECT_EQ(s.sack_permitted.state, Presence::unknown);
  EXPECT_EQ(s.timestamps, Presence::known);
  EXPECT_EQ(s.option_kind_count, 0);
  EXPECT_FALSE(s.options_cut);
}

TEST(TcpOptionsTest, TheLastOfRepeatedOptionsCounts) {
  const Segment s = segment(kSyn, cat({option::mss(1000), option::mss(1200)}));
  EXPECT_EQ(s.mss, Tri<std::uint16_t>::of(1200));
  EXPECT_EQ(kinds(s), (Bytes{2, 2}));
}

TEST(TcpOptionsTest, SackBlocks) {
  for (std::size_t count = 1; count <= 4; ++count) {
    std::vector<std::pair<std::uint32_t, std::uint32_t>> blocks;
    for (std::uint32_t i = 0; i < count; ++i) blocks.push_back({0xfffffff0U + i, 100 + i});
    const Segment s = segment(kAck, cat({option::nop(), option::nop(), option::sack(blocks)}));
    ASSERT_EQ(s.sack_count, count);
    for (std::uint32_t i = 0; i < count; ++i) {
      EXPECT_EQ(s.sack[i], (SackBlock{0xfffffff0U + i, 100 + i}));
    }
    EXPECT_FALSE(s.options_cut);
  }
}

TEST(TcpOptionsTest, DuplicateSackIsABlockLikeOthers) {
  // RFC 2883: the first block lies below the cumulative acknowledgement.
  const Segment s = segment(kAck, option::sack({{10, 20}, {500, 600}}));
  ASSERT_EQ(s.sack_count, 2);
  EXPECT_EQ(s.sack[0], (SackBlock{10, 20}));
}

TEST(TcpOptionsTest, FastOpenAndMultipath) {
  EXPECT_TRUE(segment(kSyn, hex("2202")).fast_open);
  EXPECT_TRUE(segment(kSyn, hex("220a 0102030405060708")).fast_open);
  EXPECT_TRUE(segment(kSyn, hex("fe04 f989")).fast_open);
  EXPECT_TRUE(segment(kSyn, hex("fd0c f989 0102030405060708")).fast_open);
  EXPECT_FALSE(segment(kSyn, hex("fe04 abcd")).fast_open);
  EXPECT_FALSE(segment(kSyn, hex("fe02")).fast_open);
  EXPECT_TRUE(segment(kSyn, hex("1e0c 0081 0102030405060708")).multipath);
  EXPECT_TRUE(segment(kAck, hex("1e08 2000 01020304")).multipath);
  const Segment none = segment(kSyn, option::linux_syn(1460, 7));
  EXPECT_FALSE(none.fast_open);
  EXPECT_FALSE(none.multipath);
}

TEST(TcpOptionsTest, EndOfListEndsIt) {
  const Segment s = segment(kSyn, cat({option::mss(1460), hex("00"), option::scale(7)}));
  EXPECT_EQ(s.mss, Tri<std::uint16_t>::of(1460));
  EXPECT_EQ(s.window_scale.state, Presence::absent);
  EXPECT_FALSE(s.options_cut);
  EXPECT_EQ(kinds(s), (Bytes{2, 0}));
}

TEST(TcpOptionsTest, UnknownOptionsAreSkipped) {
  const Segment s = segment(kSyn, cat({hex("1312 00112233445566778899aabbccddeeff"),  // MD5
                                       hex("c803 00"), option::scale(5)}));
  EXPECT_EQ(s.window_scale, Tri<std::uint8_t>::of(5));
  EXPECT_EQ(kinds(s), (Bytes{19, 200, 3}));
}

TEST(TcpOptionsTest, KindsAreBounded) {
  const Segment s = segment(kSyn, Bytes(40, 1));
  EXPECT_EQ(s.option_kind_count, analysis::kMaxOptionKinds);
  EXPECT_FALSE(s.options_cut);
  EXPECT_EQ(s.mss.state, Presence::absent);
}

struct Broken {
  const char* name;
  const char* options;  // behind an MSS option of 1460; whole words
};
void PrintTo(const Broken& test, std::ostream* out) { *out << test.name; }

class BrokenOptionsTest : public testing::TestWithParam<Broken> {};

TEST_P(BrokenOptionsTest, NothingBecomesAbsent) {
  const Segment s = segment(kSyn, cat({option::mss(1460), hex(GetParam().options)}));
  EXPECT_TRUE(s.options_cut);
  EXPECT_EQ(s.mss, Tri<std::uint16_t>::of(1460));
  EXPECT_EQ(s.window_scale.state, Presence::unknown);
  EXPECT_EQ(s.sack_permitted.state, Presence::unknown);
  EXPECT_EQ(s.timestamps, Presence::unknown);
  EXPECT_EQ(s.sack_count, 0);
}

INSTANTIATE_TEST_SUITE_P(
    All, BrokenOptionsTest,
    testing::Values(Broken{"length_0", "0800 0101"}, Broken{"length_1", "0801 0101"},
                    Broken{"beyond_the_list", "0809 0101"}, Broken{"length_255", "c8ff 0101"},
                    Broken{"no_length", "010101 08"}, Broken{"scale_too_long", "0304 0701"},
                    Broken{"scale_too_short", "0302 0101"},
                    Broken{"sack_permitted_too_long", "0403 0101"},
                    Broken{"timestamps_too_short", "0806 00000001 0101"},
                    Broken{"sack_odd", "0506 00000001 0101"},
                    Broken{"sack_one_and_a_half", "050e 00000001 00000002 00000003 0101"},
                    Broken{"one_beyond_the_list", "c805 0101"}, Broken{"sack_empty", "0502 0101"}),
    [](const auto& test) { return std::string(test.param.name); });

TEST(TcpOptionsTest, CutSackGivesTheWholeBlocksCaptured) {
  const Bytes packet = build(
      Ipv4{}, build(Tcp{.options = cat({hex("0101"), option::sack({{1, 2}, {3, 4}, {5, 6}})})}));
  // 40 bytes of headers, 2 NOP, 2 kind and length, then blocks of 8.
  for (std::size_t captured = 40; captured <= packet.size(); ++captured) {
    const Decoded d = decode_cut(kRaw, packet, captured, packet.size());
    ASSERT_EQ(d.status, DecodeStatus::ok);
    EXPECT_EQ(d.segment.sack_count, captured < 44 ? 0 : (captured - 44) / 8) << captured;
    EXPECT_EQ(d.segment.options_cut, captured < packet.size()) << captured;
  }
}

TEST(TcpOptionsTest, TimestampsBeforeSack) {
  const Segment s = segment(kAck, cat({hex("0101"), option::timestamps(3, 4), hex("0101"),
                                       option::sack({{50, 60}, {70, 80}})}));
  EXPECT_EQ(s.tsval, 3U);
  ASSERT_EQ(s.sack_count, 2);
  EXPECT_EQ(s.sack[1], (SackBlock{70, 80}));
}

TEST(TcpOptionsTest, ListWhoseLastOptionIsCutIsNotWhole) {
  const Bytes packet = build(
      Ipv4{},
      build(Tcp{.flags = kSyn, .options = cat({option::mss(1460), hex("c808 010203040506")})}));
  for (std::size_t captured = 40; captured < packet.size(); ++captured) {
    const Decoded d = decode_cut(kRaw, packet, captured, packet.size());
    ASSERT_EQ(d.status, DecodeStatus::ok);
    EXPECT_TRUE(d.segment.options_cut) << captured;
    EXPECT_EQ(d.segment.window_scale.state, Presence::unknown) << captured;
  }
}

TEST(TcpOptionsTest, ListCutBehindItsEndIsWhole) {
  // The EOL was captured, the padding behind it was not.
  const Bytes packet = build(
      Ipv4{}, build(Tcp{.flags = kSyn, .options = cat({option::mss(1460), hex("00000000")})}));
  const Decoded d = decode_cut(kRaw, packet, 45, packet.size());
  ASSERT_EQ(d.status, DecodeStatus::ok);
  EXPECT_FALSE(d.segment.options_cut);
  EXPECT_EQ(d.segment.window_scale.state, Presence::absent);
  EXPECT_TRUE(d.segment.cut);
}

}  // namespace
}  // namespace rwin::test
