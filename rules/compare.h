// Two captures of the same transfers, before and after a change: what became of it, and why. Pure.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "rules/assess.h"

namespace rwin::rules {

// What is compared of one direction of one connection.
struct FlowRecord {
  std::uint64_t id = 0;  // of the connection in its capture
  analysis::Endpoint sender, receiver;
  bool receiver_is_client = true;
  bool syn_seen = false;  // the recording began before the connection
  std::int64_t start_ns = 0, end_ns = 0;
  std::uint64_t bytes = 0;
  std::int64_t duration_us = 0;
  std::optional<double> rate_bps;
  std::optional<std::int64_t> rtt_base_us, rtt_us;  // smallest, median
  std::optional<std::uint64_t> window;              // largest
  analysis::WindowScale scale;
  // Shift that each end offered; -1: a SYN without the option; nullopt: not seen.
  std::optional<int> sender_offer, receiver_offer;
  double resent_share = 0;  // of the segments
  analysis::Limit limit = analysis::Limit::unknown;
  std::string cause;
  std::optional<double> ceiling_bps;
  std::optional<std::uint64_t> wanted_window;  // of the advice
  std::optional<double> potential_bps;         // what the path or the target leaves open
};
FlowRecord record_of(const analysis::ConnectionResult& connection,
                     const analysis::DirectionResult& direction, const Assessment& assessment);

enum class ChangeOutcome : std::uint8_t {
  worked,      // faster, and what held it before does not any more
  partly,      // faster, and still held by the window
  next_limit,  // the window is out of the way, something else holds it far below what that opened
  no_change,   // as before
  hurt,        // slower
  unclear      // a side has no verdict or no rate
};
std::string_view word(ChangeOutcome outcome);

struct FlowPair {
  FlowRecord before, after;
  std::uint64_t before_count = 1,
                after_count = 1;  // directions like these; the largest is compared
  bool same_addresses = true;
  ChangeOutcome outcome = ChangeOutcome::unclear;
  // "old-connection", "began-earlier", "wrong-host", "program-fixes", "not-in-force",
  // "not-the-window", "round-trip", "queue", "loss", "window-fell", a limit's word, or empty.
  std::string reason;
  std::string summary;             // one or two sentences
  std::vector<std::string> notes;  // what makes the comparison doubtful
};

struct HostChangeRow {
  analysis::Address address;                                 // a receiver
  std::optional<std::uint64_t> window_before, window_after;  // largest of its flows
  std::uint64_t pairs = 0, better = 0, worse = 0;
};

struct Comparison {
  std::vector<FlowPair> pairs;  // what moved most before the change first
  std::vector<FlowRecord> only_before, only_after;
  std::vector<HostChangeRow> hosts;
  ChangeOutcome outcome = ChangeOutcome::unclear;  // of the pair that was held by its window and
                                                   // moved most, else of the first
  std::string summary;
};
Comparison compare(std::vector<FlowRecord> before, std::vector<FlowRecord> after);

}  // namespace rwin::rules
