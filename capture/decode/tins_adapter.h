// Rare link types through libtins: 802.11, radiotap and PPI. Built without libtins
// (RWIN_WITH_TINS=OFF) it knows none.
#pragma once

#include <cstdint>

#include "capture/decode/layers.h"

namespace rwin::capture {

// Lets libtins measure the headers and hands what follows to our own decoder, so that lengths,
// cuts and reasons are the same as everywhere. Slow (libtins allocates and throws inside) but
// nothing leaves this function. unsupported_link: libtins does not know the type either.
DecodeStatus decode_with_tins(Context& context, std::uint32_t link_type, SpanReader reader);

}  // namespace rwin::capture
