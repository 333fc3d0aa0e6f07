#include <string_view>

#include "tests/support/wraps.h"

namespace rwin::test {
namespace {

Bytes be16_of(std::size_t size) { return be16(static_cast<std::uint32_t>(size)); }

// Netlink attributes of a packet that was logged: header, mark, prefix, the packet itself.
Bytes nflog(int version, bool big, const Bytes& packet) {
  const auto attribute = [big](std::uint32_t type, const Bytes& body) {
    const auto length = static_cast<std::uint32_t>(4 + body.size());
    Bytes all = big ? cat({be16(length), be16(type), body}) : cat({le16(length), le16(type), body});
    all.resize((all.size() + 3) / 4 * 4);
    return all;
  };
  const std::uint8_t family = version == 4 ? 2 : 10;
  return cat({Bytes{family, 0, 0, 5}, attribute(1, hex("0800 0300")), attribute(10, hex("2d6100")),
              attribute(2, be32(7)), attribute(9, packet)});
}

Bytes pktap(std::uint32_t link_type, std::size_t length, const Bytes& inside) {
  return cat({le32(static_cast<std::uint32_t>(length)), le32(1), le32(link_type),
              zeros(length - 12), inside});
}

Bytes ppi(std::uint32_t link_type, const Bytes& fields, const Bytes& inside) {
  return cat({hex("0000"), le16(static_cast<std::uint32_t>(8 + fields.size())), le32(link_type),
              fields, inside});
}

}  // namespace

std::vector<Wrap> link_wraps(int version) {
  const Bytes type = be16(version == 4 ? 0x0800 : 0x86dd);
  const Bytes ppp = version == 4 ? hex("0021") : hex("0057");
  const Bytes short_ppp = {ppp[1]};
  const Bytes family = version == 4 ? hex("02000000") : hex("1e000000");
  const Bytes llc = cat({hex("aaaa03 000000"), type});
  const Bytes macs = hex("020000000002 020000000001");
  const Bytes dot11_rest = hex("0000 020000000001 020000000002 020000000003 0000");
  const Bytes qos = cat({hex("8801"), dot11_rest, hex("0000"), llc});
  const auto before = [](const Bytes& header) {
    return [header](const Bytes& p) { return cat({header, p}); };
  };
  Bytes tags;
  for (int i = 0; i < 14; ++i) tags = cat({tags, hex("8100 0064")});

  std::vector<Wrap> all;
  const auto add = [&all](const char* name, std::uint32_t link_type,
                          std::function<Bytes(const Bytes&)> around) {
    all.push_back({name, analysis::Tunnel::none, std::move(around), link_type});
  };
  add("Ethernet", 1, before(cat({macs, type})));
  add("VLAN", 1, before(cat({macs, hex("8100 2064"), type})));
  add("VLAN in VLAN", 1, before(cat({macs, hex("88a8 0064 8100 0065"), type})));
  add("14 VLANs", 1, before(cat({macs, tags, type})));
  add("802.3, SNAP", 1, [=](const Bytes& p) {
    return cat({macs, be16_of(p.size() + llc.size()), llc, p});
  });
  add("MPLS", 1, before(cat({macs, hex("8847 00010140")})));
  add("MPLS, three labels, VLAN", 1,
      before(cat({macs, hex("8100 0005 8847 00010040 00020040 00030140")})));
  add("MPLS pseudowire", 1,
      before(cat({macs, hex("8847 00010140 00000000"), macs, hex("8100 0007"), type})));
  add("MPLS, no link layer", 219, before(hex("00010140")));
  add("PPPoE", 1, [=](const Bytes& p) {
    return cat({macs, hex("8864 1100 0001"), be16_of(p.size() + 2), ppp, p});
  });
  add("PPPoE in VLAN", 1, [=](const Bytes& p) {
    return cat({macs, hex("8100 0007 8864 1100 0001"), be16_of(p.size() + 2), ppp, p});
  });
  add("PPPoE, no Ethernet", 51, [=](const Bytes& p) {
    return cat({hex("1100 0001"), be16_of(p.size() + 2), ppp, p});
  });
  add("PPP", 9, before(ppp));
  add("PPP, framed", 9, before(cat({hex("ff03"), ppp})));
  add("PPP, short protocol", 9, before(short_ppp));
  add("PPP, framed, short protocol", 50, before(cat({hex("ff03"), short_ppp})));
  add("PPP, MPLS", 9, before(hex("0281 00010140")));
  add("PPP of pppd", 166, before(cat({hex("0103"), ppp})));
  add("PPP, with direction", 204, before(cat({hex("01 ff03"), ppp})));
  add("Cisco HDLC", 104, before(cat({hex("0f00"), type})));
  add("PPP in Cisco HDLC", 104, before(cat({hex("ff03"), ppp})));
  add("ATM, LLC", 11, before(llc));
  add("Linux cooked", 113, before(cat({hex("0004 0001 0006 020000000001 0000"), type})));
  add("Linux cooked 2", 276,
      before(cat({type, hex("0000 00000002 0001 04 06 020000000001 0000")})));
  add("BSD null", 0, before(family));
  add("OpenBSD loop", 108, before(version == 4 ? hex("00000002") : hex("00000018")));
  add("OpenBSD enc", 109, before(cat({family, hex("00001234 00000000")})));
  add("802.11, data", 105, before(cat({hex("0801"), dot11_rest, llc})));
  add("802.11, from access point, QoS", 105,
      before(cat({hex("8802"), dot11_rest, hex("0000"), llc})));
  add("802.11, four addresses", 105,
      before(cat({hex("8803"), dot11_rest, hex("020000000004 0000"), llc})));
  add("802.11, HT control, aggregate", 105, [=](const Bytes& p) {
    return cat({hex("8881"), dot11_rest, hex("8000 11223344"), macs, be16_of(p.size() + llc.size()),
                llc, p});
  });
  add("radiotap, 802.11", 127, before(cat({hex("0000 0800 00000000"), qos})));
  add("radiotap with fields and checksum, 802.11", 127, [=](const Bytes& p) {
    // timer, flags (checksum at the end), rate, channel
    return cat({hex("0000 1600 0f000000 0102030405060708 10 6c 6c09a000"), qos, p, zeros(4)});
  });
  add("PPI, 802.11", 192, [=](const Bytes& p) {
    return ppi(105, cat({hex("0200 1400"), zeros(20)}), cat({qos, p}));
  });
  add("PPI, Ethernet", 192, [=](const Bytes& p) { return ppi(1, {}, cat({macs, type, p})); });
  add("PKTAP, Ethernet", 149, [=](const Bytes& p) { return pktap(1, 108, cat({macs, type, p})); });
  add("PKTAP, raw IP", 258, [=](const Bytes& p) { return pktap(12, 156, p); });
  add("PKTAP, BSD null", 258, [=](const Bytes& p) { return pktap(0, 108, cat({family, p})); });
  add("NFLOG", 239, [=](const Bytes& p) { return nflog(version, false, p); });
  add("NFLOG, big-endian", 239, [=](const Bytes& p) { return nflog(version, true, p); });
  return all;
}

}  // namespace rwin::test
