#include "rules/mss_clamp.h"

#include "rules/text.h"

namespace rwin::rules {
namespace {

using analysis::HandshakeSide;

constexpr std::uint32_t kUsual = 1460;        // MTU 1500 without IP and TCP headers
constexpr std::uint32_t kTunnelsNeed = 1200;  // IPv6 inside IPsec inside PPPoE is still above it
constexpr std::uint32_t kTimestamps = 12;
constexpr std::uint64_t kTooLittle = 10'000;

bool lowered(const HandshakeSide& offer) {
  if (!offer.seen || !offer.mss.known()) return false;
  const std::uint32_t mss = offer.mss.value;
  if (mss <= kTimestamps || mss >= kTunnelsNeed || offer.window < 10 * kUsual) return false;
  const auto whole = [&](std::uint32_t segment) {
    return offer.window % segment == 0 ||
           (offer.timestamps.known() && offer.window % (segment - kTimestamps) == 0);
  };
  return whole(kUsual) && !whole(mss);
}

}  // namespace

void note_mss_clamp(const Flow& flow, Outcome& outcome) {
  if (flow.direction.bytes < kTooLittle) return;
  // The receiver's MSS bounds what the sender sends.
  if (!lowered(flow.receiver_offer)) return;
  outcome.unproven("mss_lowered_on_the_way");
  outcome.verdict.notes.push_back("The segment size of " +
                                  std::to_string(flow.receiver_offer.mss.value) + " B that " +
                                  format_address(flow.receiver.address) +
                                  " seems to offer is not its own: its first window counts "
                                  "segments of 1460 B. A box on the way "
                                  "lowered it.");
  advise(flow, outcome, {.kind = FixKind::mss_clamped});
}

}  // namespace rwin::rules
