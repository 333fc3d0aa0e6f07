// Classic savefiles: both byte orders, microseconds and nanoseconds, modified
// (Kuznetzov) pcap.
#pragma once

#include <memory>
#include <string>

#include "capture/source/filter.h"
#include "capture/source/source.h"
#include "capture/source/stream.h"

namespace rwin::capture {

// Who reads the records. Both give the same; libpcap's is the second opinion.
enum class PcapReader : std::uint8_t { own, libpcap };

// `stream` stands at the file's first byte, which is a pcap magic. Errors: not_a_capture (header
// cut or of a version that libpcap does not read), bad_filter (does not compile for the file's link
// type).
Result<std::unique_ptr<PacketSource>> open_pcap(std::unique_ptr<Stream> stream, std::string name,
                                                std::unique_ptr<Filter> filter,
                                                PcapReader reader = PcapReader::own);

// Are these four bytes, as stored, the start of a classic capture file in either byte order?
bool is_pcap_magic(const std::uint8_t* bytes);

}  // namespace rwin::capture
