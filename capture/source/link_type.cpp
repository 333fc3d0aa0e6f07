#include "capture/source/link_type.h"

#include <pcap/dlt.h>

namespace rwin::capture {

std::uint32_t dlt_of_link_type(std::uint32_t stored) {
  switch (stored) {
    case 100:
      return DLT_ATM_RFC1483;
    case 101:
      return DLT_RAW;
    case 102:
      return DLT_SLIP_BSDOS;
    case 103:
      return DLT_PPP_BSDOS;
    case 106:
      return DLT_ATM_CLIP;
    case 107:
      return DLT_FRELAY;
    case 108:
      return DLT_LOOP;
    case 109:
      return DLT_ENC;
    case 112:
      return DLT_HDLC;
    case 246:
      return DLT_PFSYNC;
    case 258:
      return DLT_PKTAP;
    default:
      return stored;
  }
}

}  // namespace rwin::capture
