// Every link type and what can stand between it and IP: the same TCP packet must come out.
#include <gtest/gtest.h>

#include <ostream>
#include <string>

#include "tests/decode/decode_helpers.h"

namespace rwin::test {
namespace {

using capture::DecodeStatus;

const Tcp kTcp{.options = option::timestamps(7, 9), .payload = 11};

Bytes v4() { return build(Ipv4{}, build(kTcp)); }
Bytes v6() { return build(Ipv6{}, build(kTcp)); }

void expect_packet(const Decoded& d, int family) {
  ASSERT_EQ(d.status, DecodeStatus::ok);
  EXPECT_EQ(d.segment.source.address.family, family);
  EXPECT_EQ(d.segment.source.port, kTcp.source_port);
  EXPECT_EQ(d.segment.destination.port, kTcp.destination_port);
  EXPECT_EQ(d.segment.seq, kTcp.seq);
  EXPECT_EQ(d.segment.ack, kTcp.ack);
  EXPECT_EQ(d.segment.window, kTcp.window);
  EXPECT_EQ(d.segment.flags, kTcp.flags);
  EXPECT_EQ(d.segment.payload, 11U);
  EXPECT_EQ(d.segment.tsval, 7U);
  EXPECT_EQ(d.segment.ttl, 57);
  EXPECT_EQ(d.segment.time_ns, 1234567890);
  EXPECT_EQ(d.segment.record, 7U);
  EXPECT_FALSE(d.segment.cut);
  EXPECT_FALSE(d.segment.options_cut);
  EXPECT_EQ(d.segment.tunnel, analysis::Tunnel::none);
}

struct Case {
  const char* name;
  std::uint32_t link_type;
  const char* before;  // hex of all bytes before IP
  int family;          // of the IP packet that follows
};
void PrintTo(const Case& test, std::ostream* out) { *out << test.name; }

const char kMac[] = "020000000002 020000000001 ";

const Case kCases[] = {
    {"ethernet", 1, "020000000002 020000000001 0800", 4},
    {"ethernet_v6", 1, "020000000002 020000000001 86dd", 6},
    {"vlan", 1, "020000000002 020000000001 8100 2064 0800", 4},
    {"vlan_v6", 1, "020000000002 020000000001 8100 0001 86dd", 6},
    {"qinq", 1, "020000000002 020000000001 88a8 0064 8100 0065 0800", 4},
    {"qinq_old", 1, "020000000002 020000000001 9100 0064 9200 0065 9300 0066 8100 0067 0800", 4},
    {"snap_802_3", 1, "020000000002 020000000001 0051 aaaa03 000000 0800", 4},
    {"snap_802_3_v6", 1, "020000000002 020000000001 0051 aaaa03 000000 86dd", 6},
    {"snap_bridge_tunnel", 1, "020000000002 020000000001 0051 aaaa03 0000f8 0800", 4},
    {"snap_in_vlan", 1, "020000000002 020000000001 8100 0005 0051 aaaa03 000000 0800", 4},
    {"vlan_in_snap", 1, "020000000002 020000000001 0051 aaaa03 000000 8100 0005 0800", 4},
    {"llc_ip", 1, "020000000002 020000000001 0051 060603", 4},
    {"llc_iso_v4", 1, "020000000002 020000000001 0051 fefe03 cc", 4},
    {"llc_iso_v6", 1, "020000000002 020000000001 0051 fefe03 8e", 6},
    {"jumbo_llc", 1, "020000000002 020000000001 8870 aaaa03 000000 0800", 4},
    {"pppoe", 1, "020000000002 020000000001 8864 1100 0001 0053 0021", 4},
    {"pppoe_v6", 1, "020000000002 020000000001 8864 1100 0001 0053 0057", 6},
    {"pppoe_short_protocol", 1, "020000000002 020000000001 8864 1100 0001 0053 21", 4},
    {"pppoe_in_vlan", 1, "020000000002 020000000001 8100 0007 8864 1100 0001 0053 0021", 4},
    {"ppp_in_ethernet", 1, "020000000002 020000000001 880b 0021", 4},
    {"mpls", 1, "020000000002 020000000001 8847 00010140", 4},
    {"mpls_stack", 1, "020000000002 020000000001 8847 00010040 00020040 00030140", 6},
    {"mpls_pseudowire", 1,
     "020000000002 020000000001 8847 00010140 00000000 020000000004 020000000003 0800", 4},
    {"ppp", 9, "0021", 4},
    {"ppp_v6", 9, "0057", 6},
    {"ppp_framed", 9, "ff03 0021", 4},
    {"ppp_short", 9, "21", 4},
    {"ppp_short_v6", 9, "57", 6},
    {"ppp_framed_short", 9, "ff03 21", 4},
    {"ppp_mpls", 9, "0281 00010140", 4},
    {"ppp_cisco", 9, "0f00 0800", 4},
    {"ppp_serial", 50, "ff03 0021", 4},
    {"ppp_serial_cisco", 50, "8f00 86dd", 6},
    {"ppp_ether", 51, "1100 0001 0053 0021", 4},
    {"ppp_pppd_in", 166, "0003 0021", 4},
    {"ppp_pppd_out", 166, "0103 0057", 6},
    {"ppp_with_direction", 204, "01 ff03 0021", 4},
    {"ppp_with_direction_bare", 204, "00 0021", 4},
    {"cisco_hdlc", 104, "0f00 0800", 4},
    {"cisco_hdlc_v6", 104, "8f00 86dd", 6},
    {"cisco_hdlc_ppp", 104, "ff03 0021", 4},
    {"atm_llc", 11, "aaaa03 000000 0800", 4},
    {"atm_llc_linktype", 100, "aaaa03 000000 86dd", 6},
    {"cooked", 113, "0000 0001 0006 020000000001 0000 0800", 4},
    {"cooked_v6", 113, "0004 0304 0006 000000000000 0000 86dd", 6},
    {"cooked_vlan", 113, "0000 0001 0006 020000000001 0000 8100 0005 0800", 4},
    {"cooked_llc", 113, "0000 0001 0006 020000000001 0000 0004 aaaa03 000000 0800", 4},
    {"cooked_ppp", 113, "0000 0200 0000 000000000000 0000 0800", 4},
    {"cooked_pppoe", 113, "0000 0001 0006 020000000001 0000 8864 1100 0001 0053 0021", 4},
    {"cooked2", 276, "0800 0000 00000002 0001 00 06 020000000001 0000", 4},
    {"cooked2_v6", 276, "86dd 0000 00000002 0304 04 06 000000000000 0000", 6},
    {"cooked2_vlan", 276, "8100 0000 00000002 0001 00 06 020000000001 0000 0005 0800", 4},
    {"cooked2_llc", 276, "0004 0000 00000002 0001 00 06 020000000001 0000 aaaa03 000000 0800", 4},
    {"raw_12", 12, "", 4},
    {"raw_12_v6", 12, "", 6},
    {"raw_14", 14, "", 4},
    {"raw_101", 101, "", 4},
    {"raw_101_v6", 101, "", 6},
    {"raw_ipv4", 228, "", 4},
    {"raw_ipv6", 229, "", 6},
    {"mpls_raw", 219, "00010140", 4},
    {"null_little", 0, "02000000", 4},
    {"null_big", 0, "00000002", 4},
    {"null_linux_v6", 0, "0a000000", 6},
    {"null_windows_v6", 0, "17000000", 6},
    {"null_netbsd_v6", 0, "18000000", 6},
    {"null_freebsd_v6", 0, "0000001c", 6},
    {"null_macos_v6", 0, "1e000000", 6},
    {"loop", 108, "00000002", 4},
    {"loop_v6", 108, "00000018", 6},
    {"enc", 109, "02000000 00001234 00000000", 4},
    {"nflog", 239, "02 00 0000  0800 0100 0800 0300  0500 0a00 2d 000000  0400 0900", 4},
    {"nflog_big_endian", 239, "0a 00 0000  0008 0001 0800 0300  0004 0009", 6},
};

class LinkTest : public testing::TestWithParam<Case> {};

TEST_P(LinkTest, FindsTheTcpPacket) {
  const Case& c = GetParam();
  expect_packet(decode_bytes(c.link_type, cat({hex(c.before), c.family == 4 ? v4() : v6()})),
                c.family);
}

INSTANTIATE_TEST_SUITE_P(All, LinkTest, testing::ValuesIn(kCases),
                         [](const auto& test) { return std::string(test.param.name); });

TEST(LinkTest, PpiLeadsToTheInnerLinkType) {
  expect_packet(decode_bytes(192, cat({hex("0000 0800 01000000"), ethernet(0x0800, v4())})), 4);
  expect_packet(decode_bytes(192, cat({hex("0000 1000 0c000000 0000000000000000"), v6()})), 6);
  EXPECT_EQ(decode_bytes(192, cat({hex("0000 0400 01000000"), v4()})).status,
            DecodeStatus::malformed_link);
  EXPECT_EQ(decode_bytes(192, cat({hex("0000 0800 93000000"), v4()})).status,
            DecodeStatus::unsupported_link);
}

TEST(LinkTest, PktapLeadsToTheInnerLinkType) {
  for (const std::uint32_t number : {149U, 258U}) {
    Bytes head = cat({le32(108), le32(1), le32(1), zeros(96)});
    expect_packet(decode_bytes(number, cat({head, ethernet(0x0800, v4())})), 4);
    head = cat({le32(120), le32(1), le32(12), zeros(108)});
    expect_packet(decode_bytes(number, cat({head, v6()})), 6);
    head = cat({le32(107), le32(1), le32(12), zeros(96)});
    EXPECT_EQ(decode_bytes(number, cat({head, v4()})).status, DecodeStatus::malformed_link);
  }
}

TEST(LinkTest, PktapInsidePktapEnds) {
  Bytes packet = v4();
  for (int i = 0; i < 40; ++i) packet = cat({le32(108), le32(1), le32(258), zeros(96), packet});
  EXPECT_EQ(decode_bytes(258, packet).status, DecodeStatus::malformed_link);
}

struct Refused {
  const char* name;
  std::uint32_t link_type;
  const char* bytes;  // Ethernet: from the EtherType on
  DecodeStatus status;
};
void PrintTo(const Refused& test, std::ostream* out) { *out << test.name; }

const Refused kRefused[] = {
    {"arp", 1, "0806 0001 0800 0604 0001", DecodeStatus::not_ip},
    {"arp_in_vlan", 1, "8100 0001 0806 0001 0800 0604 0001", DecodeStatus::not_ip},
    {"spanning_tree", 1, "0026 424203 0000000000", DecodeStatus::not_ip},
    {"novell", 1, "0026 ffff 0000 0000", DecodeStatus::not_ip},
    {"cdp", 1, "0026 aaaa03 00000c 2000 0000", DecodeStatus::not_ip},
    {"llc_numbered", 1, "0026 aaaa00 000000 0800 00", DecodeStatus::not_ip},
    {"between_length_and_type", 1, "05dd aaaa03 000000 0800 4500", DecodeStatus::not_ip},
    {"pppoe_discovery", 1, "8863 1109 0000 0004 0101 0000", DecodeStatus::not_ip},
    {"pppoe_code", 1, "8864 1109 0000 0004 0101 0000", DecodeStatus::not_ip},
    {"pppoe_version", 1, "8864 2100 0000 0004 0021 4500", DecodeStatus::malformed_link},
    {"ppp_lcp", 1, "8864 1100 0001 000a c021 0901", DecodeStatus::not_ip},
    {"ppp_mppe", 1, "8864 1100 0001 000a 00fd 0901", DecodeStatus::encrypted},
    {"ppp_encrypted", 9, "0053 0901", DecodeStatus::encrypted},
    {"ppp_van_jacobson", 9, "002d 0901", DecodeStatus::not_ip},
    {"macsec", 1, "88e5 0c00 0000 0001", DecodeStatus::encrypted},
    {"mpls_unknown", 1, "8847 00010140 20000000", DecodeStatus::not_ip},
    {"null_other_family", 0, "07000000 0000", DecodeStatus::not_ip},
    {"loop_wrong_order", 108, "02000000 4500", DecodeStatus::not_ip},
    {"cooked_arp", 113, "0000 0001 0006 020000000001 0000 0806 00", DecodeStatus::not_ip},
    {"cooked_netlink", 113, "0000 0338 0006 020000000001 0000 0800 00", DecodeStatus::not_ip},
    {"cooked_novell", 113, "0000 0001 0006 020000000001 0000 0001 00", DecodeStatus::not_ip},
    {"raw_version_5", 12, "50000000", DecodeStatus::malformed_ip},
    {"unknown", 147, "45000000", DecodeStatus::unsupported_link},
    {"usb", 220, "45000000", DecodeStatus::unsupported_link},
};

class RefusedTest : public testing::TestWithParam<Refused> {};

TEST_P(RefusedTest, SaysWhy) {
  const Refused& r = GetParam();
  const Bytes addresses = r.link_type == kEthernet ? hex(kMac) : Bytes{};
  EXPECT_EQ(decode_bytes(r.link_type, cat({addresses, hex(r.bytes)})).status, r.status);
}

INSTANTIATE_TEST_SUITE_P(All, RefusedTest, testing::ValuesIn(kRefused),
                         [](const auto& test) { return std::string(test.param.name); });

TEST(LinkTest, TagsAreBounded) {
  Bytes packet = cat({be16(0x0800), v4()});
  for (int tags = 1; tags <= 64; ++tags) {
    packet = cat({be16(0x8100), be16(5), packet});
    const Decoded d = decode_bytes(kEthernet, cat({hex(kMac), packet}));
    EXPECT_EQ(d.status, tags <= 16 ? DecodeStatus::ok : DecodeStatus::malformed_link) << tags;
  }
}

TEST(LinkTest, LabelsAreBounded) {
  Bytes packet = cat({hex("00010140"), v4()});
  for (int i = 0; i < 64; ++i) packet = cat({hex("00010040"), packet});
  EXPECT_EQ(decode_bytes(219, packet).status, DecodeStatus::malformed_link);
}

TEST(LinkTest, HeadersThatDoNotFitAreCutOrMalformed) {
  const Bytes packet = ethernet(0x0800, v4());
  EXPECT_EQ(decode_cut(kEthernet, packet, 10, packet.size()).status, DecodeStatus::cut_link);
  EXPECT_EQ(decode_cut(kEthernet, packet, 10, 10).status, DecodeStatus::malformed_link);
  EXPECT_EQ(decode_cut(kEthernet, packet, 20, packet.size()).status, DecodeStatus::cut_ip);
  EXPECT_EQ(decode_cut(kEthernet, packet, 20, 20).status, DecodeStatus::malformed_ip);
  EXPECT_EQ(decode_cut(kEthernet, packet, 50, packet.size()).status, DecodeStatus::cut_tcp);
}

TEST(LinkTest, NflogWithoutPayloadEnds) {
  EXPECT_EQ(decode_bytes(239, hex("02000000 0300 0100 00000000")).status,
            DecodeStatus::malformed_link);
  Bytes endless = hex("02000000");
  for (int i = 0; i < 200; ++i) endless = cat({endless, hex("0400 0100")});
  EXPECT_EQ(decode_bytes(239, endless).status, DecodeStatus::malformed_link);
}

TEST(LinkNameTest, KnownAndUnknown) {
  EXPECT_EQ(capture::link_type_name(1), "EN10MB");
  EXPECT_EQ(capture::link_type_name(276), "LINUX_SLL2");
  EXPECT_EQ(capture::link_type_name(101), "RAW");
  EXPECT_EQ(capture::link_type_name(147), "DLT 147");
  EXPECT_EQ(capture::link_type_name(4294967295U), "DLT 4294967295");
}

TEST(LinkNameTest, SupportedTypes) {
  for (const Case& c : kCases) EXPECT_TRUE(capture::link_type_supported(c.link_type)) << c.name;
  for (const std::uint32_t number : {2U, 8U, 147U, 189U, 220U, 253U, 4000000000U}) {
    EXPECT_FALSE(capture::link_type_supported(number)) << number;
  }
}

}  // namespace
}  // namespace rwin::test
