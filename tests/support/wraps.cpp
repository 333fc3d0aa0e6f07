#include "tests/support/wraps.h"

namespace rwin::test {
namespace {

Bytes ip(std::uint8_t protocol, const Bytes& payload) {
  return build(Ipv4{.protocol = protocol, .source = 0xc6336401, .destination = 0xc6336402},
               payload);
}
Bytes over_udp(std::uint16_t port, const Bytes& header, const Bytes& inside) {
  return ip(17, udp(port, cat({header, inside})));
}

}  // namespace

std::vector<Wrap> wraps(int version) {
  using analysis::Tunnel;
  const std::uint16_t type = version == 4 ? 0x0800 : 0x86dd;
  const std::uint8_t protocol = version == 4 ? 4 : 41;
  const std::uint8_t ppp = version == 4 ? 0x21 : 0x57;
  const auto frame = [type](const Bytes& p) { return ethernet(type, p); };
  std::vector<Wrap> all = {
      {"IP in IP", Tunnel::ip_in_ip, [=](const Bytes& p) { return ip(protocol, p); }},
      {"IP in IPv6", Tunnel::ip_in_ip,
       [=](const Bytes& p) { return build(Ipv6{.next = protocol}, p); }},
      {"GRE", Tunnel::gre,
       [=](const Bytes& p) {
         return ip(47, cat({hex("0000"), be16(type), p}));
       }},
      {"GRE, all fields", Tunnel::gre,
       [=](const Bytes& p) {
         return ip(47, cat({hex("b000"), be16(type), zeros(12), p}));
       }},
      {"GRE, Ethernet and a key", Tunnel::gre,
       [=](const Bytes& p) {
         return ip(47, cat({hex("2000 6558 00000100"), frame(p)}));
       }},
      {"GRE, MPLS", Tunnel::gre,
       [=](const Bytes& p) {
         return ip(47, cat({hex("0000 8847 00010140"), p}));
       }},
      {"PPTP", Tunnel::gre,
       [=](const Bytes& p) {
         return ip(47, cat({hex("3081 880b"), be16(static_cast<std::uint32_t>(p.size() + 2)),
                            hex("0001 00000001 00000001"), Bytes{0, ppp}, p}));
       }},
      {"ERSPAN I", Tunnel::erspan,
       [=](const Bytes& p) {
         return ip(47, cat({hex("0000 88be"), frame(p)}));
       }},
      {"ERSPAN II", Tunnel::erspan,
       [=](const Bytes& p) {
         return ip(47, cat({hex("1000 88be 00000007 10010001 00000000"), frame(p)}));
       }},
      {"ERSPAN III", Tunnel::erspan,
       [=](const Bytes& p) {
         return ip(47, cat({hex("1000 22eb 00000007 20010001 00000000 0000 0000"), frame(p)}));
       }},
      {"ERSPAN III, more", Tunnel::erspan,
       [=](const Bytes& p) {
         return ip(
             47, cat({hex("1000 22eb 00000007 20010001 00000000 0000 0001"), zeros(8), frame(p)}));
       }},
      {"EtherIP", Tunnel::etherip,
       [=](const Bytes& p) {
         return ip(97, cat({hex("3000"), frame(p)}));
       }},
      {"VXLAN", Tunnel::vxlan,
       [=](const Bytes& p) { return over_udp(4789, hex("08000000 00000100"), frame(p)); }},
      {"VXLAN, old port, VLAN inside", Tunnel::vxlan,
       [=](const Bytes& p) {
         return over_udp(8472, hex("08000000 00000100"),
                         ethernet(0x8100, cat({hex("0007"), be16(type), p})));
       }},
      {"VXLAN, next protocol", Tunnel::vxlan,
       [=](const Bytes& p) {
         return over_udp(
             4790,
             cat({hex("0c0000"), Bytes{static_cast<std::uint8_t>(version == 4 ? 1 : 2)}, zeros(4)}),
             p);
       }},
      {"GENEVE, options", Tunnel::geneve,
       [=](const Bytes& p) {
         return over_udp(6081, hex("0240 6558 00000100 0101 00 01 00000000"), frame(p));
       }},
      {"GENEVE, IP", Tunnel::geneve,
       [=](const Bytes& p) {
         return over_udp(6081, cat({hex("0000"), be16(type), hex("00000100")}), p);
       }},
      {"GTP-U", Tunnel::gtp,
       [=](const Bytes& p) { return over_udp(2152, hex("30ff 0000 00000001"), p); }},
      {"GTP-U, extension (5G)", Tunnel::gtp,
       [=](const Bytes& p) {
         return over_udp(2152, hex("34ff 0000 00000001 0000 00 85 01 1001 00"), p);
       }},
      {"L2TP", Tunnel::l2tp,
       [=](const Bytes& p) {
         return over_udp(1701, cat({hex("0002 0001 0001 ff03 00"), Bytes{ppp}}), p);
       }},
      {"L2TP, all fields", Tunnel::l2tp,
       [=](const Bytes& p) {
         return over_udp(
             1701, cat({hex("4a02 0000 0001 0001 0000 0000 0002 ffff ff03 00"), Bytes{ppp}}), p);
       }},
      {"L2TPv3 over IP", Tunnel::l2tp,
       [=](const Bytes& p) {
         return ip(115, cat({hex("00000007"), frame(p)}));
       }},
      {"L2TPv3 over IP, cookie and sublayer", Tunnel::l2tp,
       [=](const Bytes& p) {
         return ip(115, cat({hex("00000007 1122334455667788 40000001"), frame(p)}));
       }},
      {"L2TPv3 over UDP", Tunnel::l2tp,
       [=](const Bytes& p) { return over_udp(1701, hex("0003 0000 00000007"), frame(p)); }},
      {"MPLS in IP", Tunnel::mpls,
       [=](const Bytes& p) {
         return ip(137, cat({hex("00010140"), p}));
       }},
      {"MPLS in UDP", Tunnel::mpls,
       [=](const Bytes& p) { return over_udp(6635, hex("00010140"), p); }},
      {"VXLAN in GRE in IPv6", Tunnel::gre,
       [=](const Bytes& p) {
         return build(Ipv6{.next = 47},
                      cat({hex("0000 0800"), over_udp(4789, hex("08000000 00000100"), frame(p))}));
       }},
  };
  if (version == 6) {
    all.push_back(
        {"Teredo", Tunnel::teredo, [=](const Bytes& p) { return over_udp(3544, {}, p); }});
    all.push_back({"Teredo, both indications", Tunnel::teredo, [=](const Bytes& p) {
                     return over_udp(3544, hex("0001 0000 1122334455667788 00 0000 1234 c6336401"),
                                     p);
                   }});
  }
  return all;
}

}  // namespace rwin::test
