// The filter that the kernel gets: nothing that carries TCP may be lost, the user's words narrow
// it.
#include <gtest/gtest.h>
#include <pcap/pcap.h>

#include "capture/source/live.h"
#include "tests/support/packet_builder.h"
#include "tests/support/wraps.h"

namespace rwin::capture {
namespace {

using rwin::test::be16;
using rwin::test::build;
using rwin::test::Bytes;
using rwin::test::cat;
using rwin::test::ethernet;
using rwin::test::hex;
using rwin::test::Ipv4;
using rwin::test::Ipv6;
using rwin::test::Tcp;
using rwin::test::zeros;

class Program {
 public:
  Program(const std::string& words, int link_type) {
    pcap_t* dead = pcap_open_dead(link_type, 262'144);
    const std::string text = live_filter(words, static_cast<std::uint32_t>(link_type));
    good_ = pcap_compile(dead, &code_, text.c_str(), 1, PCAP_NETMASK_UNKNOWN) == 0;
    EXPECT_TRUE(good_) << text << ": " << pcap_geterr(dead);
    pcap_close(dead);
  }
  ~Program() {
    if (good_) pcap_freecode(&code_);
  }
  Program(const Program&) = delete;
  Program& operator=(const Program&) = delete;
  [[nodiscard]] bool passes(const Bytes& packet) const {
    pcap_pkthdr header{};
    header.caplen = header.len = static_cast<bpf_u_int32>(packet.size());
    return pcap_offline_filter(&code_, &header, packet.data()) != 0;
  }

 private:
  bpf_program code_{};
  bool good_ = false;
};

Bytes tcp4() { return build(Ipv4{}, build(Tcp{})); }
Bytes tcp6() { return build(Ipv6{}, build(Tcp{})); }
Bytes protocol4(std::uint8_t number, const Bytes& inside) {
  Ipv4 ip;
  ip.protocol = number;
  return build(ip, inside);
}
Bytes next6(std::uint8_t number, const Bytes& inside) {
  Ipv6 ip;
  ip.next = number;
  return build(ip, inside);
}
Bytes udp(std::uint16_t port) {
  return cat({be16(50'000), be16(port), be16(60), be16(0), zeros(52)});
}

TEST(LiveFilter, CarriersPass) {
  const Program program("", DLT_EN10MB);
  const Bytes extension = cat({Bytes{6, 0}, zeros(6), build(Tcp{})});
  const std::pair<const char*, Bytes> carriers[] = {
      {"IPv4", ethernet(0x0800, tcp4())},
      {"IPv6", ethernet(0x86dd, tcp6())},
      {"VLAN", ethernet(0x8100, cat({hex("0064 0800"), tcp4()}))},
      {"802.1ad", ethernet(0x88a8, cat({hex("0064 8100 0065 0800"), tcp4()}))},
      {"PPPoE", ethernet(0x8864, cat({hex("1100 0001 0030 0021"), tcp4()}))},
      {"MPLS", ethernet(0x8847, cat({hex("00010140"), tcp4()}))},
      {"hop-by-hop", ethernet(0x86dd, next6(0, extension))},
      {"routing", ethernet(0x86dd, next6(43, extension))},
      {"fragment", ethernet(0x86dd, next6(44, extension))},
      {"destination options", ethernet(0x86dd, next6(60, extension))},
      {"AH", ethernet(0x0800, protocol4(51, zeros(40)))},
      {"IP in IP", ethernet(0x0800, protocol4(4, tcp4()))},
      {"6in4", ethernet(0x0800, protocol4(41, tcp6()))},
      {"4in6", ethernet(0x86dd, next6(4, tcp4()))},
      {"GRE", ethernet(0x0800, protocol4(47, cat({hex("0000 0800"), tcp4()})))},
      {"VXLAN", ethernet(0x0800, protocol4(17, udp(4789)))},
      {"GENEVE", ethernet(0x86dd, next6(17, udp(6081)))},
  };
  for (const auto& [name, packet] : carriers) EXPECT_TRUE(program.passes(packet)) << name;
  for (const int version : {4, 6}) {
    for (const rwin::test::Wrap& wrap : rwin::test::wraps(version)) {
      const Bytes packet = wrap.around(version == 4 ? tcp4() : tcp6());
      const std::uint16_t type = packet[0] >> 4 == 4 ? 0x0800 : 0x86dd;
      EXPECT_TRUE(program.passes(ethernet(type, packet))) << wrap.name << ", IPv" << version;
    }
  }
  EXPECT_FALSE(program.passes(ethernet(0x0806, zeros(28)))) << "ARP";
  EXPECT_FALSE(program.passes(ethernet(0x0800, protocol4(17, udp(53))))) << "DNS";
  EXPECT_FALSE(program.passes(ethernet(0x0800, protocol4(1, zeros(30))))) << "ICMP";
}

TEST(LiveFilter, WordsNarrow) {
  const Program program("host 10.0.0.1 and port 443", DLT_EN10MB);
  EXPECT_TRUE(program.passes(ethernet(0x0800, tcp4())));
  Tcp other;
  other.destination_port = 80;
  EXPECT_FALSE(program.passes(ethernet(0x0800, build(Ipv4{}, build(other)))));
  // "or" in the words must not let everything else in.
  const Program either("port 443 or port 53", DLT_EN10MB);
  EXPECT_FALSE(either.passes(ethernet(0x0800, protocol4(17, udp(53)))));
  EXPECT_TRUE(either.passes(ethernet(0x0800, tcp4())));
  // The user's "vlan" shifts offsets: only behind the carriers.
  const Program tagged("vlan and port 443", DLT_EN10MB);
  EXPECT_TRUE(tagged.passes(ethernet(0x8100, cat({hex("0064 0800"), tcp4()}))));
  EXPECT_FALSE(tagged.passes(ethernet(0x0800, tcp4())));
}

TEST(LiveFilter, OtherLinkTypes) {
  EXPECT_TRUE(Program("", DLT_RAW).passes(tcp4()));
  EXPECT_TRUE(Program("", DLT_RAW).passes(tcp6()));
  const Bytes cooked = cat({hex("0800 0000 00000002 0001 00 06 020000000001 0000"), tcp4()});
  EXPECT_TRUE(Program("", DLT_LINUX_SLL2).passes(cooked));
  EXPECT_TRUE(Program("port 443", DLT_LINUX_SLL2).passes(cooked));
  EXPECT_FALSE(Program("port 80", DLT_LINUX_SLL2).passes(cooked));
  EXPECT_EQ(live_filter("type mgt", DLT_IEEE802_11_RADIO).find("type mgt") != std::string::npos,
            true);
}

}  // namespace
}  // namespace rwin::capture
