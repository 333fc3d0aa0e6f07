#include <pcap/pcap.h>

#include "capture/source/filter.h"
#include "capture/source/live.h"

namespace rwin::capture {
namespace {

// Words that hold without shifting what follows ("vlan" and its kin do: the user's own may, behind
// these). Numbers: IANA protocol numbers and EtherTypes.
constexpr const char* kIpCarriers =
    "tcp"
    // IPv6 extension headers, AH, IPv4 and IPv6 inside, GRE, EtherIP, MPLS
    " or (ip6 and (ip6[6] = 0 or ip6[6] = 43 or ip6[6] = 44 or ip6[6] = 51 or ip6[6] = 60 or"
    " ip6[6] = 135 or ip6[6] = 139 or ip6[6] = 140 or ip6[6] = 4 or ip6[6] = 41 or ip6[6] = 47 or"
    " ip6[6] = 97 or ip6[6] = 115 or ip6[6] = 137))"
    " or (ip and (ip[9] = 4 or ip[9] = 41 or ip[9] = 47 or ip[9] = 51 or"
    " ip[9] = 97 or ip[9] = 115 or ip[9] = 137))"
    // VXLAN (three ports), GENEVE, GTP-U, Teredo, L2TP, MPLS in UDP: capture/decode/tunnel.cpp
    " or udp port 4789 or udp port 8472 or udp port 4790 or udp port 6081 or udp port 2152 or"
    " udp port 3544 or udp port 1701 or udp port 6635";
// 802.1Q, 802.1ad, the older Q-in-Q, MPLS, PPPoE sessions, PPP, jumbo LLC
constexpr const char* kLinkCarriers =
    " or ether proto 0x8100 or ether proto 0x88a8 or ether proto 0x9100 or ether proto 0x8847 or"
    " ether proto 0x8848 or ether proto 0x8864 or ether proto 0x880b or ether proto 0x8870";

}  // namespace

std::string live_filter(const std::string& words, std::uint32_t link_type) {
  const bool blank = words.find_first_not_of(" \t\r\n") == std::string::npos;
  for (const std::string& carriers :
       {std::string(kIpCarriers) + kLinkCarriers, std::string(kIpCarriers)}) {
    if (!compile_message(carriers, link_type).empty()) continue;
    if (blank) return carriers;
    return std::string("(").append(carriers).append(") and (").append(words).append(")");
  }
  return blank ? "" : words;
}

}  // namespace rwin::capture
