// What several findings share.
#pragma once

#include "rules/findings/findings.h"

namespace rwin::rules::findings {

// Below this no scaling is missed: the buffer alone keeps the window small.
inline constexpr std::uint64_t kNearlyUnscaledMost = 60000;

// The window without scaling is at its end, or what is wanted does not fit into it.
bool needs_scaling(const Flow& flow, const Sizing& sizing);

// The end's first window field after the handshake is an eighth or less of the one in its SYN,
// though nothing filled the buffer in between: the end scales its windows, whatever the options
// seen here say.
bool fields_look_scaled(const Flow& flow);

// Advice for a host that must take part in scaling; its buffer too, where that was not even near
// 65535.
void advise_scaling(const Flow& flow, Outcome& outcome, Side side);

// The first platform of a recognised system belongs to this family ("linux": all its kernels).
bool of_family(const Flow& flow, const SignatureMatch& match, std::string_view family);

// The receiver is a Linux, by its SYN or by the user's word.
bool linux_receiver(const Flow& flow);

// The window ends at the default of net.core.rmem_max: only setsockopt(SO_RCVBUF) stops there. A
// window of this size right from the first round trip may also be anything else.
bool stops_at_rmem_max(const Flow& flow);

// The handshake of a Linux receiver tells that its system ends the window, not a program that set
// its buffer before it connected or listened: the shift stands for far larger buffers. What a
// program sets later looks the same unless the window stays below the first one.
bool linux_ceiling(const Flow& flow);

// Several connections side by side, for a receiver that cannot be tuned.
void advise_parallel(const Flow& flow, Outcome& outcome);

// Connections of the present rate that reach the target; 0 where no target is known.
std::uint32_t connections_for(const Flow& flow, const Sizing& sizing);

// The window never doubled after its first value, or was at its most within three round trips.
bool flat_from_start(const analysis::DirectionResult& direction,
                     const std::optional<std::int64_t>& rtt_us);

}  // namespace rwin::rules::findings
