// The two halves of the round trip, as the capture point sees them (METHOD: d_S and d_R), over time.
//
// d_S: capture point -> sender -> capture point, from an ACK to the data it released. d_R likewise at the receiver.
// Every sample is the true delay plus waiting (delayed ACK, sender idle, coarse time stamp clock), never less, so
// the smallest over a short while is the delay then, queues included, and the smallest of all is the base.
#pragma once

#include <cstdint>
#include <optional>

#include "analysis/direction/trace.h"
#include "analysis/result.h"

namespace rwin::analysis {

struct DelayHints {
  std::optional<std::int64_t> sender_us, receiver_us;  // from the handshake
};

struct Delays {
  std::optional<std::int64_t> d_s, d_r;  // smallest
  RttMethod method = RttMethod::none;
  bool from_lag = false;                 // d_s rests on the release lag alone
  [[nodiscard]] std::optional<std::int64_t> base() const {
    if (!d_s || !d_r) return std::nullopt;
    return *d_s + *d_r;
  }
};

// Fills d_s of every data point and d_r of the acks.
Delays measure_delays(Trace& trace, const DelayHints& hints);

}  // namespace rwin::analysis
