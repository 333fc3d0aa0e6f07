// Classic savefiles read by ourselves: libpcap reads the file header, the records are taken out of
// large reads in place. A quarter of the instructions of libpcap's own loop, which stays for
// the modified format and as second opinion in tests.
#pragma once

#include <memory>
#include <string>

#include "capture/source/filter.h"
#include "capture/source/source.h"
#include "capture/source/stream.h"

namespace rwin::capture {

// Sizes of the classic format (pcap-savefile(5)).
inline constexpr std::size_t kFileHeader = 24, kRecordHeader = 16;

// What libpcap says of a file header (24 bytes).
struct PcapHeader {
  std::uint32_t link_type = 0;
  std::uint32_t snap_length = 0;  // records are cut to it, as libpcap does
  bool swapped = false;
  bool nanoseconds = false;
  bool old = false;  // before version 2.4: the two lengths of a record may have changed places
};
// Empty when good, else libpcap's message.
std::string read_pcap_header(const std::uint8_t* bytes, PcapHeader& out);

// `stream` stands at the file's first byte; the header was read_pcap_header()'s, and its magic is
// not the modified one. Not for old files.
std::unique_ptr<PacketSource> read_plain_pcap(std::unique_ptr<Stream> stream, std::string name,
                                              std::unique_ptr<Filter> filter,
                                              const PcapHeader& header);

}  // namespace rwin::capture
