#include <algorithm>
#include <cmath>

#include "rules/calc.h"
#include "rules/flow.h"

namespace rwin::rules {
namespace {

using analysis::CapacityFrom;
using analysis::DirectionResult;
using analysis::Limit;

constexpr double kWorthIt = 1.1;  // a gain of 10 % or less is no reason to change a host
constexpr double kFull =
    1 / kWorthIt;  // share of the capacity from which on the line counts as full
constexpr double kMostBelievable =
    1e12;                            // bit/s; above it a capacity is an artefact of time stamps
constexpr double kImpossible = 1.5;  // rate over ceiling that no estimation error explains

std::uint32_t mss_of(const Flow& flow) {
  if (flow.direction.mss > 0) return flow.direction.mss;
  std::uint32_t mss = 0;
  for (const auto* offer : {&flow.sender_offer, &flow.receiver_offer}) {
    if (!offer->mss.known() || offer->mss.value == 0) continue;
    mss = mss == 0 ? offer->mss.value : std::min<std::uint32_t>(mss, offer->mss.value);
  }
  return mss > 0 ? mss : 1460;
}

// A standing queue: the RTT while the window held the sender is well above the base. Jitter of a
// quarter and 2 ms is no queue.
bool has_queue(const DirectionResult& direction) {
  const auto now = direction.blocked_rtt_us ? direction.blocked_rtt_us : direction.rtt_p50_us;
  if (!now || !direction.rtt_base_us) return false;
  return *now > *direction.rtt_base_us * 5 / 4 + 2000;
}

// A capacity below the rate that the flow reached contradicts itself and is left out. A delivery
// rate is what this flow got, so only one well above its rate says anything about the path, unless
// a queue shows that the path is full.
void believe_capacity(const Flow& flow, Sizing& sizing) {
  const DirectionResult& direction = flow.direction;
  if (!direction.capacity_bps || direction.capacity_from == CapacityFrom::none) return;
  const double capacity = *direction.capacity_bps;
  if (!std::isfinite(capacity) || capacity <= 0 || capacity > kMostBelievable) return;
  if (capacity < flow.held_bps * kFull) return;
  const bool dispersion = direction.capacity_from == CapacityFrom::dispersion;
  const bool above = capacity > flow.held_bps * kWorthIt;
  if (!dispersion && !above && !sizing.queue) return;
  sizing.capacity_bps = capacity;
  sizing.capacity_proven = dispersion || !above;
  sizing.line_full = !above;
}

void choose_target(const Flow& flow, Sizing& sizing) {
  if (flow.settings.target_bps) {
    sizing.target_bps = flow.settings.target_bps;
    sizing.target_from = TargetFrom::user;
  } else if (sizing.capacity_bps) {
    sizing.target_bps = sizing.capacity_bps;
    sizing.target_from = TargetFrom::capacity;
  } else if (flow.settings.interface_bps) {
    sizing.target_bps = flow.settings.interface_bps;
    sizing.target_from = TargetFrom::interface_speed;
  }
  if (!sizing.target_bps) return;
  sizing.potential_bps = sizing.target_bps;
  if (sizing.capacity_proven && *sizing.capacity_bps < *sizing.target_bps) {
    sizing.potential_bps = sizing.capacity_bps;
  }
  if (flow.rate_bps > 0) sizing.gain = std::max(1.0, *sizing.potential_bps / flow.rate_bps);
}

void choose_window(const Flow& flow, Sizing& sizing) {
  const std::uint64_t now = std::max(flow.window_max(), flow.window.value_or(0));
  if (!sizing.target_bps || !sizing.rtt_us) {
    sizing.window = round_window(4 * now, flow.mss);
    return;
  }
  const std::uint64_t needed = needed_window(*sizing.target_bps, *sizing.rtt_us);
  sizing.window = round_window(needed, flow.mss);
  sizing.enough = static_cast<double>(needed) <= static_cast<double>(now) * kWorthIt ||
                  (flow.held_bps > 0 && *sizing.potential_bps <= flow.held_bps * kWorthIt);
}

}  // namespace

std::optional<double> ceiling(const DirectionResult& direction) {
  if (!direction.blocked_window || !direction.blocked_rtt_us || *direction.blocked_rtt_us <= 0) {
    return std::nullopt;
  }
  if (*direction.blocked_window == 0) return std::nullopt;  // closed: the reader, no rate
  return window_rate(*direction.blocked_window, *direction.blocked_rtt_us);
}

Flow make_flow(const analysis::ConnectionResult& connection, const DirectionResult& direction,
               const Settings& settings, const Catalogue& catalogue) {
  const bool up = direction.from_client;
  const DirectionResult* reverse = nullptr;
  for (const DirectionResult& other : connection.directions) {
    if (other.from_client != up) reverse = &other;
  }
  Flow flow{connection,
            direction,
            settings,
            catalogue.data(),
            up ? connection.client : connection.server,
            up ? connection.server : connection.client,
            up ? connection.client_offer : connection.server_offer,
            up ? connection.server_offer : connection.client_offer,
            reverse,
            !up,
            0,
            std::nullopt,
            std::nullopt,
            0,
            0};
  flow.mss = mss_of(flow);
  for (const auto& rtt : {direction.rtt_base_us, direction.blocked_rtt_us, direction.rtt_p50_us}) {
    if (!flow.rtt_us && rtt && *rtt > 0) flow.rtt_us = rtt;
  }
  flow.window = direction.blocked_window ? direction.blocked_window : direction.window_max;
  // Start-up and pauses lower the mean of the whole; what the window allows shows while it holds
  // the sender. A capture at the sender sees hardly anything pass in those moments, so the larger
  // of both counts.
  flow.rate_bps = direction.goodput_bps.value_or(0);
  flow.held_bps = flow.rate_bps;
  if (direction.limit == Limit::receiver_window) {
    flow.held_bps = std::max(flow.held_bps, direction.blocked_rate_bps.value_or(0));
  }
  return flow;
}

bool Flow::stalled_closed() const {
  if (direction.zero_window_count == 0) return false;
  if (direction.longest_stall_limit == Limit::receiver_app) return true;
  const bool left_over = direction.longest_stall_limit == Limit::closing ||
                         direction.longest_stall_limit == Limit::unknown;
  return left_over && direction.window_probes > 0;
}

double Flow::checked_bps() const {
  std::int64_t all = 0;
  for (const Limit limit : analysis::kAllLimits) {
    if (limit == Limit::handshake || limit == Limit::closing) continue;
    all += direction.limit_us[static_cast<std::size_t>(limit)];
  }
  const std::int64_t held = direction.limit_us[static_cast<std::size_t>(Limit::receiver_window)];
  const double whole = held > 0 && held >= all / 5 * 4 ? rate_bps : 0;
  return std::max(whole, direction.blocked_rate_bps.value_or(0));
}

Sizing size_flow(const Flow& flow) {
  Sizing sizing;
  sizing.queue = has_queue(flow.direction);
  sizing.rtt_us = flow.settings.rtt_us ? flow.settings.rtt_us : flow.rtt_us;
  believe_capacity(flow, sizing);
  choose_target(flow, sizing);
  choose_window(flow, sizing);
  const auto bound = ceiling(flow.direction);
  sizing.contradiction = bound && *bound > 0 && flow.checked_bps() > *bound * kImpossible;
  return sizing;
}

}  // namespace rwin::rules
