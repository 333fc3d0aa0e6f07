#include "analysis/direction/scale_inference.h"

#include "analysis/direction/release.h"

namespace rwin::analysis {
namespace {

constexpr std::uint8_t kLargestShift = 14;
constexpr double kViolations = 0.005;  // share of segments: disorder of the capture, probes
constexpr double kHeld = 0.5;          // share of segments released by the edge
constexpr std::size_t kFewest = 20;    // segments to judge by

struct Fit {
  std::size_t judged = 0, violating = 0, released = 0;
};

Fit fit(Trace& trace, const Delays& delays) {
  Fit f;
  const std::int64_t base = delays.base().value_or(0);
  PermissionHistory permission;
  std::size_t ack_seen = 0;
  for (const DataPoint& d : trace.data) {
    for (; ack_seen < d.acks_before; ++ack_seen) permission.on_ack(trace.acks[ack_seen]);
    if (!d.fresh() || permission.empty()) continue;
    const std::int64_t permitted = permission.since(d.end).since;
    if (permitted == PermissionHistory::kBefore) continue;
    ++f.judged;
    const std::int64_t tolerance = lag_tolerance(d.d_s, base);
    if (permitted == PermissionHistory::kNever || permitted + d.d_s > d.t + tolerance) {
      ++f.violating;
    } else if (permitted + d.d_s + tolerance >= d.t) {
      ++f.released;
    }
  }
  return f;
}

}  // namespace

std::optional<std::uint8_t> infer_shift(Trace& trace, const Delays& delays) {
  if (!delays.d_s() || trace.acks.empty()) return std::nullopt;
  for (std::uint8_t shift = 0; shift <= kLargestShift; ++shift) {
    trace.rescale(shift);
    const Fit f = fit(trace, delays);
    if (static_cast<double>(f.violating) > kViolations * static_cast<double>(f.judged)) continue;
    if (f.judged >= kFewest && static_cast<double>(f.released) >= kHeld * static_cast<double>(f.judged)) return shift;
    break;
  }
  trace.rescale(0);
  return std::nullopt;
}

}  // namespace rwin::analysis
