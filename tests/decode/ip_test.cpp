// IPv4 and IPv6: lengths, options and extension headers, fragments, super-packets, tunnels.
#include <gtest/gtest.h>

#include <ostream>
#include <string>

#include "tests/decode/decode_helpers.h"

namespace rwin::test {
namespace {

using capture::DecodeStatus;

Bytes tcp(std::size_t payload) { return build(Tcp{.payload = payload}); }

TEST(Ipv4Test, AddressesAndFields) {
  const Decoded d = decode_bytes(kRaw, build(Ipv4{}, tcp(5)));
  ASSERT_EQ(d.status, DecodeStatus::ok);
  const auto& s = d.segment;
  EXPECT_EQ(s.source.address.bytes[0], 10);
  EXPECT_EQ(s.source.address.bytes[3], 1);
  EXPECT_EQ(s.destination.address.bytes[3], 2);
  for (std::size_t i = 4; i < 16; ++i) {
    EXPECT_EQ(s.source.address.bytes[i], 0);
  }
  EXPECT_EQ(s.ip_id, 0xbeef);
  EXPECT_EQ(s.ttl, 57);
  EXPECT_TRUE(s.dont_fragment);
  EXPECT_FALSE(decode_bytes(kRaw, build(Ipv4{.fragment = 0}, tcp(5))).segment.dont_fragment);
}

TEST(Ipv4Test, OptionsAreSkipped) {
  for (std::size_t words = 0; words <= 10; ++words) {
    const Decoded d = decode_bytes(kRaw, build(Ipv4{.options = Bytes(words * 4, 1)}, tcp(9)));
    ASSERT_EQ(d.status, DecodeStatus::ok) << words;
    EXPECT_EQ(d.segment.payload, 9U);
    EXPECT_EQ(d.segment.seq, Tcp{}.seq);
  }
}

TEST(Ipv4Test, EthernetPaddingIsNoPayload) {
  for (std::size_t payload = 0; payload <= 6; ++payload) {
    Bytes frame = ethernet(0x0800, build(Ipv4{}, tcp(payload)));
    frame.resize(60, 0xee);
    const Decoded d = decode_bytes(kEthernet, frame);
    ASSERT_EQ(d.status, DecodeStatus::ok);
    EXPECT_EQ(d.segment.payload, payload);
    EXPECT_FALSE(d.segment.cut);
    // The cut that takes only padding away cuts nothing.
    EXPECT_FALSE(decode_cut(kEthernet, frame, 54 + payload, 60).segment.cut);
  }
}

TEST(Ipv4Test, PayloadComesFromTheHeaderWhenTheRecordIsCut) {
  const Bytes frame = ethernet(0x0800, build(Ipv4{}, tcp(1400)));
  const Decoded d = decode_cut(kEthernet, frame, 96, frame.size());
  ASSERT_EQ(d.status, DecodeStatus::ok);
  EXPECT_EQ(d.segment.payload, 1400U);
  EXPECT_TRUE(d.segment.cut);
  EXPECT_FALSE(d.segment.options_cut);
}

TEST(Ipv4Test, TotalLengthAboveTheRecordIsBelieved) {
  // Some programs store a shortened record and forget the length it had.
  const Bytes packet = build(Ipv4{.total = 1500}, tcp(10));
  const Decoded d = decode_bytes(kRaw, packet);
  ASSERT_EQ(d.status, DecodeStatus::ok);
  EXPECT_EQ(d.segment.payload, 1460U);
  EXPECT_TRUE(d.segment.cut);
}

TEST(Ipv4Test, TotalLengthZeroIsASuperPacket) {
  const Bytes frame = ethernet(0x0800, build(Ipv4{.total = 0}, tcp(100)));
  const Decoded whole = decode_bytes(kEthernet, frame);
  ASSERT_EQ(whole.status, DecodeStatus::ok);
  EXPECT_EQ(whole.segment.payload, 100U);
  // 80,000 bytes on the wire, 154 of them captured; options on both levels count as headers.
  const Decoded big = decode_cut(kEthernet, frame, frame.size(), 80054);
  ASSERT_EQ(big.status, DecodeStatus::ok);
  EXPECT_EQ(big.segment.payload, 80000U);
  EXPECT_TRUE(big.segment.cut);
  const Bytes more = ethernet(0x0800, build(Ipv4{.options = zeros(8), .total = 0},
                                            build(Tcp{.options = option::timestamps(1, 2)})));
  EXPECT_EQ(decode_cut(kEthernet, more, more.size(), 90000).segment.payload, 90000U - 14 - 28 - 32);
}

TEST(Ipv4Test, ALengthThatNoWindowAllowsIsMalformed) {
  const Bytes packet = build(Ipv4{.total = 0}, tcp(0));
  EXPECT_EQ(decode_cut(kRaw, packet, packet.size(), 40 + (1U << 30)).status, DecodeStatus::ok);
  EXPECT_EQ(decode_cut(kRaw, packet, packet.size(), 41 + (1U << 30)).status,
            DecodeStatus::malformed_tcp);
  EXPECT_EQ(decode_cut(kRaw, packet, packet.size(), 0xffffffff).status,
            DecodeStatus::malformed_tcp);
}

TEST(Ipv4Test, ImpossibleHeaders) {
  for (const std::uint8_t first : {0x44, 0x40, 0x55, 0x05, 0x65}) {
    EXPECT_EQ(decode_bytes(228, build(Ipv4{.first = first}, tcp(0))).status,
              DecodeStatus::malformed_ip)
        << int{first};
  }
  EXPECT_EQ(decode_bytes(kRaw, build(Ipv4{.total = 19}, tcp(0))).status,
            DecodeStatus::malformed_ip);
  EXPECT_EQ(decode_bytes(kRaw, build(Ipv4{.options = zeros(8), .total = 24}, tcp(0))).status,
            DecodeStatus::malformed_ip);
  // Room for the IP header only, or for half a TCP header.
  EXPECT_EQ(decode_bytes(kRaw, build(Ipv4{.total = 20}, tcp(0))).status,
            DecodeStatus::malformed_tcp);
  EXPECT_EQ(decode_bytes(kRaw, build(Ipv4{.total = 39}, tcp(0))).status,
            DecodeStatus::malformed_tcp);
}

struct Protocol {
  const char* name;
  std::uint8_t number;
  DecodeStatus first;  // of a whole packet
  DecodeStatus later;  // of a later fragment
};
void PrintTo(const Protocol& test, std::ostream* out) { *out << test.name; }

class ProtocolTest : public testing::TestWithParam<Protocol> {};

TEST_P(ProtocolTest, IsToldForBothFamilies) {
  const Protocol& p = GetParam();
  const Bytes body = zeros(24);
  EXPECT_EQ(decode_bytes(kRaw, build(Ipv4{.protocol = p.number}, body)).status, p.first);
  EXPECT_EQ(decode_bytes(kRaw, build(Ipv6{.next = p.number}, body)).status, p.first);
  EXPECT_EQ(decode_bytes(kRaw, build(Ipv4{.protocol = p.number, .fragment = 0x00b9}, body)).status,
            p.later);
  const Bytes fragment = cat({Bytes{p.number, 0}, be16(185 << 3 | 1), be32(77), body});
  EXPECT_EQ(decode_bytes(kRaw, build(Ipv6{.next = 44}, fragment)).status, p.later);
}

INSTANTIATE_TEST_SUITE_P(
    All, ProtocolTest,
    testing::Values(Protocol{"udp", 17, DecodeStatus::not_tcp, DecodeStatus::later_fragment},
                    Protocol{"sctp", 132, DecodeStatus::not_tcp, DecodeStatus::not_tcp},
                    Protocol{"icmp", 1, DecodeStatus::icmp, DecodeStatus::icmp},
                    Protocol{"icmp6", 58, DecodeStatus::icmp, DecodeStatus::icmp},
                    Protocol{"esp", 50, DecodeStatus::encrypted, DecodeStatus::encrypted},
                    Protocol{"tcp", 6, DecodeStatus::malformed_tcp, DecodeStatus::later_fragment}),
    [](const auto& test) { return std::string(test.param.name); });

TEST(Ipv4Test, QuotedTcpInIcmpIsNoTcpPacket) {
  const Bytes quote = build(Ipv4{}, tcp(0));
  const Bytes icmp = build(Ipv4{.protocol = 1}, cat({hex("0304 0000 0000 0578"), quote}));
  EXPECT_EQ(decode_bytes(kRaw, icmp).status, DecodeStatus::icmp);
}

TEST(Ipv4Test, FirstFragmentIsDecoded) {
  const Decoded d = decode_bytes(kRaw, build(Ipv4{.fragment = 0x2000}, tcp(300)));
  ASSERT_EQ(d.status, DecodeStatus::ok);
  EXPECT_EQ(d.segment.payload, 300U);
  EXPECT_FALSE(d.segment.dont_fragment);
}

TEST(Ipv4Test, FirstFragmentThatEndsInsideTcpHeader) {
  Bytes header = tcp(0);
  header.resize(16);
  EXPECT_EQ(decode_bytes(kRaw, build(Ipv4{.fragment = 0x2000}, header)).status,
            DecodeStatus::cut_tcp);
  EXPECT_EQ(decode_bytes(kRaw, build(Ipv4{.fragment = 0}, header)).status,
            DecodeStatus::malformed_tcp);
}

TEST(Ipv4Test, FirstFragmentThatEndsInsideOptions) {
  Bytes syn = build(Tcp{.flags = 0x02, .options = option::linux_syn(1460, 7)});
  syn.resize(24);  // the MSS option, nothing else
  const Decoded d = decode_bytes(kRaw, build(Ipv4{.fragment = 0x2000}, syn));
  ASSERT_EQ(d.status, DecodeStatus::ok);
  EXPECT_TRUE(d.segment.options_cut);
  EXPECT_EQ(d.segment.mss, analysis::Tri<std::uint16_t>::of(1460));
  EXPECT_EQ(d.segment.window_scale.state, analysis::Presence::unknown);
  EXPECT_EQ(d.segment.payload, 0U);
  EXPECT_EQ(decode_bytes(kRaw, build(Ipv4{.fragment = 0}, syn)).status,
            DecodeStatus::malformed_tcp);
}

TEST(Ipv4Test, AuthenticationHeaderIsSkipped) {
  const Bytes ah = cat({Bytes{6, 4, 0, 0}, be32(99), be32(1), zeros(12)});
  const Decoded d = decode_bytes(kRaw, build(Ipv4{.protocol = 51}, cat({ah, tcp(8)})));
  ASSERT_EQ(d.status, DecodeStatus::ok);
  EXPECT_EQ(d.segment.payload, 8U);
}

TEST(Ipv6Test, AddressesAndFields) {
  const Decoded d = decode_bytes(kRaw, build(Ipv6{}, tcp(5)));
  ASSERT_EQ(d.status, DecodeStatus::ok);
  EXPECT_EQ(Bytes(d.segment.source.address.bytes.begin(), d.segment.source.address.bytes.end()),
            ipv6_address(1));
  EXPECT_EQ(d.segment.destination.address.bytes[15], 2);
  EXPECT_EQ(d.segment.source.address.family, 6);
  EXPECT_EQ(d.segment.ip_id, 0);
  EXPECT_TRUE(d.segment.dont_fragment);
  EXPECT_EQ(d.segment.payload, 5U);
}

Bytes options_header(std::uint8_t next, std::size_t words) {
  return cat(
      {Bytes{next, static_cast<std::uint8_t>(words - 1), 1, 4}, zeros(4), zeros((words - 1) * 8)});
}

TEST(Ipv6Test, ExtensionHeadersAreSkippedAndAreNoPayload) {
  const Bytes atomic = cat({Bytes{6, 0}, be16(0), be32(5)});
  const Bytes ah = cat({Bytes{6, 4, 0, 0}, be32(99), be32(1), zeros(12)});
  struct {
    const char* name;
    std::uint8_t first;
    Bytes headers;
  } const cases[] = {
      {"hop by hop", 0, options_header(6, 1)},
      {"long hop by hop", 0, options_header(6, 5)},
      {"routing", 43, options_header(6, 3)},
      {"destination", 60, options_header(6, 1)},
      {"mobility", 135, options_header(6, 1)},
      {"atomic fragment", 44, atomic},
      {"authentication", 51, ah},
      {"all of them", 0,
       cat({options_header(60, 1), options_header(43, 2), options_header(44, 1),
            cat({Bytes{51, 0}, be16(0), be32(5)}), cat({Bytes{60, 4, 0, 0}, zeros(20)}),
            options_header(6, 1)})},
  };
  for (const auto& c : cases) {
    const Decoded d = decode_bytes(kRaw, build(Ipv6{.next = c.first}, cat({c.headers, tcp(33)})));
    ASSERT_EQ(d.status, DecodeStatus::ok) << c.name;
    EXPECT_EQ(d.segment.payload, 33U) << c.name;
    EXPECT_EQ(d.segment.seq, Tcp{}.seq) << c.name;
  }
}

TEST(Ipv6Test, ExtensionHeadersAreBounded) {
  Bytes body = tcp(0);
  std::uint8_t next = 6;
  for (int i = 0; i < 100; ++i) {
    body = cat({options_header(next, 1), body});
    next = 60;
  }
  EXPECT_EQ(decode_bytes(kRaw, build(Ipv6{.next = 60}, body)).status, DecodeStatus::malformed_ip);
}

TEST(Ipv6Test, ExtensionHeaderLongerThanThePacket) {
  Bytes header = options_header(6, 1);
  header[1] = 200;
  EXPECT_EQ(decode_bytes(kRaw, build(Ipv6{.next = 60}, cat({header, tcp(0)}))).status,
            DecodeStatus::malformed_ip);
}

TEST(Ipv6Test, NoNextHeader) {
  EXPECT_EQ(decode_bytes(kRaw, build(Ipv6{.next = 59}, zeros(8))).status, DecodeStatus::not_tcp);
  EXPECT_EQ(decode_bytes(kRaw, build(Ipv6{.next = 59, .length = 0}, zeros(8))).status,
            DecodeStatus::not_tcp);
}

TEST(Ipv6Test, FirstFragmentIsDecodedAndLaterOnesAreCounted) {
  const Bytes first = cat({Bytes{6, 0}, be16(1), be32(5)});
  const Decoded d = decode_bytes(kRaw, build(Ipv6{.next = 44}, cat({first, tcp(80)})));
  ASSERT_EQ(d.status, DecodeStatus::ok);
  EXPECT_EQ(d.segment.payload, 80U);
  for (const std::uint32_t offset : {1U, 100U, 0x1000U, 0x1fffU}) {
    const Bytes later = cat({Bytes{6, 0}, be16(offset << 3), be32(5)});
    EXPECT_EQ(decode_bytes(kRaw, build(Ipv6{.next = 44}, cat({later, tcp(80)}))).status,
              DecodeStatus::later_fragment);
    const auto field = static_cast<std::uint16_t>(offset);
    EXPECT_EQ(decode_bytes(kRaw, build(Ipv4{.fragment = field}, tcp(80))).status,
              DecodeStatus::later_fragment);
  }
  // The rest of the TCP header is in the next fragment.
  const Bytes half = cat({first, Bytes(12, 1)});
  EXPECT_EQ(decode_bytes(kRaw, build(Ipv6{.next = 44}, half)).status, DecodeStatus::cut_tcp);
}

TEST(Ipv6Test, JumboPayloadOption) {
  // Hop-by-hop: next TCP, no more words, option C2 of 4 bytes: 8 + 20 + 200000.
  const Bytes hop = cat({hex("0600 c204"), be32(200028)});
  const Bytes packet = build(Ipv6{.next = 0, .length = 0}, cat({hop, tcp(50)}));
  const Decoded d = decode_cut(kRaw, packet, packet.size(), 40 + 200028);
  ASSERT_EQ(d.status, DecodeStatus::ok);
  EXPECT_EQ(d.segment.payload, 200000U);
  // The option holds against a record that forgot its length.
  EXPECT_EQ(decode_bytes(kRaw, packet).segment.payload, 200000U);
  // Padding before the option.
  const Bytes padded = cat({hex("0601 00 0102 0000 00 0000"), hex("c204"), be32(200036)});
  const Decoded e = decode_bytes(kRaw, build(Ipv6{.next = 0, .length = 0}, cat({padded, tcp(50)})));
  ASSERT_EQ(e.status, DecodeStatus::ok);
  EXPECT_EQ(e.segment.payload, 200000U);
  // A jumbo length must exceed 65535.
  const Bytes small = cat({hex("0600 c204"), be32(65535)});
  EXPECT_EQ(decode_bytes(kRaw, build(Ipv6{.next = 0, .length = 0}, cat({small, tcp(0)}))).status,
            DecodeStatus::malformed_ip);
  const Bytes least = cat({hex("0600 c204"), be32(65536)});
  const Decoded g = decode_bytes(kRaw, build(Ipv6{.next = 0, .length = 0}, cat({least, tcp(0)})));
  ASSERT_EQ(g.status, DecodeStatus::ok);
  EXPECT_EQ(g.segment.payload, 65536U - 8 - 20);
  // With a payload length the option says nothing.
  const Decoded f = decode_bytes(kRaw, build(Ipv6{.next = 0}, cat({hop, tcp(50)})));
  EXPECT_EQ(f.segment.payload, 50U);
}

TEST(Ipv6Test, PayloadLengthZeroIsASuperPacket) {
  const Bytes frame = ethernet(0x86dd, build(Ipv6{.length = 0}, tcp(100)));
  const Decoded big = decode_cut(kEthernet, frame, frame.size(), 14 + 40 + 20 + 180000);
  ASSERT_EQ(big.status, DecodeStatus::ok);
  EXPECT_EQ(big.segment.payload, 180000U);
  EXPECT_EQ(decode_bytes(kEthernet, frame).segment.payload, 100U);
}

TEST(TunnelTest, InnerPacketCounts) {
  const Bytes inner4 = build(Ipv4{.ttl = 9, .id = 3, .source = 0xc0000201}, tcp(21));
  const Bytes inner6 = build(Ipv6{.hop_limit = 9, .source_last = 77}, tcp(21));
  struct {
    const char* name;
    Bytes packet;
    int family;
  } const cases[] = {
      {"ipip", build(Ipv4{.protocol = 4}, inner4), 4},
      {"6in4", build(Ipv4{.protocol = 41}, inner6), 6},
      {"4in6", build(Ipv6{.next = 4}, inner4), 4},
      {"6in6", build(Ipv6{.next = 41}, inner6), 6},
  };
  for (const auto& c : cases) {
    const Decoded d = decode_bytes(kRaw, c.packet);
    ASSERT_EQ(d.status, DecodeStatus::ok) << c.name;
    EXPECT_EQ(d.segment.tunnel, analysis::Tunnel::ip_in_ip) << c.name;
    EXPECT_EQ(d.segment.payload, 21U) << c.name;
    EXPECT_EQ(d.segment.ttl, 9) << c.name;
    EXPECT_EQ(d.segment.ip_id, c.family == 4 ? 3 : 0) << c.name;
    const auto& address = d.segment.source.address;
    EXPECT_EQ(address.family, c.family) << c.name;
    EXPECT_EQ(address.bytes[0], c.family == 4 ? 0xc0 : 0x20) << c.name;
    EXPECT_EQ(address.bytes[15], c.family == 4 ? 0 : 77) << c.name;
    for (std::size_t i = 4; c.family == 4 && i < 16; ++i) EXPECT_EQ(address.bytes[i], 0) << c.name;
  }
}

TEST(TunnelTest, DepthIsBounded) {
  Bytes packet = build(Ipv4{}, tcp(0));
  for (int i = 0; i < 100; ++i) packet = build(Ipv4{.protocol = 4}, packet);
  EXPECT_EQ(decode_bytes(kRaw, packet).status, DecodeStatus::malformed_ip);
}

}  // namespace
}  // namespace rwin::test
