// Every link type that has a decoder, and one that has none.
#pragma once

#include <array>
#include <cstdint>

namespace rwin::fuzz {

inline constexpr std::array<std::uint32_t, 26> kLinkTypes = {
    1,   0,   9,   11,  12,  14,  50,  51,  101, 104, 105, 108, 109,
    113, 127, 149, 163, 166, 192, 204, 219, 228, 229, 239, 258, 276};

}  // namespace rwin::fuzz
