// The number in a file (LINKTYPE_) and the number in the program (DLT_) are the same but for a few.
#pragma once

#include <cstdint>

namespace rwin::capture {

// DLT_ number (as pcap_datalink gives it) of the link type stored in a pcapng interface block.
// Source: libpcap pcap-common.c, the map of LINKTYPE_ values that differ from the platform's DLT_
// values.
std::uint32_t dlt_of_link_type(std::uint32_t stored);

}  // namespace rwin::capture
