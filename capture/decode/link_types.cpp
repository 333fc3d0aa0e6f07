// Names of link types, as libpcap's pcap_datalink_val_to_name gives them. The unknown get their
// number.
#include <array>
#include <charconv>

#include "capture/decode/layers.h"

namespace rwin::capture {
namespace {

struct Name {
  std::uint32_t number;
  std::string_view name;
};

constexpr std::array kNames = std::to_array<Name>({
    {0, "NULL"},
    {1, "EN10MB"},
    {2, "EN3MB"},
    {3, "AX25"},
    {6, "IEEE802"},
    {7, "ARCNET"},
    {8, "SLIP"},
    {9, "PPP"},
    {10, "FDDI"},
    {11, "ATM_RFC1483"},
    {12, "RAW"},
    {14, "RAW"},
    {19, "ATM_CLIP"},
    {50, "PPP_SERIAL"},
    {51, "PPP_ETHER"},
    {100, "ATM_RFC1483"},
    {101, "RAW"},
    {104, "C_HDLC"},
    {105, "IEEE802_11"},
    {107, "FRELAY"},
    {108, "LOOP"},
    {109, "ENC"},
    {113, "LINUX_SLL"},
    {114, "LTALK"},
    {117, "PFLOG"},
    {119, "PRISM_HEADER"},
    {122, "IP_OVER_FC"},
    {123, "SUNATM"},
    {127, "IEEE802_11_RADIO"},
    {129, "ARCNET_LINUX"},
    {138, "APPLE_IP_OVER_IEEE1394"},
    {140, "MTP2"},
    {143, "DOCSIS"},
    {144, "LINUX_IRDA"},
    {149, "PKTAP"},
    {163, "IEEE802_11_RADIO_AVS"},
    {166, "PPP_PPPD"},
    {187, "BLUETOOTH_HCI_H4"},
    {189, "USB_LINUX"},
    {192, "PPI"},
    {195, "IEEE802_15_4"},
    {197, "ERF"},
    {201, "BLUETOOTH_HCI_H4_WITH_PHDR"},
    {204, "PPP_WITH_DIR"},
    {205, "C_HDLC_WITH_DIR"},
    {206, "FRELAY_WITH_DIR"},
    {219, "MPLS"},
    {220, "USB_LINUX_MMAPPED"},
    {226, "IPNET"},
    {227, "CAN_SOCKETCAN"},
    {228, "IPV4"},
    {229, "IPV6"},
    {230, "IEEE802_15_4_NOFCS"},
    {231, "DBUS"},
    {239, "NFLOG"},
    {240, "NETANALYZER"},
    {242, "IPOIB"},
    {247, "INFINIBAND"},
    {248, "SCTP"},
    {249, "USBPCAP"},
    {251, "BLUETOOTH_LE_LL"},
    {252, "WIRESHARK_UPPER_PDU"},
    {253, "NETLINK"},
    {258, "PKTAP"},
    {276, "LINUX_SLL2"},
});

}  // namespace

std::string_view link_type_name(std::uint32_t link_type) {
  for (const Name& entry : kNames) {
    if (entry.number == link_type) return entry.name;
  }
  thread_local std::array<char, 16> text{'D', 'L', 'T', ' '};
  const auto end = std::to_chars(text.data() + 4, text.data() + text.size(), link_type).ptr;
  return {text.data(), static_cast<std::size_t>(end - text.data())};
}

bool link_type_supported(std::uint32_t link_type) {
  // Every decoder that exists finds an empty record too short; only a missing one says so.
  const RawPacket empty{.link_type = link_type};
  analysis::Segment unused;
  return decode(empty, unused) != DecodeStatus::unsupported_link;
}

}  // namespace rwin::capture
