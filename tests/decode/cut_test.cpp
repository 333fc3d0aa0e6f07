// Every packet cut at every byte: never a crash, and what is known never gets less when more was
// captured.
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "tests/decode/decode_helpers.h"

namespace rwin::test {
namespace {

using analysis::Presence;
using analysis::Segment;
using capture::DecodeStatus;

struct Named {
  std::string name;
  std::uint32_t link_type;
  Bytes bytes;
};

std::vector<Named> packets() {
  const Bytes syn = build(Tcp{.flags = 0x02, .options = option::linux_syn(1460, 7), .payload = 20});
  const Bytes sack = build(Tcp{
      .options = cat({hex("0101"), option::sack({{1, 2}, {3, 4}}), hex("1e08 2000 01020304")})});
  const Bytes data =
      build(Tcp{.options = cat({hex("0101"), option::timestamps(5, 6)}), .payload = 30});
  const Bytes hop = cat({hex("0600 c204"), be32(100000)});
  const Bytes wifi =
      cat({hex("0000 0900 02000000 10 8801 0000 020000000001 020000000002 020000000003"
               "0000 0000 aaaa03 000000 0800"),
           build(Ipv4{}, syn), zeros(4)});
  return {
      {"ethernet syn", 1, ethernet(0x0800, build(Ipv4{}, syn))},
      {"ethernet sack", 1, ethernet(0x0800, build(Ipv4{.options = zeros(8)}, sack))},
      {"ethernet v6", 1, ethernet(0x86dd, build(Ipv6{}, data))},
      {"vlan pppoe", 1,
       cat({ethernet(0x8100, hex("0007 8864 1100 0001 0050 0021")), build(Ipv4{}, syn)})},
      {"snap", 1, cat({ethernet(90, hex("aaaa03 000000 0800")), build(Ipv4{}, syn)})},
      {"cooked", 113, cat({zeros(14), be16(0x0800), build(Ipv4{}, data)})},
      {"cooked2", 276, cat({be16(0x86dd), zeros(18), build(Ipv6{}, syn)})},
      {"null", 0, cat({hex("02000000"), build(Ipv4{}, syn)})},
      {"raw", 101, build(Ipv4{}, syn)},
      {"ppp", 9, cat({hex("ff03 57"), build(Ipv6{}, syn)})},
      {"jumbo", 229, build(Ipv6{.next = 0, .length = 0}, cat({hop, syn}))},
      {"extensions", 229,
       build(Ipv6{.next = 0}, cat({Bytes{44, 0, 1, 4, 0, 0, 0, 0}, Bytes{51, 0, 0, 0, 0, 0, 0, 5},
                                   Bytes{6, 4, 0, 0}, zeros(20), syn}))},
      {"super packet", 1, ethernet(0x0800, build(Ipv4{.total = 0}, syn))},
      {"mpls 6in4", 1,
       cat({ethernet(0x8847, hex("00010140")), build(Ipv4{.protocol = 41}, build(Ipv6{}, syn))})},
      {"nflog", 239, cat({hex("02000000 0500 0a00 2d 000000 9400 0900"), build(Ipv4{}, syn)})},
      {"pktap", 258,
       cat({le32(108), le32(1), le32(1), zeros(96), ethernet(0x0800, build(Ipv4{}, syn))})},
      {"radiotap", 127, wifi},
      {"gre", 101,
       build(Ipv4{.protocol = 47}, cat({hex("b000 0800"), zeros(12), build(Ipv4{}, syn)}))},
      {"geneve", 101,
       build(Ipv4{.protocol = 17}, udp(6081, cat({hex("0200 6558 00000100"), zeros(8),
                                                  ethernet(0x0800, build(Ipv4{}, data))})))},
      {"gtp", 101,
       build(Ipv6{.next = 17}, udp(2152, cat({hex("34ff 0040 00000001 0000 00 85 01 1000 00"),
                                              build(Ipv4{}, sack)})))},
      {"malformed tcp", 101, build(Ipv4{}, build(Tcp{.data_offset = 4}))},
      {"broken options", 101,
       build(Ipv4{}, build(Tcp{.flags = 2, .options = hex("020405b4 0300 0101")}))},
  };
}

// How far a cut record got.
int progress(DecodeStatus status) {
  switch (status) {
    case DecodeStatus::cut_link:
      return 0;
    case DecodeStatus::cut_ip:
      return 1;
    case DecodeStatus::cut_tcp:
      return 2;
    default:
      return 3;
  }
}

template <class T>
void expect_not_more(const analysis::Tri<T>& less, const analysis::Tri<T>& whole) {
  if (less.state != Presence::unknown) {
    EXPECT_EQ(less, whole);
  }
}

// Everything that `less` (a cut record) claims, `whole` claims too.
void expect_subset(const Segment& less, const Segment& whole) {
  EXPECT_EQ(less.source, whole.source);
  EXPECT_EQ(less.destination, whole.destination);
  EXPECT_EQ(less.seq, whole.seq);
  EXPECT_EQ(less.ack, whole.ack);
  EXPECT_EQ(less.flags, whole.flags);
  EXPECT_EQ(less.window, whole.window);
  EXPECT_EQ(less.payload, whole.payload);
  EXPECT_EQ(less.ttl, whole.ttl);
  EXPECT_EQ(less.ip_id, whole.ip_id);
  EXPECT_EQ(less.dont_fragment, whole.dont_fragment);
  EXPECT_EQ(less.tunnel, whole.tunnel);
  expect_not_more(less.mss, whole.mss);
  expect_not_more(less.window_scale, whole.window_scale);
  expect_not_more(less.sack_permitted, whole.sack_permitted);
  if (less.timestamps != Presence::unknown) {
    EXPECT_EQ(less.timestamps, whole.timestamps);
    EXPECT_EQ(less.tsval, whole.tsval);
    EXPECT_EQ(less.tsecr, whole.tsecr);
  }
  EXPECT_LE(less.sack_count, whole.sack_count);
  for (std::size_t i = 0; i < less.sack_count; ++i) {
    EXPECT_EQ(less.sack[i], whole.sack[i]);
  }
  EXPECT_LE(less.option_kind_count, whole.option_kind_count);
  EXPECT_LE(less.fast_open, whole.fast_open);
  EXPECT_LE(less.multipath, whole.multipath);
  EXPECT_LE(whole.options_cut, less.options_cut);
  EXPECT_LE(whole.cut, less.cut);
}

TEST(CutTest, KnowledgeGrowsWithEveryByte) {
  for (const Named& p : packets()) {
    const Decoded whole = decode_cut(p.link_type, p.bytes, p.bytes.size(), p.bytes.size());
    EXPECT_EQ(progress(whole.status), 3) << p.name;
    int before = 0;
    bool options_whole = false;
    for (std::size_t captured = 0; captured <= p.bytes.size(); ++captured) {
      SCOPED_TRACE(p.name + ", " + std::to_string(captured) + " bytes");
      const Decoded d = decode_cut(p.link_type, p.bytes, captured, p.bytes.size());
      EXPECT_GE(progress(d.status), before);
      before = progress(d.status);
      if (before == 3) {
        EXPECT_EQ(d.status, whole.status);
      }
      if (d.status != DecodeStatus::ok) continue;
      expect_subset(d.segment, whole.segment);
      EXPECT_FALSE(options_whole && d.segment.options_cut);
      options_whole = !d.segment.options_cut;
      if (d.segment.options_cut) {
        EXPECT_NE(d.segment.window_scale.state, Presence::absent);
        EXPECT_NE(d.segment.mss.state, Presence::absent);
        EXPECT_NE(d.segment.sack_permitted.state, Presence::absent);
        EXPECT_NE(d.segment.timestamps, Presence::absent);
      }
    }
  }
}

TEST(CutTest, RecordsThatForgotTheirLengthDoNotCrash) {
  for (const Named& p : packets()) {
    for (std::size_t captured = 0; captured <= p.bytes.size(); ++captured) {
      SCOPED_TRACE(p.name + ", " + std::to_string(captured) + " bytes");
      const Decoded d = decode_cut(p.link_type, p.bytes, captured, captured);
      // The IP header still tells the length, so a shortened list of options stays a cut one.
      if (d.status == DecodeStatus::ok && d.segment.options_cut) {
        EXPECT_NE(d.segment.window_scale.state, Presence::absent);
      }
      EXPECT_NE(d.status, DecodeStatus::cut_link);
    }
  }
}

}  // namespace
}  // namespace rwin::test
