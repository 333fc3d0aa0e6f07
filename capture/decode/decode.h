// Bytes of one record -> analysis::Segment. No libpcap here: tests and fuzzers feed bytes.
// Never throws, never reads past `data + captured`, never allocates.
#pragma once

#include <array>
#include <cstdint>
#include <string_view>

#include "analysis/segment.h"

namespace rwin::capture {

// One record of a capture, as it was stored.
struct RawPacket {
  std::int64_t time_ns = 0;
  std::uint64_t record = 0;     // number in the whole input, from 1
  std::uint32_t link_type = 0;  // DLT_ / LINKTYPE_ value (libpcap's pcap_datalink numbers)
  std::uint32_t captured = 0;   // bytes at `data`
  std::uint32_t original = 0;   // bytes on the wire
  const std::uint8_t* data = nullptr;
};

// Why a record gave no segment. `ok` means `out` is filled. The words (see word()) are the keys of
// the JSON object capture.not_used.
enum class DecodeStatus : std::uint8_t {
  ok,
  not_ip,          // ARP, spanning tree, PPPoE discovery, ...
  not_tcp,         // IP, another protocol
  icmp,            // ICMP and ICMPv6 (TCP headers quoted inside are not TCP packets)
  later_fragment,  // not the first fragment of a datagram
  cut_link,        // record ends inside the link layer header
  cut_ip,          // record ends inside the IP header(s)
  cut_tcp,         // record ends inside the fixed 20 bytes of TCP
  malformed_link,
  malformed_ip,      // version, header length or total length impossible
  malformed_tcp,     // data offset impossible
  unsupported_link,  // link type that the decoder does not read
  encrypted,         // ESP, protected 802.11 frames
};
inline constexpr int kDecodeStatusCount = 13;

std::string_view word(DecodeStatus status);
[[nodiscard]] bool is_malformed(DecodeStatus status);

// Decodes one record. Total and header lengths come from the IP header; with IP total length 0
// (segmentation offload) from the original record length. IPv6 jumbo payloads are honoured.
// Statuses other than `ok` leave `out` half filled. A record that claims to be shorter on the wire
// than what it holds is taken for what it holds; an IP length above the record's is believed and
// the segment marked cut.
// `fragments` joins TCP headers that are spread over IP fragments: the record that completes one
// gives the segment, the others are later_fragment. Without it such a first fragment is cut_tcp.
class Fragments;
DecodeStatus decode(const RawPacket& packet, analysis::Segment& out,
                    Fragments* fragments = nullptr);

// Is there a decoder for this link type?
[[nodiscard]] bool link_type_supported(std::uint32_t link_type);

// "EN10MB", "LINUX_SLL2", ... or "DLT 147" for unknown numbers; static storage is not promised,
// copy it.
std::string_view link_type_name(std::uint32_t link_type);

// Counts what the decoder saw; one add per record.
struct DecodeCounters {
  std::uint64_t packets = 0;      // records
  std::uint64_t tcp_packets = 0;  // records with a TCP header, also a cut or impossible one
  std::uint64_t cut = 0;          // records stored shorter than on the wire
  std::uint64_t malformed = 0;
  std::array<std::uint64_t, kDecodeStatusCount> by_status{};

  void add(const RawPacket& packet, DecodeStatus status) {
    ++packets;
    // A TCP header that is there, but cut or impossible, is a TCP packet too.
    if (status == DecodeStatus::ok || status == DecodeStatus::cut_tcp ||
        status == DecodeStatus::malformed_tcp) {
      ++tcp_packets;
    }
    if (packet.captured < packet.original) ++cut;
    if (status != DecodeStatus::ok && is_malformed(status)) ++malformed;
    ++by_status[static_cast<std::size_t>(status)];
  }
};

}  // namespace rwin::capture
