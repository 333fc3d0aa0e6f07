// A transfer inside each tunnel and on each link layer that rwin opens: the verdict and the figures
// are those of the transfer itself.
#include <gtest/gtest.h>

#include "analysis/limit.h"
#include "tests/pcaps/captures.h"
#include "tests/support/wraps.h"

namespace rwin {
namespace {

using test::Bytes;

constexpr std::size_t kEthernetHeader = 14;

struct Record {
  std::int64_t time_ns;
  Bytes packet;  // from the IP header on, as far as it was captured
  std::uint32_t cut;
};

std::vector<Record> packets_of(const std::string& file) {
  auto opened = capture::open_file(kFolder + file, "");
  if (!opened.ok()) throw std::runtime_error(opened.error().message);
  std::vector<Record> out;
  capture::RawPacket p;
  while (opened.value()->next(p) == capture::Read::packet) {
    if (p.link_type != 1) throw std::runtime_error(file + " is not Ethernet");
    out.push_back(
        {p.time_ns, Bytes(p.data + kEthernetHeader, p.data + p.captured), p.original - p.captured});
  }
  return out;
}

// `both`: each packet is in the capture twice, in the tunnel and, 5 us later, out of it.
analysis::ConnectionResult analyse_wrapped(const std::vector<Record>& list, const test::Wrap* wrap,
                                           bool both = false) {
  analysis::Engine engine;
  std::uint64_t number = 0;
  const auto add = [&](std::int64_t time_ns, const Bytes& bytes, std::uint32_t cut) {
    const auto size = static_cast<std::uint32_t>(bytes.size());
    const capture::RawPacket packet{.time_ns = time_ns,
                                    .record = ++number,
                                    .link_type = wrap == nullptr ? 101 : wrap->link_type,
                                    .captured = size,
                                    .original = size + cut,
                                    .data = bytes.data()};
    analysis::Segment segment;
    ASSERT_EQ(capture::decode(packet, segment), capture::DecodeStatus::ok);
    engine.add(segment);
  };
  for (const Record& r : list) {
    if (wrap != nullptr) add(r.time_ns, wrap->around(r.packet), r.cut);
    if (wrap == nullptr || both) add(r.time_ns + (both ? 5'000 : 0), r.packet, r.cut);
  }
  std::vector<analysis::ConnectionResult> out;
  engine.finish([&](analysis::ConnectionResult&& r) { out.push_back(std::move(r)); });
  if (out.size() != 1) throw std::runtime_error("one connection was expected");
  return out[0];
}

void expect_same(const analysis::ConnectionResult& c, const analysis::ConnectionResult& plain) {
  EXPECT_EQ(c.client, plain.client);
  EXPECT_EQ(c.place, plain.place);
  ASSERT_EQ(c.directions.size(), plain.directions.size());
  for (std::size_t i = 0; i < c.directions.size(); ++i) {
    const analysis::DirectionResult& d = c.directions.at(i);
    const analysis::DirectionResult& want = plain.directions.at(i);
    EXPECT_EQ(d.limit, want.limit);
    EXPECT_EQ(d.bytes, want.bytes);
    EXPECT_EQ(d.window_max, want.window_max);
    EXPECT_EQ(d.scale.shift, want.scale.shift);
    EXPECT_EQ(d.scale.state, want.scale.state);
    EXPECT_EQ(d.rtt_base_us, want.rtt_base_us);
    EXPECT_EQ(d.blocked_us, want.blocked_us);
    EXPECT_EQ(d.retransmitted_segments, want.retransmitted_segments);
  }
}

class InTunnel : public testing::TestWithParam<const char*> {};

TEST_P(InTunnel, TheSameVerdictAndFigures) {
  const auto list = packets_of(GetParam());
  const analysis::ConnectionResult plain = analyse_wrapped(list, nullptr);
  EXPECT_EQ(plain.tunnel, analysis::Tunnel::none);
  for (const test::Wrap& wrap : test::wraps(list.at(0).packet[0] >> 4)) {
    SCOPED_TRACE(wrap.name);
    const analysis::ConnectionResult c = analyse_wrapped(list, &wrap);
    EXPECT_EQ(c.tunnel, wrap.tunnel);
    EXPECT_TRUE(c.tunnel_ends);
    expect_same(c, plain);
  }
}

TEST_P(InTunnel, TheSameOnEveryLinkLayer) {
  const auto list = packets_of(GetParam());
  const analysis::ConnectionResult plain = analyse_wrapped(list, nullptr);
  for (const test::Wrap& wrap : test::link_wraps(list.at(0).packet[0] >> 4)) {
    SCOPED_TRACE(wrap.name);
    const analysis::ConnectionResult c = analyse_wrapped(list, &wrap);
    EXPECT_EQ(c.tunnel, analysis::Tunnel::none);
    EXPECT_FALSE(c.tunnel_ends);
    expect_same(c, plain);
  }
}

// On an interface of the tunnel's end the same packets pass twice: in the tunnel and out of it.
TEST_P(InTunnel, SeenInsideAndOutsideCountsOnce) {
  const auto list = packets_of(GetParam());
  const analysis::ConnectionResult plain = analyse_wrapped(list, nullptr);
  const auto all = test::wraps(list.at(0).packet[0] >> 4);
  const analysis::ConnectionResult c = analyse_wrapped(list, &all.at(2), true);
  EXPECT_EQ(c.quality.duplicates, list.size());
  EXPECT_EQ(c.directions.at(0).limit, plain.directions.at(0).limit);
  EXPECT_EQ(c.directions.at(0).bytes, plain.directions.at(0).bytes);
  EXPECT_EQ(c.directions.at(0).retransmitted_segments,
            plain.directions.at(0).retransmitted_segments);
}

// The outer addresses, turned with the packet: as they are of use to a reader of the report.
TEST(TunnelEnds, AreThoseOfTheOutermostHeaderOnEachSide) {
  auto list = packets_of("article-rwin32k-rtt330-receiver.pcap.gz");
  const Bytes client(list.at(0).packet.begin() + 12, list.at(0).packet.begin() + 16);
  const test::Wrap two_tunnels = {
      "GRE in IPv6 around IP in IP", analysis::Tunnel::gre, [&](const Bytes& p) {
        const bool up = std::equal(client.begin(), client.end(), p.begin() + 12);
        const test::Ipv4 middle{.protocol = 4, .source = 0xcb007105, .destination = 0xcb007106};
        const test::Ipv6 outer{.next = 47,
                               .source_last = static_cast<std::uint8_t>(up ? 1 : 2),
                               .destination_last = static_cast<std::uint8_t>(up ? 2 : 1)};
        return build(outer, test::cat({test::hex("0000 0800"), build(middle, p)}));
      }};
  const auto last_byte = [](const analysis::Address& a) { return a.bytes[15]; };
  for (int dropped = 0; dropped < 3; ++dropped) {  // SYN, SYN-ACK: either side comes first
    SCOPED_TRACE(dropped);
    const analysis::ConnectionResult c = analyse_wrapped(list, &two_tunnels);
    EXPECT_EQ(c.tunnel, analysis::Tunnel::gre);
    ASSERT_TRUE(c.tunnel_ends);
    EXPECT_EQ(c.tunnel_ends->client.family, 6);
    EXPECT_EQ(last_byte(c.tunnel_ends->client), 1);
    EXPECT_EQ(last_byte(c.tunnel_ends->server), 2);
    list.erase(list.begin());
  }
}

INSTANTIATE_TEST_SUITE_P(Captures, InTunnel,
                         testing::Values("article-rwin32k-rtt330-receiver.pcap.gz",
                                         "bandwidth-receiver.pcap.gz", "ipv6-receiver.pcap.gz",
                                         "slow-reader-receiver.pcap.gz"));

}  // namespace
}  // namespace rwin
