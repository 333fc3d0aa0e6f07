#include "rules/assess.h"

#include <algorithm>
#include <cmath>

#include "rules/calc.h"
#include "rules/capture_quality.h"
#include "rules/findings/findings.h"
#include "rules/flow.h"
#include "rules/mss_clamp.h"
#include "rules/summary.h"
#include "rules/text.h"

namespace rwin::rules {
namespace {

using analysis::DirectionResult;
using analysis::Limit;
using analysis::Presence;

constexpr double kHigh = 0.75, kMedium = 0.45;
constexpr double kSelfCheck = 1.1;  // rate over ceiling that still agrees (cases, rule 1)
constexpr double kBlockedWorthTelling = 0.1;

Confidence confidence_from(double value) {
  if (value >= kHigh) return Confidence::high;
  return value >= kMedium ? Confidence::medium : Confidence::low;
}

void lower(Verdict& verdict, Confidence most) {
  verdict.confidence = std::min(verdict.confidence, most);
}

// The class comes from the analysis. One guard: a window whose scale is unknown proves nothing
// (method, part 4).
Limit limit_of(const DirectionResult& direction) {
  const bool unknown_scale = direction.scale.state == Presence::unknown;
  if (direction.limit == Limit::receiver_window && unknown_scale) return Limit::unknown;
  return direction.limit;
}

void ask_findings(const Flow& flow, Outcome& outcome) {
  const unsigned bit = 1U << static_cast<unsigned>(outcome.verdict.limit);
  for (const Finding& finding : all_findings()) {
    if ((finding.limits & bit) == 0 || !finding.apply(flow, outcome)) continue;
    outcome.verdict.cause = finding.cause;
    return;
  }
}

// "Proof is agreement": a rate above window / RTT contradicts a window verdict.
void self_check(const Flow& flow, Outcome& outcome) {
  Verdict& verdict = outcome.verdict;
  if (verdict.limit != Limit::receiver_window || !verdict.ceiling_bps) return;
  if (flow.checked_bps() <= *verdict.ceiling_bps * kSelfCheck) return;
  lower(verdict, Confidence::low);
  outcome.unproven("self_check");
  verdict.notes.push_back(
      "The measured rate of " + format_rate(flow.checked_bps()) +
      " is above window / round trip (" + format_rate(*verdict.ceiling_bps) +
      "): one of the two is measured wrongly, so check before you change anything.");
}

// Advice to raise a window stays only where a larger window would help.
void weigh_advice(const Flow& flow, Outcome& outcome) {
  Verdict& verdict = outcome.verdict;
  const Sizing& sizing = outcome.sizing;
  if (verdict.limit != Limit::receiver_window) {
    for (Advice& advice : outcome.advice) advice.window_bytes.reset();
    return;
  }
  if (sizing.raise()) return;
  outcome.advice.clear();
  if (sizing.contradiction) {
    verdict.notes.push_back("No change is advised on figures that contradict each other.");
  } else if (sizing.line_full) {
    verdict.notes.push_back("Nothing to change: the line is full as well (" +
                            format_rate(sizing.capacity_bps.value_or(flow.rate_bps)) +
                            "). A larger window would only lengthen the queue.");
  } else {
    verdict.notes.push_back("Nothing to change: the present window is enough for " +
                            format_rate(sizing.target_bps.value_or(flow.rate_bps)) + ".");
  }
}

void note_blocked_share(const Flow& flow, Verdict& verdict) {
  const DirectionResult& d = flow.direction;
  if (verdict.limit == Limit::receiver_window || verdict.limit == Limit::receiver_app) return;
  if (!d.blocked_us || !d.busy_us || *d.busy_us <= 0) return;
  const double share = static_cast<double>(*d.blocked_us) / static_cast<double>(*d.busy_us);
  if (share < kBlockedWorthTelling) return;
  verdict.notes.push_back("The receive window held the sender for " +
                          std::to_string(std::lround(share * 100)) +
                          " % of its busy time as well.");
}

// The receiver got segments twice that were sent once: the network doubles them.
void note_doubled(const Flow& flow, Verdict& verdict) {
  const DirectionResult& d = flow.direction;
  if (d.dsacks < 3 || d.dsacks <= 2 * d.retransmitted_segments) return;
  verdict.notes.push_back(format_count(d.dsacks) +
                          " segments reached the receiver twice (its SACK blocks say so) though "
                          "they were sent once: packets are duplicated on the way.");
}

// The window's ceiling is told where the window counts: under other limits only if it held the
// sender for a tenth.
bool shows_ceiling(Limit limit, const DirectionResult& d) {
  if (limit == Limit::receiver_window || limit == Limit::receiver_app) return true;
  return d.blocked_us && d.busy_us &&
         static_cast<double>(*d.blocked_us) >
             static_cast<double>(*d.busy_us) * kBlockedWorthTelling;
}

// What holds the transfer next: the line, where its capacity is proven, else the second largest
// class. Start-up limits every transfer for a while and is left out.
std::optional<Limit> next_limit_of(Limit limit, const DirectionResult& d, const Sizing& sizing) {
  const bool held_by_end = limit == Limit::receiver_window || limit == Limit::sender_buffer ||
                           limit == Limit::sender_paced;
  if (held_by_end && sizing.capacity_proven) return Limit::bandwidth;
  if (d.next_limit == Limit::unknown || d.next_limit == Limit::slow_start) return std::nullopt;
  return d.next_limit;
}

// What the target leaves open, and what is said of it.
void set_potential(const Flow& flow, Outcome& outcome) {
  Verdict& verdict = outcome.verdict;
  const Sizing& sizing = outcome.sizing;
  switch (verdict.limit) {
    case Limit::receiver_window:
    case Limit::sender_buffer:
    case Limit::sender_paced:
      verdict.potential_bps = sizing.potential_bps;
      verdict.gain = sizing.line_full ? 1.0 : sizing.gain;
      if (!sizing.capacity_proven) outcome.unproven("path_capacity");
      if (!flow.rtt_us) outcome.unproven("round_trip");
      break;
    case Limit::bandwidth:
      if (sizing.capacity_proven) verdict.potential_bps = sizing.potential_bps;
      break;
    default:
      break;
  }
}

void set_confidence(const Flow& flow, Outcome& outcome) {
  Verdict& verdict = outcome.verdict;
  verdict.confidence = confidence_from(flow.direction.confidence);
  if (verdict.limit == Limit::unknown) lower(verdict, Confidence::low);
  const bool window_counts = verdict.limit == Limit::receiver_window ||
                             verdict.limit == Limit::receiver_app ||
                             verdict.limit == Limit::sender_buffer;
  if (window_counts && flow.direction.scale.inferred) {
    lower(verdict, Confidence::medium);
    outcome.unproven("window_scale");
  }
  weigh_capture(flow, outcome);
}

}  // namespace

std::string_view word(Confidence confidence) {
  switch (confidence) {
    case Confidence::low:
      return "low";
    case Confidence::medium:
      return "medium";
    case Confidence::high:
      return "high";
  }
  return "low";
}

std::string_view word(Role role) {
  switch (role) {
    case Role::receiver:
      return "receiver";
    case Role::sender:
      return "sender";
    case Role::middlebox:
      return "middlebox";
    case Role::application:
      return "application";
  }
  return "receiver";
}

std::string place_of(const Advice& advice) {
  if (advice.role == Role::middlebox) return "in the path";
  std::string place = advice.host.empty() ? std::string() : "on " + advice.host;
  if (!advice.platform.empty()) place += (place.empty() ? "(" : " (") + advice.platform + ")";
  return place;
}

Assessment assess(const analysis::ConnectionResult& connection, const DirectionResult& direction,
                  const Settings& settings, const Catalogue& catalogue, Words words) {
  const Flow flow = make_flow(connection, direction, settings, catalogue);
  const Sizing sizing = size_flow(flow);
  Assessment assessment;
  Verdict& verdict = assessment.verdict;
  Outcome outcome{verdict, assessment.advice, sizing};

  verdict.limit = limit_of(direction);
  verdict.receive_buffer_fixed = settings.receive_buffer_fixed;
  if (shows_ceiling(verdict.limit, direction)) verdict.ceiling_bps = ceiling(direction);
  set_confidence(flow, outcome);
  set_potential(flow, outcome);
  verdict.next_limit = next_limit_of(verdict.limit, direction, sizing);
  const std::string stall = stall_note(flow);
  if (!stall.empty()) verdict.notes.push_back(stall);
  ask_findings(flow, outcome);
  self_check(flow, outcome);
  weigh_advice(flow, outcome);
  note_mss_clamp(flow, outcome);
  note_blocked_share(flow, verdict);
  note_doubled(flow, verdict);
  if (words == Words::now) {
    verdict.evidence = evidence_of(flow, verdict, sizing);
    verdict.summary = summary_of(flow, verdict);
  }
  return assessment;
}

void put_in_words(Assessment& assessment, const analysis::ConnectionResult& connection,
                  const DirectionResult& direction, const Settings& settings,
                  const Catalogue& catalogue) {
  const Flow flow = make_flow(connection, direction, settings, catalogue);
  Verdict& verdict = assessment.verdict;
  verdict.evidence = evidence_of(flow, verdict, size_flow(flow));
  verdict.summary = summary_of(flow, verdict);
}

}  // namespace rwin::rules
