// Tunnels: the packet inside counts, whatever is around it; what only looks like one is left alone.
#include <gtest/gtest.h>

#include "tests/decode/decode_helpers.h"
#include "tests/support/wraps.h"

namespace rwin::test {
namespace {

using analysis::Tunnel;
using capture::DecodeStatus;

TEST(Tunnels, TheInnerSegmentIsTheSame) {
  const Tcp syn{.flags = 2, .options = option::linux_syn(1460, 7)};
  for (const int version : {4, 6}) {
    const Bytes inside = version == 4 ? build(Ipv4{}, build(syn)) : build(Ipv6{}, build(syn));
    const Decoded plain = decode_bytes(kRaw, inside);
    ASSERT_EQ(plain.status, DecodeStatus::ok);
    for (const Wrap& wrap : wraps(version)) {
      const Decoded d = decode_bytes(kRaw, wrap.around(inside));
      ASSERT_EQ(d.status, DecodeStatus::ok) << wrap.name << ", IPv" << version;
      EXPECT_EQ(d.segment.tunnel, wrap.tunnel) << wrap.name;
      EXPECT_EQ(d.segment.source, plain.segment.source) << wrap.name;
      EXPECT_EQ(d.segment.destination, plain.segment.destination) << wrap.name;
      EXPECT_EQ(d.segment.seq, plain.segment.seq) << wrap.name;
      EXPECT_EQ(d.segment.payload, plain.segment.payload) << wrap.name;
      EXPECT_EQ(d.segment.window_scale, plain.segment.window_scale) << wrap.name;
      EXPECT_EQ(d.segment.ttl, plain.segment.ttl) << wrap.name;
      EXPECT_FALSE(d.segment.cut) << wrap.name;
    }
  }
}

// Cut anywhere: what is missing is said, nothing is read behind the end.
TEST(Tunnels, CutAnywhere) {
  const Bytes inside = build(Ipv4{}, build(Tcp{.payload = 30}));
  for (const Wrap& wrap : wraps(4)) {
    const Bytes whole = wrap.around(inside);
    for (std::size_t captured = 0; captured < whole.size(); ++captured) {
      const Decoded d = decode_cut(kRaw, whole, captured, whole.size());
      const bool tcp_header_there = captured + 30 >= whole.size();
      EXPECT_EQ(d.status == DecodeStatus::ok, tcp_header_there) << wrap.name << " " << captured;
      EXPECT_NE(d.status, DecodeStatus::malformed_ip) << wrap.name << " " << captured;
      EXPECT_NE(d.status, DecodeStatus::malformed_link) << wrap.name << " " << captured;
    }
  }
}

// The port of a tunnel, and something else inside.
TEST(Tunnels, APortIsOnlyAHint) {
  for (const std::uint16_t port : {4789, 8472, 4790, 6081, 2152, 3544, 1701, 6635}) {
    for (const char* bytes : {"00000000 00000000 00000000", "ffffffff ffffffff ffffffff ffffffff",
                              "16030100 c4010000 c0030352", "47455420 2f204854 54502f31"}) {
      const Bytes packet = build(Ipv4{.protocol = 17}, udp(port, cat({hex(bytes), zeros(40)})));
      EXPECT_EQ(decode_bytes(kRaw, packet).status, DecodeStatus::not_tcp) << port << " " << bytes;
    }
  }
}

TEST(Tunnels, AnswersComeFromThePortOnlyWhereTheProtocolSaysSo) {
  const Bytes inside = build(Ipv4{}, build(Tcp{}));
  const Bytes l2tp = cat({hex("0002 0001 0001 0021"), inside});
  EXPECT_EQ(decode_bytes(kRaw, build(Ipv4{.protocol = 17}, udp(50'000, l2tp, 1701))).status,
            DecodeStatus::ok);
  const Bytes vxlan = cat({hex("08000000 00000100"), ethernet(0x0800, inside)});
  EXPECT_EQ(decode_bytes(kRaw, build(Ipv4{.protocol = 17}, udp(50'000, vxlan, 4789))).status,
            DecodeStatus::not_tcp);
}

TEST(Tunnels, ControlAndEncryptedPackets) {
  struct {
    const char* name;
    Bytes packet;
    DecodeStatus status;
  } const cases[] = {
      {"GTP echo", build(Ipv4{.protocol = 17}, udp(2152, hex("3201 0004 00000000 00000000"))),
       DecodeStatus::not_tcp},
      {"L2TP control", build(Ipv4{.protocol = 17}, udp(1701, hex("c802 000c 0001 0000 0000 0000"))),
       DecodeStatus::not_tcp},
      {"L2TPv3 control over IP", build(Ipv4{.protocol = 115}, cat({zeros(4), hex("c803 0014")})),
       DecodeStatus::not_tcp},
      {"L2TPv3 with something else inside",
       build(Ipv4{.protocol = 115}, cat({hex("00000007"), zeros(60)})), DecodeStatus::not_tcp},
      {"PPTP acknowledgement", build(Ipv4{.protocol = 47}, hex("2081 880b 0000 0001 00000001")),
       DecodeStatus::not_tcp},
      {"PPTP with MPPE",
       build(Ipv4{.protocol = 47}, hex("3001 880b 0006 0001 00000001 00fd 90011234")),
       DecodeStatus::encrypted},
      {"GRE with source routes", build(Ipv4{.protocol = 47}, hex("4000 0800 00000000 00000000")),
       DecodeStatus::not_tcp},
      {"GRE keep-alive", build(Ipv4{.protocol = 47}, hex("0000 0000")), DecodeStatus::not_tcp},
      {"GRE version 2", build(Ipv4{.protocol = 47}, hex("0002 0800 00000000")),
       DecodeStatus::malformed_ip},
      {"ESP in UDP", build(Ipv4{.protocol = 17}, udp(4500, hex("12345678 00000001"))),
       DecodeStatus::encrypted},
      {"key exchange", build(Ipv4{.protocol = 17}, udp(4500, hex("00000000 00000001"))),
       DecodeStatus::not_tcp},
      {"DNS", build(Ipv4{.protocol = 17}, udp(53, zeros(20))), DecodeStatus::not_tcp},
      {"EtherIP, other version", build(Ipv4{.protocol = 97}, cat({hex("2000"), zeros(40)})),
       DecodeStatus::not_tcp},
  };
  for (const auto& c : cases) EXPECT_EQ(decode_bytes(kRaw, c.packet).status, c.status) << c.name;
}

// Tunnels in tunnels without end: bounded.
TEST(Tunnels, TooManyLayers) {
  Bytes packet = build(Ipv4{}, build(Tcp{}));
  for (int i = 0; i < 40; ++i) {
    packet = build(Ipv4{.protocol = 47}, cat({hex("0000 0800"), packet}));
    const Decoded d = decode_bytes(kRaw, packet);
    EXPECT_EQ(d.status, i < 16 ? DecodeStatus::ok : DecodeStatus::malformed_ip) << i;
  }
}

}  // namespace
}  // namespace rwin::test
