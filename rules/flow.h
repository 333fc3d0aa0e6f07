// One direction of one connection as the findings read it, and the sizes that its advice needs.
// Inside rules/ only.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

#include "rules/assess.h"
#include "rules/catalogue_data.h"

namespace rwin::rules {

struct Flow {
  const analysis::ConnectionResult& connection;
  const analysis::DirectionResult& direction;
  const Settings& settings;
  const CatalogueData& catalogue;
  const analysis::Endpoint& sender;
  const analysis::Endpoint& receiver;
  const analysis::HandshakeSide& sender_offer;
  const analysis::HandshakeSide& receiver_offer;
  const analysis::DirectionResult* reverse;  // the other direction; null when it carried no data
  bool receiver_is_client;
  std::uint32_t mss;                    // in use, else of the handshake, else 1460
  std::optional<std::int64_t> rtt_us;   // base, else while blocked, else the median
  std::optional<std::uint64_t> window;  // while blocked (median), else the largest
  double rate_bps;                      // goodput of the whole; 0: unknown
  double held_bps;                      // while the window held the sender, where that is more

  // The longest stall fell into a closed window: said so by the analysis, or left to the end of the
  // capture while the sender probed.
  [[nodiscard]] bool stalled_closed() const;
  // What must not exceed window / RTT: the rate while the window held the sender, or over the whole
  // where it held nearly all the time; 0: neither known.
  [[nodiscard]] double checked_bps() const;
  [[nodiscard]] SignatureMatch receiver_system() const {
    return match_signature(catalogue, receiver_offer, !receiver_is_client);
  }
  [[nodiscard]] SignatureMatch sender_system() const {
    return match_signature(catalogue, sender_offer, receiver_is_client);
  }
  // Scaling agreed in a captured handshake: more than an inference.
  [[nodiscard]] bool scale_seen() const {
    return direction.scale.state == analysis::Presence::known && !direction.scale.inferred;
  }
  [[nodiscard]] std::uint64_t window_max() const { return direction.window_max.value_or(0); }
  [[nodiscard]] std::uint64_t scale_unit() const { return 1ULL << direction.scale.shift; }
};

Flow make_flow(const analysis::ConnectionResult& connection,
               const analysis::DirectionResult& direction, const Settings& settings,
               const Catalogue& catalogue);

// What the path and the target ask for.
struct Sizing {
  std::optional<double> capacity_bps;  // of the path, where it is believed
  bool capacity_proven =
      false;  // by dispersion: an upper bound; a delivery rate is only a lower one
  std::optional<double> target_bps;
  TargetFrom target_from = TargetFrom::none;
  std::optional<std::int64_t> rtt_us;   // to size for: the user's word, else the base RTT
  std::uint64_t window = 0;             // wanted; 0 where none can be told
  std::optional<double> potential_bps;  // min(target, proven capacity)
  double gain = 1.0;                    // potential / rate now
  bool line_full = false;               // rate at the capacity, or queue and rate together
  bool queue = false;                   // RTT well above base while the window held the sender
  bool enough = false;         // the present window is enough for the target (gain up to 10 %)
  bool contradiction = false;  // rate above window / RTT: the verdict does not hold

  // Method, "when not to blame the window": raise only for a gain above 10 %, no full line, and
  // figures that agree.
  [[nodiscard]] bool raise() const { return !line_full && !enough && !contradiction; }
};

Sizing size_flow(const Flow& flow);

// 8 x median window while blocked / median RTT then.
std::optional<double> ceiling(const analysis::DirectionResult& direction);

}  // namespace rwin::rules
