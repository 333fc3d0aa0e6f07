// What a flow's packets were wrapped in.
#pragma once

#include <cstdint>
#include <string_view>

namespace rwin::analysis {

// The outermost wrapping behind an IP header; link layers (VLAN, PPPoE, MPLS) are none.
enum class Tunnel : std::uint8_t {
  none,
  ip_in_ip,  // IPv4 or IPv6 in either: IP-in-IP, 6in4, 6to4
  gre,
  erspan,
  etherip,
  vxlan,
  geneve,
  gtp,
  teredo,
  l2tp,
  mpls
};

// As reports write it; empty for none.
constexpr std::string_view name(Tunnel tunnel) {
  switch (tunnel) {
    case Tunnel::none:
      return "";
    case Tunnel::ip_in_ip:
      return "IP-in-IP";
    case Tunnel::gre:
      return "GRE";
    case Tunnel::erspan:
      return "ERSPAN";
    case Tunnel::etherip:
      return "EtherIP";
    case Tunnel::vxlan:
      return "VXLAN";
    case Tunnel::geneve:
      return "GENEVE";
    case Tunnel::gtp:
      return "GTP-U";
    case Tunnel::teredo:
      return "Teredo";
    case Tunnel::l2tp:
      return "L2TP";
    case Tunnel::mpls:
      return "MPLS";
  }
  return "";
}

}  // namespace rwin::analysis
