// A played scenario through the analysis and the rules, as the program does it.
#pragma once

#include <string>
#include <vector>

#include "analysis/result.h"
#include "tests/support/scenario.h"

namespace rwin::test {

struct Judged {
  std::size_t index = 0;  // of the scenario's connections
  analysis::ConnectionResult result;
  Simulated simulated;
  Said from_server, from_client;
  [[nodiscard]] Seen seen() const { return {result, simulated, &from_server, &from_client}; }
};

struct Judgement {
  std::size_t packets = 0;
  std::vector<Judged> connections;
  std::vector<HostSaid> hosts;
  // Every expectation that does not hold, and connections that the scenario does not have.
  std::vector<std::string> wrong;
};

Judgement judge(const Scenario& scenario, View view, std::uint32_t isn);

}  // namespace rwin::test
