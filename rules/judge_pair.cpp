#include "rules/judge_pair.h"

#include <algorithm>
#include <cmath>

#include "rules/text.h"

namespace rwin::rules {
namespace {

using analysis::Limit;

constexpr double kNoticeable = 1.1;  // as for advice: 10 % are no gain
constexpr double kGrown = 1.1;       // of a window
constexpr double kLonger = 1.3;      // of a round trip: a queue, or another path
constexpr double kMoreLoss = 0.005;  // share of segments sent again, on top of the earlier one

double ratio(const FlowPair& p) { return *p.after.rate_bps / *p.before.rate_bps; }

bool window_grew(const FlowPair& p) {
  return p.before.window && p.after.window &&
         static_cast<double>(*p.after.window) > kGrown * static_cast<double>(*p.before.window);
}

bool window_fell(const FlowPair& p) {
  return p.before.window && p.after.window &&
         static_cast<double>(*p.before.window) > kGrown * static_cast<double>(*p.after.window);
}

bool longer(const std::optional<std::int64_t>& before, const std::optional<std::int64_t>& after) {
  return before && after && static_cast<double>(*after) > kLonger * static_cast<double>(*before) &&
         *after > *before + 2000;
}

// The same four numbers, and the second capture does not show its beginning.
bool same_connection(const FlowPair& p) {
  return p.before.sender == p.after.sender && p.before.receiver == p.after.receiver &&
         !p.after.syn_seen;
}

std::string rates(const FlowPair& p) {
  return format_rate(*p.before.rate_bps) + " before, " + format_rate(*p.after.rate_bps) + " after";
}

std::string times(double factor) {
  const auto tenths = std::lround(factor * 10);
  return std::to_string(tenths / 10) + "." + std::to_string(tenths % 10) + " times";
}

std::string window_text(const std::optional<std::uint64_t>& window) {
  return window ? format_count(*window) + " B" : std::string("an unknown size");
}

std::string limit_words(Limit limit) {
  switch (limit) {
    case Limit::receiver_window:
      return "the receiver's window";
    case Limit::receiver_app:
      return "the program that reads";
    case Limit::congestion:
      return "loss on the path";
    case Limit::bandwidth:
      return "the line itself: it is full";
    case Limit::sender_app:
      return "the program that sends";
    case Limit::sender_buffer:
      return "the sender's buffer";
    case Limit::sender_paced:
      return "the sender, which caps its rate";
    case Limit::slow_start:
      return "slow start: the transfer is too short for more";
    default:
      return "not known";
  }
}

// Another base round trip, or other hosts: then a gain or a loss may come from there.
bool apart(const FlowPair& p) {
  return !p.same_addresses || longer(p.before.rtt_base_us, p.after.rtt_base_us) ||
         longer(p.after.rtt_base_us, p.before.rtt_base_us);
}

// What the larger window made possible: as much more as it grew, over the round trip as it is now,
// at most what the path was seen to carry.
double opened_bps(const FlowPair& p) {
  double opened = *p.before.rate_bps * static_cast<double>(*p.after.window) /
                  static_cast<double>(*p.before.window);
  if (p.before.rtt_base_us && p.after.rtt_base_us && *p.after.rtt_base_us > 0)
    opened *=
        static_cast<double>(*p.before.rtt_base_us) / static_cast<double>(*p.after.rtt_base_us);
  if (p.before.potential_bps) opened = std::min(opened, *p.before.potential_bps);
  return opened;
}

// Something other than the line holds it in the lower half, by factors, of what the window opened.
// A fixed gain of some per cent would call the same next limit a success or not by chance.
bool held_again(const FlowPair& p) {
  if (p.after.limit == Limit::bandwidth || p.after.limit == Limit::unknown || !window_grew(p) ||
      *p.before.window == 0)
    return false;
  return *p.after.rate_bps * *p.after.rate_bps < *p.before.rate_bps * opened_bps(p);
}

void next_limit(FlowPair& p) {
  p.outcome = ChangeOutcome::next_limit;
  p.reason = std::string(analysis::word(p.after.limit));
  const std::string gain = ratio(p) < kNoticeable
                               ? std::string("it is no faster")
                               : "that opened about " + format_rate(opened_bps(p)) +
                                     ", and it is only " + times(ratio(p)) + " as fast";
  p.summary = "The window is out of the way (" + window_text(p.before.window) + " -> " +
              window_text(p.after.window) + "), but " + gain + ": " + rates(p) +
              ". What holds it now is " + limit_words(p.after.limit) + ".";
}

void faster(FlowPair& p) {
  const std::string receiver = format_address(p.after.receiver.address);
  const std::string gain = receiver + " gets " + format_rate(*p.after.rate_bps) + " instead of " +
                           format_rate(*p.before.rate_bps) + " (" + times(ratio(p)) + ")";
  if (p.before.limit != Limit::receiver_window) {
    p.outcome = ChangeOutcome::worked;
    p.summary =
        "It is faster: " + gain + "; what held it before was " + limit_words(p.before.limit) + ".";
    return;
  }
  if (p.after.limit == Limit::receiver_window) {
    p.outcome = ChangeOutcome::partly;
    if (!window_grew(p)) {
      p.reason = "round-trip";
      p.summary = "Faster, but not by the window, which is as large as before: " + gain + ".";
      if (longer(p.after.rtt_base_us, p.before.rtt_base_us))
        p.summary += " The round trip is shorter.";
      return;
    }
    p.reason = "receiver-window";
    p.summary = std::string(apart(p) ? "Faster, over another path: " : "The fix helped: ") + gain +
                ". The window, now " + window_text(p.after.window) + ", is still the limit";
    p.summary += p.after.wanted_window
                     ? "; " + format_count(*p.after.wanted_window) + " B are wanted."
                     : std::string(".");
    return;
  }
  if (held_again(p)) return next_limit(p);
  p.outcome = ChangeOutcome::worked;
  p.reason = std::string(analysis::word(p.after.limit));
  p.summary = std::string(apart(p) ? "Faster, over another path: " : "The fix worked: ") + gain +
              ". The window went from " + window_text(p.before.window) + " to " +
              window_text(p.after.window) + "; the limit is now " + limit_words(p.after.limit) +
              ".";
}

void slower(FlowPair& p) {
  p.outcome = ChangeOutcome::hurt;
  p.summary = "It is slower: " + rates(p) + ".";
  if (window_fell(p)) {
    p.reason = "window-fell";
    p.summary += " The window fell from " + window_text(p.before.window) + " to " +
                 window_text(p.after.window) + ".";
  } else if (p.after.resent_share > p.before.resent_share + kMoreLoss) {
    p.reason = "loss";
    p.summary += " More is lost and sent again: a larger window can flood a short queue.";
  } else if (longer(p.before.rtt_base_us, p.after.rtt_base_us)) {
    p.reason = "round-trip";
    p.summary += " The round trip is longer: it is another path, or another server.";
  } else if (longer(p.before.rtt_us, p.after.rtt_us)) {
    p.reason = "queue";
    p.summary += " Packets wait in a queue: the window is more than the path holds.";
  } else {
    p.reason = std::string(analysis::word(p.after.limit));
    p.summary += " The limit is now " + limit_words(p.after.limit) + ".";
  }
}

// The window is as it was, and still the limit: why did the change not arrive?
void window_as_before(FlowPair& p) {
  p.outcome = ChangeOutcome::no_change;
  const std::string receiver = format_address(p.after.receiver.address);
  const std::string sender = format_address(p.after.sender.address);
  p.summary = "Nothing changed: " + rates(p) + ", held by the same window of " +
              window_text(p.after.window) + ". ";
  const bool seen = p.before.receiver_offer && p.after.receiver_offer;
  const bool other_offer = p.before.sender_offer && p.after.sender_offer &&
                           *p.before.sender_offer != *p.after.sender_offer;
  if (same_connection(p)) {
    p.reason = "old-connection";
    p.summary +=
        "It is the same connection as before, and its window scale was fixed when it began: start "
        "the transfer anew.";
  } else if (!p.after.syn_seen) {
    p.reason = "began-earlier";
    p.summary +=
        "The connection began before the second recording, perhaps before the change: start the "
        "recording, then the transfer.";
  } else if (seen && *p.before.receiver_offer == *p.after.receiver_offer && other_offer) {
    p.reason = "wrong-host";
    p.summary += "What did change is " + sender + " (window scale " +
                 std::to_string(std::max(*p.before.sender_offer, 0)) + " -> " +
                 std::to_string(std::max(*p.after.sender_offer, 0)) +
                 "): the window that counts is "
                 "that of " +
                 receiver + ", so the change belongs there.";
  } else if (p.after.cause == "buffer-fixed") {
    p.reason = "program-fixes";
    p.summary +=
        "A program on " + receiver +
        " fixes its receive buffer: the system's settings do not reach it. Change or delete "
        "the program's own setting.";
  } else {
    p.reason = "not-in-force";
    p.summary += "The change is not in force on " + receiver +
                 ": look at the value there; a container and a program have values of their own.";
  }
}

void as_fast(FlowPair& p) {
  if (p.before.limit != Limit::receiver_window) {
    p.outcome = ChangeOutcome::no_change;
    p.reason = "not-the-window";
    p.summary = "Nothing changed: " + rates(p) +
                ". The window was not the limit before; that was " + limit_words(p.before.limit) +
                ".";
    if (p.before.limit == p.after.limit) p.summary += " It still is.";
    return;
  }
  if (p.after.limit == Limit::receiver_window && !window_grew(p)) return window_as_before(p);
  if (p.after.limit == Limit::receiver_window) {
    p.outcome = ChangeOutcome::no_change;
    p.reason = "receiver-window";
    p.summary = "No faster: " + rates(p) + ". The window grew from " +
                window_text(p.before.window) + " to " + window_text(p.after.window) +
                " and is still the limit; the round trip took up the gain.";
    return;
  }
  next_limit(p);
}

void add_notes(FlowPair& p) {
  if (!p.same_addresses)
    p.notes.emplace_back("The addresses differ; paired by the server's port and the direction.");
  if (longer(p.before.rtt_base_us, p.after.rtt_base_us) ||
      longer(p.after.rtt_base_us, p.before.rtt_base_us))
    p.notes.push_back("The base round trip was " + format_time(*p.before.rtt_base_us) + " and is " +
                      format_time(*p.after.rtt_base_us) + ": not the same path.");
  if (p.after.bytes * 5 < p.before.bytes)
    p.notes.emplace_back("The second transfer is much shorter: start-up weighs more in it.");
  if (p.before.bytes * 5 < p.after.bytes)
    p.notes.emplace_back("The first transfer is much shorter: start-up weighs more in it.");
}

}  // namespace

void judge(FlowPair& p) {
  add_notes(p);
  const auto usable = [](const FlowRecord& r) { return r.rate_bps && *r.rate_bps > 0; };
  if (!usable(p.before) || !usable(p.after)) {
    p.outcome = ChangeOutcome::unclear;
    p.summary = "One of the transfers is too short for a rate.";
    return;
  }
  const double by = ratio(p);
  if (by >= kNoticeable) {
    faster(p);
  } else if (by <= 1 / kNoticeable) {
    slower(p);
  } else if (p.before.limit == Limit::unknown || p.after.limit == Limit::unknown) {
    p.outcome = ChangeOutcome::unclear;
    p.summary = "As fast as before: " + rates(p) + ". What held it is not known " +
                (p.before.limit == Limit::unknown ? "before" : "after") +
                " the change: record from before the connection begins.";
  } else {
    as_fast(p);
  }
}

}  // namespace rwin::rules
