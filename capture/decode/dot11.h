// 802.11 in monitor mode, bare (link type 105) and behind radiotap (127).
#pragma once

#include <cstdint>

#include "capture/decode/layers.h"

namespace rwin::capture {

// not_ip for frames that carry no data, encrypted for protected ones.
DecodeStatus decode_dot11(Context& context, std::uint32_t link_type, SpanReader reader);

}  // namespace rwin::capture
