// Plays a scenario and prints what the analysis says of it, for people who write one:
//   play_scenario FILE [client|middle|server] [ISN] [--packets] [--all]
#include <cstdio>
#include <cstring>
#include <iostream>

#include "analysis/engine.h"
#include "tests/support/scenario.h"

namespace {

using namespace rwin;

void print_packets(const test::Scenario& scenario, const std::vector<analysis::Segment>& segments,
                   std::uint32_t isn) {
  for (const analysis::Segment& s : segments) {
    const bool client = s.source == scenario.hosts[0].end;
    const std::uint32_t own = client ? isn * 3 + 7 : isn;
    const std::uint32_t peer = client ? isn : isn * 3 + 7;
    std::printf("%11.3fms %s seq %u len %u ack %u win %u flags %02x ts %u %u",
                static_cast<double>(s.time_ns - segments.front().time_ns) / 1e6,
                client ? "client >" : "server >", s.seq - own, s.payload, s.ack - peer, s.window,
                s.flags, s.tsval, s.tsecr);
    for (int i = 0; i < s.sack_count; ++i) {
      const auto& b = s.sack[static_cast<std::size_t>(i)];
      std::printf(" sack %u-%u", b.left - peer, b.right - peer);
    }
    std::printf("\n");
  }
}

}  // namespace

int main(int argc, char** argv) try {
  if (argc < 2) {
    std::cerr << "usage: play_scenario FILE [client|middle|server] [ISN] [--packets] [--all]\n";
    return 2;
  }
  const test::Scenario scenario = test::load_scenario(argv[1]);
  std::optional<test::View> only;
  std::uint32_t isn = 0;
  bool packets = false;
  bool all = false;
  for (int i = 2; i < argc; ++i) {
    const std::string w = argv[i];
    if (w == "--packets")
      packets = true;
    else if (w == "--all")
      all = true;
    else if (w == "client")
      only = test::View::client;
    else if (w == "middle")
      only = test::View::middle;
    else if (w == "server")
      only = test::View::server;
    else
      isn = static_cast<std::uint32_t>(std::stoul(w, nullptr, 0));
  }
  int status = 0;
  for (const test::View view : scenario.views) {
    if (only && *only != view) continue;
    test::Simulated simulated;
    const auto segments = test::play(scenario, view, isn, &simulated);
    if (packets) print_packets(scenario, segments, isn);
    analysis::Engine engine;
    for (const auto& s : segments) engine.add(s);
    engine.finish([&](analysis::ConnectionResult&& r) {
      std::cout << "--- at " << test::word(view) << ", " << segments.size() << " packets";
      if (simulated.busy_ns > 0) {
        std::cout << ", simulated blocked share "
                  << static_cast<double>(simulated.held_ns) /
                         static_cast<double>(simulated.busy_ns);
      }
      std::cout << "\n" << (all ? test::describe(r) : test::summary(r));
      for (const std::string& line : test::unmet(scenario, view, simulated, r)) {
        std::cout << line << "\n";
        status = 1;
      }
    });
  }
  return status;
} catch (const std::exception& e) {
  std::cerr << e.what() << "\n";
  return 2;
}
