// The same bytes read by libtins and by us: random packets that libtins built.
#include <gtest/gtest.h>
#include <tins/loopback.h>
#include <tins/tins.h>

#include <array>
#include <memory>
#include <ostream>
#include <random>
#include <string>

#include "tests/decode/decode_helpers.h"
#include "tests/support/seed.h"

namespace rwin::test {
namespace {

using analysis::Presence;
using analysis::Segment;
using capture::DecodeStatus;
using Random = std::mt19937_64;

template <class T>
T any(Random& random) {
  return static_cast<T>(random());
}

Tins::TCP random_tcp(Random& random) {
  Tins::TCP tcp(any<std::uint16_t>(random), any<std::uint16_t>(random));
  tcp.seq(any<std::uint32_t>(random));
  tcp.ack_seq(any<std::uint32_t>(random));
  tcp.window(any<std::uint16_t>(random));
  tcp.flags(any<std::uint8_t>(random));
  int room = 40;
  const auto maybe = [&](int size) {
    if (random() % 2 == 0 || room < size) return false;
    room -= size;
    return true;
  };
  if (maybe(4)) tcp.mss(any<std::uint16_t>(random));
  if (maybe(3)) tcp.winscale(any<std::uint8_t>(random));
  if (maybe(2)) tcp.sack_permitted();
  if (maybe(10)) tcp.timestamp(any<std::uint32_t>(random), any<std::uint32_t>(random));
  if (maybe(18)) {
    tcp.sack({any<std::uint32_t>(random), any<std::uint32_t>(random), any<std::uint32_t>(random),
              any<std::uint32_t>(random)});
  }
  return tcp;
}

Tins::RawPDU random_payload(Random& random) {
  return Tins::RawPDU(std::vector<std::uint8_t>(random() % 3 == 0 ? 0 : random() % 1400, 0x5a));
}

Tins::IP random_ipv4(Random& random) {
  Tins::IP ip(Tins::IPv4Address(any<std::uint32_t>(random)),
              Tins::IPv4Address(any<std::uint32_t>(random)));
  ip.ttl(any<std::uint8_t>(random));
  ip.id(any<std::uint16_t>(random));
  if (random() % 2 == 0) ip.flags(Tins::IP::DONT_FRAGMENT);
  return ip;
}

Tins::IPv6 random_ipv6(Random& random) {
  const auto address = [&] {
    std::array<std::uint8_t, 16> bytes{};
    for (auto& b : bytes) b = any<std::uint8_t>(random);
    return Tins::IPv6Address(bytes.data());
  };
  Tins::IPv6 ip(address(), address());
  ip.hop_limit(any<std::uint8_t>(random));
  return ip;
}

void expect_options_equal(const Segment& s, const Tins::TCP& tcp) {
  const bool syn = tcp.get_flag(Tins::TCP::SYN) != 0;
  const auto has = [&](Tins::TCP::OptionTypes kind) { return tcp.search_option(kind) != nullptr; };
  EXPECT_FALSE(s.options_cut);
  const auto state = [&](bool there) {
    return !syn ? Presence::unknown : there ? Presence::known : Presence::absent;
  };
  EXPECT_EQ(s.mss.state, state(has(Tins::TCP::MSS)));
  EXPECT_EQ(s.window_scale.state, state(has(Tins::TCP::WSCALE)));
  EXPECT_EQ(s.sack_permitted.state, state(has(Tins::TCP::SACK_OK)));
  if (s.mss.known()) {
    EXPECT_EQ(s.mss.value, tcp.mss());
  }
  if (s.window_scale.known()) {
    EXPECT_EQ(s.window_scale.value, tcp.winscale());
  }
  ASSERT_EQ(s.timestamps, has(Tins::TCP::TSOPT) ? Presence::known : Presence::absent);
  if (has(Tins::TCP::TSOPT)) {
    EXPECT_EQ(s.tsval, tcp.timestamp().first);
    EXPECT_EQ(s.tsecr, tcp.timestamp().second);
  }
  const auto edges = has(Tins::TCP::SACK) ? tcp.sack() : Tins::TCP::sack_type{};
  ASSERT_EQ(s.sack_count * 2U, edges.size());
  for (std::size_t i = 0; i < s.sack_count; ++i) {
    EXPECT_EQ(s.sack[i].left, edges[2 * i]);
    EXPECT_EQ(s.sack[i].right, edges[2 * i + 1]);
  }
}

void expect_addresses_equal(const Segment& s, const Tins::PDU& packet) {
  std::string source;
  std::string destination;
  const auto text = [](const analysis::Address& a) {
    if (a.family == 6) return Tins::IPv6Address(a.bytes.data()).to_string();
    std::uint32_t number = 0;
    std::memcpy(&number, a.bytes.data(), 4);
    return Tins::IPv4Address(number).to_string();
  };
  if (const auto* ip = packet.find_pdu<Tins::IP>()) {
    source = ip->src_addr().to_string();
    destination = ip->dst_addr().to_string();
    EXPECT_EQ(s.ttl, ip->ttl());
    EXPECT_EQ(s.ip_id, ip->id());
    EXPECT_EQ(s.dont_fragment, (ip->flags() & Tins::IP::DONT_FRAGMENT) != 0);
  } else if (const auto* ip6 = packet.find_pdu<Tins::IPv6>()) {
    source = ip6->src_addr().to_string();
    destination = ip6->dst_addr().to_string();
    EXPECT_EQ(s.ttl, ip6->hop_limit());
  }
  EXPECT_EQ(text(s.source.address), source);
  EXPECT_EQ(text(s.destination.address), destination);
}

// `parsed` is what libtins reads from the same bytes.
void expect_equal(const Segment& s, const Tins::PDU& parsed) {
  const auto* tcp = parsed.find_pdu<Tins::TCP>();
  ASSERT_NE(tcp, nullptr);
  EXPECT_EQ(s.source.port, tcp->sport());
  EXPECT_EQ(s.destination.port, tcp->dport());
  EXPECT_EQ(s.seq, tcp->seq());
  EXPECT_EQ(s.ack, tcp->ack_seq());
  EXPECT_EQ(s.window, tcp->window());
  EXPECT_EQ(s.flags, static_cast<std::uint8_t>(tcp->flags()));
  const auto* payload = tcp->find_pdu<Tins::RawPDU>();
  EXPECT_EQ(s.payload, payload == nullptr ? 0U : payload->payload_size());
  expect_options_equal(s, *tcp);
  expect_addresses_equal(s, parsed);
}

struct Stack {
  const char* name;
  std::uint32_t link_type;
  std::unique_ptr<Tins::PDU> (*headers)();
  bool ipv6;
  std::unique_ptr<Tins::PDU> (*parse)(
      const Bytes&);  // null: libtins cannot, compare with what was built
};
void PrintTo(const Stack& test, std::ostream* out) { *out << test.name; }

template <class Head>
std::unique_ptr<Tins::PDU> parse(const Bytes& bytes) {
  return std::make_unique<Head>(bytes.data(), static_cast<std::uint32_t>(bytes.size()));
}
std::unique_ptr<Tins::PDU> parse_dot11(const Bytes& bytes) {
  return std::unique_ptr<Tins::PDU>(
      Tins::Dot11::from_bytes(bytes.data(), static_cast<std::uint32_t>(bytes.size())));
}
// Puts `layer` innermost.
void append(std::unique_ptr<Tins::PDU>& packet, std::unique_ptr<Tins::PDU> layer) {
  if (packet == nullptr) {
    packet = std::move(layer);
    return;
  }
  Tins::PDU* last = packet.get();
  while (last->inner_pdu() != nullptr) last = last->inner_pdu();
  last->inner_pdu(layer.release());
}
template <class... Layers>
std::unique_ptr<Tins::PDU> stack() {
  std::unique_ptr<Tins::PDU> packet;
  (append(packet, std::make_unique<Layers>()), ...);
  return packet;
}

const Stack kStacks[] = {
    {"ethernet", 1, stack<Tins::EthernetII>, false, parse<Tins::EthernetII>},
    {"ethernet_v6", 1, stack<Tins::EthernetII>, true, parse<Tins::EthernetII>},
    {"vlan", 1, stack<Tins::EthernetII, Tins::Dot1Q>, false, parse<Tins::EthernetII>},
    {"qinq", 1, stack<Tins::EthernetII, Tins::Dot1Q, Tins::Dot1Q>, true, parse<Tins::EthernetII>},
    {"snap", 1, stack<Tins::Dot3, Tins::SNAP>, false, nullptr},
    {"cooked", 113, stack<Tins::SLL>, false, parse<Tins::SLL>},
    {"cooked_v6", 113, stack<Tins::SLL>, true, parse<Tins::SLL>},
    {"null", 0, stack<Tins::Loopback>, false, parse<Tins::Loopback>},
    {"mpls", 1, stack<Tins::EthernetII, Tins::MPLS>, false, nullptr},
    {"wifi", 105, stack<Tins::Dot11Data, Tins::SNAP>, false, parse_dot11},
    {"wifi_qos", 105, stack<Tins::Dot11QoSData, Tins::SNAP>, true, parse_dot11},
    {"radiotap", 127, stack<Tins::RadioTap, Tins::Dot11QoSData, Tins::SNAP>, false,
     parse<Tins::RadioTap>},
};

class TinsTest : public testing::TestWithParam<Stack> {};

TEST_P(TinsTest, ReadsTheSameFields) {
  const Stack& c = GetParam();
  const std::uint64_t seed = test_seed(4242);
  Random random(seed);
  for (int round = 0; round < 400 && !testing::Test::HasFailure(); ++round) {
    SCOPED_TRACE(seed_text(seed) + ", round " + std::to_string(round));
    std::unique_ptr<Tins::PDU> packet = c.headers();
    if (c.ipv6) {
      append(packet, std::make_unique<Tins::IPv6>(random_ipv6(random)));
    } else {
      append(packet, std::make_unique<Tins::IP>(random_ipv4(random)));
    }
    append(packet, std::make_unique<Tins::TCP>(random_tcp(random)));
    append(packet, std::make_unique<Tins::RawPDU>(random_payload(random)));
    const Bytes bytes = packet->serialize();
    const Decoded d = decode_bytes(c.link_type, bytes);
    ASSERT_EQ(d.status, DecodeStatus::ok);
    EXPECT_FALSE(d.segment.cut);
    const auto parsed = c.parse == nullptr ? std::move(packet) : c.parse(bytes);
    expect_equal(d.segment, *parsed);
  }
}

// Every data frame that carries something, in each direction, as long as libtins makes its header.
TEST(TinsDot11Test, HeaderLengths) {
  for (const unsigned subtype : {0U, 1U, 2U, 3U, 8U, 9U, 10U, 11U}) {
    for (unsigned direction = 0; direction < 4; ++direction) {
      SCOPED_TRACE("subtype " + std::to_string(subtype) + ", direction " +
                   std::to_string(direction));
      const Bytes frame{static_cast<std::uint8_t>(subtype << 4 | 0x08),
                        static_cast<std::uint8_t>(direction)};
      const auto parsed = parse_dot11(cat({frame, zeros(64)}));
      const auto* header = parsed->find_pdu<Tins::Dot11Data>();
      ASSERT_NE(header, nullptr);
      const Decoded d =
          decode_bytes(105, cat({frame, zeros(header->header_size() - 2), hex("aaaa03 000000 0800"),
                                 build(Ipv4{}, build(Tcp{.payload = 70}))}));
      EXPECT_EQ(d.status, DecodeStatus::ok);
      EXPECT_EQ(d.segment.payload, 70U);
    }
  }
}

INSTANTIATE_TEST_SUITE_P(All, TinsTest, testing::ValuesIn(kStacks),
                         [](const auto& test) { return std::string(test.param.name); });

}  // namespace
}  // namespace rwin::test
