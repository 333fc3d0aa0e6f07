#include <gtest/gtest.h>

#include <set>
#include <string>

#include "tests/decode/decode_helpers.h"

namespace rwin::capture {
namespace {

TEST(DecodeStatusTest, EveryStatusHasItsOwnWord) {
  std::set<std::string> words;
  for (int i = 0; i < kDecodeStatusCount; ++i) {
    const std::string text(word(static_cast<DecodeStatus>(i)));
    EXPECT_EQ(text.find_first_not_of("abcdefghijklmnopqrstuvwxyz_"), std::string::npos) << text;
    EXPECT_NE(text, "unknown");
    words.insert(text);
  }
  EXPECT_EQ(words.size(), static_cast<std::size_t>(kDecodeStatusCount));
}

TEST(DecodeCountersTest, CountsByReason) {
  DecodeCounters counters;
  const RawPacket whole{.captured = 100, .original = 100};
  const RawPacket cut{.captured = 96, .original = 1500};
  counters.add(whole, DecodeStatus::ok);
  counters.add(cut, DecodeStatus::ok);
  counters.add(cut, DecodeStatus::cut_tcp);
  counters.add(whole, DecodeStatus::malformed_tcp);
  counters.add(whole, DecodeStatus::malformed_ip);
  counters.add(whole, DecodeStatus::malformed_link);
  counters.add(whole, DecodeStatus::icmp);
  EXPECT_EQ(counters.packets, 7U);
  EXPECT_EQ(counters.tcp_packets, 4U);
  EXPECT_EQ(counters.cut, 2U);
  EXPECT_EQ(counters.malformed, 3U);
  EXPECT_EQ(counters.by_status[static_cast<std::size_t>(DecodeStatus::ok)], 2U);
  EXPECT_EQ(counters.by_status[static_cast<std::size_t>(DecodeStatus::icmp)], 1U);
  EXPECT_EQ(counters.by_status[static_cast<std::size_t>(DecodeStatus::not_tcp)], 0U);
}

TEST(DecodeTest, NothingIsLeftFromTheSegmentBefore) {
  using namespace rwin::test;  // NOLINT: the builders
  const Bytes syn = build(Ipv6{}, build(Tcp{.flags = 0x02, .options = option::linux_syn(1460, 7)}));
  const Bytes plain = build(Ipv4{}, build(Tcp{}));
  analysis::Segment reused;
  const auto run = [&](const Bytes& bytes) {
    const RawPacket packet{.link_type = 101,
                           .captured = static_cast<std::uint32_t>(bytes.size()),
                           .original = static_cast<std::uint32_t>(bytes.size()),
                           .data = bytes.data()};
    return decode(packet, reused);
  };
  ASSERT_EQ(run(syn), DecodeStatus::ok);
  ASSERT_EQ(run(plain), DecodeStatus::ok);
  EXPECT_EQ(reused.mss.state, analysis::Presence::unknown);
  EXPECT_EQ(reused.timestamps, analysis::Presence::absent);
  EXPECT_EQ(reused.tsval, 0U);
  EXPECT_EQ(reused.option_kind_count, 0);
  EXPECT_EQ(reused.source.address.bytes[15], 0);
}

}  // namespace
}  // namespace rwin::capture
