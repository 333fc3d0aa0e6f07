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

// The segments in the order of the capture at `view`. The client's initial sequence number and time
// stamp are `isn`, the server's come from it as well.
std::vector<analysis::Segment> play(const Scenario& scenario, View view, std::uint32_t isn,
                                    Simulated* simulated = nullptr);

// One line for each expectation at `view` that does not hold, "file:line: ..."; empty when all do.
std::vector<std::string> unmet(const Scenario& scenario, View view, const Simulated& simulated,
                               const analysis::ConnectionResult& result);
// A line for each direction: its limit and shares.
std::string summary(const analysis::ConnectionResult& result);
// All figures that an expectation can name with their values, for a person who writes a scenario.
std::string describe(const analysis::ConnectionResult& result);

// "1.5ms", "25Mbit/s", "64KiB", "33304": the number in nanoseconds, bit/s, bytes or as it stands;
// nullopt when it is none of these.
std::optional<double> quantity(const std::string& text);

}  // namespace rwin::test
