// Scenarios: a TCP conversation as text, and what the analysis must say about it. The language:
// tests/NOTES.md.
//
// A scenario tells what the two hosts send; the reader works out what a capture beside the client,
// in the middle and beside the server would show, at any initial sequence number.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "analysis/result.h"
#include "analysis/segment.h"
#include "tests/support/scenario_spec.h"

namespace rwin::test {

// Reads a file, or a text with a name for messages. Throws ScenarioError.
Scenario load_scenario(const std::string& path);
Scenario parse_scenario(const std::string& text, const std::string& name);

// What happened while it was played, beyond the packets.
struct Simulated {
  std::int64_t busy_ns = 0,
               held_ns = 0;  // of all transfers: data outstanding or waiting; held by the window
};

// The segments in the order of the capture at `view`. The server's initial sequence number is `isn`
// (the next connection's is `isn` + 1), the client's and the time stamps come from it as well.
// `simulated` gets an entry for each connection.
std::vector<analysis::Segment> play(const Scenario& scenario, View view, std::uint32_t isn,
                                    std::vector<Simulated>* simulated = nullptr);

// What the rules make of a direction, as far as a scenario can expect it. Filled by who asks them:
// this folder knows the analysis only.
struct Said {
  std::string cause;               // "none" where there is none
  std::string change_at;           // "client", "server", "client server", "none": whom advice names
  std::optional<double> raise_to;  // largest window that an advice asks for
  std::optional<double> ceiling_bps;
  double gain = 1;
  std::string text;  // summary, notes, titles and reasons of the advice, in one
};

// A connection as it was analysed. `said`: of the server's data and of the client's; null: the
// rules were not asked.
struct Seen {
  const analysis::ConnectionResult& result;
  Simulated simulated;
  const Said* from_server = nullptr;
  const Said* from_client = nullptr;
};

// One line for each expectation at `view` of connection `index` that does not hold,
// "file:line: ..."; empty when all do.
std::vector<std::string> unmet(const Scenario& scenario, View view, std::size_t index,
                               const Seen& seen);

// What is said of a host.
struct HostSaid {
  analysis::Address address;
  double connections = 0, window_limited = 0, stalled_together = 0;
  std::optional<double> worst_rtt_us, needed_window;
  std::string cause;  // "none" where there is none
  std::string text;   // notes and advice in one
};
std::vector<std::string> unmet_of_hosts(const Scenario& scenario, View view,
                                        const std::vector<HostSaid>& hosts);

// Which of the scenario's connections this is; nullopt when none has these ends.
std::optional<std::size_t> index_of(const Scenario& scenario,
                                    const analysis::ConnectionResult& result);

// A line for each direction: its limit and shares.
std::string summary(const analysis::ConnectionResult& result);
// All figures that an expectation can name with their values, for a person who writes a scenario.
std::string describe(const analysis::ConnectionResult& result);

// "1.5ms", "25Mbit/s", "64KiB", "33304": the number in nanoseconds, bit/s, bytes or as it stands;
// nullopt when it is none of these.
std::optional<double> quantity(const std::string& text);

}  // namespace rwin::test
