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

void add_file_server_hint(const Flow& flow, Outcome& outcome) {
  const auto& server = flow.connection.server;
  if (server.port != 445 && server.port != 139) return;
  const bool receives = flow.receiver_is_client ? false : true;
  const bool window = outcome.verdict.limit == analysis::Limit::receiver_window;
  if (window != receives) return;  // the client's buffer holds it
  outcome.verdict.notes.push_back(
      std::string("A file server: look for 'socket options' in its configuration (smb.conf) and "
                  "delete SO_RCVBUF and SO_SNDBUF there; TCP_NODELAY may stay. ") +
      (receives ? "SO_RCVBUF holds what is copied to the server, SO_SNDBUF what is copied from it."
                : "SO_SNDBUF holds what is copied from the server, SO_RCVBUF what is copied to "
                  "it."));
}

bool of_family(const Flow& flow, const SignatureMatch& match, std::string_view family) {
  if (match.signature == nullptr || match.signature->platforms.empty()) return false;
  const Platform* platform = flow.catalogue.platform(match.signature->platforms.front());
  return platform != nullptr && platform->family == family;
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
