#include "rules/findings/common.h"

#include <algorithm>
#include <cmath>

namespace rwin::rules::findings {

bool needs_scaling(const Flow& flow, const Sizing& sizing) {
  return flow.window_max() >= kNearlyUnscaledMost || sizing.window > 65535;
}

bool fields_look_scaled(const Flow& flow) {
  const std::uint64_t first = flow.receiver_offer.window;
  const std::uint64_t field = flow.direction.window_field_max;
  return flow.receiver_offer.seen && first >= 2048 && field > 0 && field * 8 <= first;
}

void advise_scaling(const Flow& flow, Outcome& outcome, Side side) {
  Request request{.kind = FixKind::scaling_off, .side = side, .raises = true};
  if (side == Side::receiver) {
    request.then = FixKind::buffer_capped;
    request.then_always = flow.window_max() < kNearlyUnscaledMost;
    advise(flow, outcome, request);
    return;
  }
  advise(flow, outcome, request);
  // Once scaling works, the receiver's own ceiling counts.
  const Platforms receivers = platforms_of(flow, Side::receiver);
  const bool beyond =
      std::any_of(receivers.list.begin(), receivers.list.end(), [&](const Platform* platform) {
        return platform->default_window > 0 && outcome.sizing.window > platform->default_window;
      });
  if (beyond || flow.window_max() < kNearlyUnscaledMost) {
    advise(flow, outcome, {.kind = FixKind::buffer_capped, .raises = true});
  }
}

bool of_family(const Flow& flow, const SignatureMatch& match, std::string_view family) {
  if (match.signature == nullptr || match.signature->platforms.empty()) return false;
  const Platform* platform = flow.catalogue.platform(match.signature->platforms.front());
  return platform != nullptr && platform->family == family;
}

bool linux_receiver(const Flow& flow) {
  const Platforms platforms = platforms_of(flow, Side::receiver);
  if (platforms.sure) return platforms.list.front()->family == "linux";
  return of_family(flow, flow.receiver_system(), "linux");
}

bool stops_at_rmem_max(const Flow& flow) {
  constexpr std::uint64_t kRmemMax = 212'992;
  const std::uint64_t step = std::max<std::uint64_t>(flow.mss, flow.scale_unit());
  return flow.window_max() <= kRmemMax && flow.window_max() + step > kRmemMax;
}

namespace {

// What an untouched Linux puts into its SYN or SYN-ACK: 4 (before 2.6.39), 10, 20, 22 or 44
// segments (also without the 12 bytes of the time stamps), or the most that fits.
bool usual_first_window(const analysis::HandshakeSide& offer) {
  if (offer.window == 65'535) return true;
  const std::uint32_t own = offer.mss.known() && offer.mss.value > 12 ? offer.mss.value : 1460;
  for (const std::uint32_t segment : {own, own - 12}) {
    for (const std::uint32_t count : {4U, 10U, 20U, 22U, 44U, 45U}) {
      if (offer.window == count * segment) return true;
    }
  }
  return false;
}

}  // namespace

// Without a buffer of the program's own the shift comes from the larger of tcp_rmem[2] and
// net.core.rmem_max, and the first window from tcp_rmem[1]; with one set before the handshake both
// come from it, and the window reaches at least half of what the shift stands for (kernel
// net/ipv4/tcp_output.c, tcp_select_initial_window, tcp_connect_init).
bool linux_ceiling(const Flow& flow) {
  const std::uint8_t shift = flow.direction.scale.shift;
  if (!flow.scale_seen() || shift == 0 || !flow.receiver_offer.seen) return false;
  if (!linux_receiver(flow) || stops_at_rmem_max(flow)) return false;
  const std::uint64_t most = flow.window_max();
  if (most * 2 >= (1ULL << (15 + shift))) return false;
  const std::uint64_t first = flow.receiver_offer.window;
  // A lowered first window shows the system's hand. The usual one does not: then a window no larger
  // than it is what a program set after the handshake, one that grew past it met the ceiling.
  return usual_first_window(flow.receiver_offer) ? most * 20 > first * 21 : most * 20 >= first * 19;
}

void advise_parallel(const Flow& flow, Outcome& outcome) {
  const auto platforms = platforms_of(flow, Side::receiver).list;
  const bool untunable = !platforms.empty() && !platforms.front()->tunable;
  const std::uint32_t connections = connections_for(flow, outcome.sizing);
  if (untunable && connections > 1) {
    advise(flow, outcome, {.kind = FixKind::parallel, .connections = connections});
  }
}

std::uint32_t connections_for(const Flow& flow, const Sizing& sizing) {
  if (!sizing.potential_bps || flow.held_bps <= 0) return 0;
  const double count = std::ceil(*sizing.potential_bps / flow.held_bps - 0.01);
  return static_cast<std::uint32_t>(std::clamp(count, 1.0, 1000.0));
}

bool flat_from_start(const analysis::DirectionResult& direction,
                     const std::optional<std::int64_t>& rtt_us) {
  if (!direction.window_max) return false;
  if (direction.window_first && *direction.window_max >= 2 * *direction.window_first) return false;
  const bool never_doubled = direction.window_first.has_value();
  const bool at_once = rtt_us && direction.window_max_at_us <= 3 * *rtt_us;
  return never_doubled || at_once;
}

}  // namespace rwin::rules::findings
