// What holds for every decoded segment, whatever the bytes were.
#pragma once

#include <algorithm>

#include "analysis/segment.h"
#include "fuzz/targets.h"

namespace rwin::fuzz {

inline void require_sane(const analysis::Segment& s) {
  using analysis::Presence;
  const analysis::Address& from = s.source.address;
  require(from.family == 4 || from.family == 6, "an address has a family");
  require(from.family == s.destination.address.family, "both addresses have the same family");
  require(from.family == 6 || std::all_of(from.bytes.begin() + 4, from.bytes.end(),
                                          [](std::uint8_t b) { return b == 0; }),
          "an IPv4 address has four bytes");
  require(s.sack_count <= analysis::kMaxSackBlocks, "bounded SACK blocks");
  require(s.option_kind_count <= analysis::kMaxOptionKinds, "bounded option kinds");
  require(s.payload <= 1U << 30, "no payload above the largest window");
  const bool told = s.has(analysis::flag::kSyn) && !s.options_cut;
  for (const Presence p : {s.mss.state, s.window_scale.state, s.sack_permitted.state}) {
    require(told ? p != Presence::unknown : p != Presence::absent,
            "absent only where a whole SYN was seen");
  }
}

}  // namespace rwin::fuzz
