#include "analysis/direction/scale_inference.h"

namespace rwin::analysis {
namespace {

constexpr std::uint8_t kLargestShift = 14;
constexpr double kViolations = 0.005;  // share of segments: disorder of the capture, probes
constexpr double kHeld = 0.5;          // share of the busy time held by the window
constexpr double kEchoes = 0.7;  // share of the time stamp echoes that name the permitting ACK
constexpr std::uint64_t kFewest = 12;  // segments to judge by

bool held_most_of_the_time(const std::vector<Span>& spans) {
  std::int64_t held = 0;
  std::int64_t busy = 0;
  for (const Span& s : spans) {
    if (s.wait != Wait::idle) busy += s.length();
    if (s.held()) held += s.length();
  }
  return static_cast<double>(held) >= kHeld * static_cast<double>(busy) && held > 0;
}

}  // namespace

std::optional<std::uint8_t> infer_shift(Trace& trace, const Delays& delays,
                                        std::uint32_t full_segment, std::vector<Span>& spans) {
  if (!delays.d_s() || trace.acks.empty()) return std::nullopt;
  Releases releases;
  for (std::uint8_t shift = 0; shift <= kLargestShift; ++shift) {
    trace.rescale(shift);
    spans.clear();
    releases.begin();
    releases.find_waits(trace, delays, true, full_segment, spans, true);
    const Releases::Fit& f = releases.fit();
    if (static_cast<double>(f.too_early) > kViolations * static_cast<double>(f.judged)) continue;
    const bool echoes_agree =
        static_cast<double>(f.echoes_agree) >= kEchoes * static_cast<double>(f.echoes);
    if (f.judged >= kFewest && f.filled * 2 >= f.judged_ends && echoes_agree &&
        held_most_of_the_time(spans))
      return shift;
    break;
  }
  trace.rescale(0);
  return std::nullopt;
}

}  // namespace rwin::analysis
