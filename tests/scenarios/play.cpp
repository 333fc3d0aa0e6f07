// Plays a scenario and prints what rwin says of it, for people who write one:
//   play_scenario FILE [client|middle|server] [ISN] [--packets] [--all]
#include <cstdio>
#include <cstring>
#include <iostream>

#include "tests/scenarios/judge.h"

namespace {

using namespace rwin;

void print_packets(const test::Scenario& scenario, const std::vector<analysis::Segment>& segments,
                   std::uint32_t isn) {
  for (const analysis::Segment& s : segments) {
    std::uint32_t index = 0;
    bool client = false;
    for (std::uint32_t i = 0; i < scenario.connections.size(); ++i) {
      const auto& hosts = scenario.connections[i].hosts;
      const bool from_client = s.source == hosts[0].end && s.destination == hosts[1].end;
      if (!from_client && !(s.source == hosts[1].end && s.destination == hosts[0].end)) continue;
      index = i;
      client = from_client;
    }
    const std::uint32_t server = isn + index;
    const std::uint32_t own = client ? server * 3 + 7 : server;
    const std::uint32_t peer = client ? server : server * 3 + 7;
    if (scenario.connections.size() > 1) std::printf("%u: ", index + 1);
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
    if (packets) print_packets(scenario, test::play(scenario, view, isn), isn);
    const test::Judgement judged = test::judge(scenario, view, isn);
    std::cout << "--- at " << test::word(view) << ", " << judged.packets << " packets\n";
    for (const test::Judged& j : judged.connections) {
      if (judged.connections.size() > 1) std::cout << "connection " << j.index + 1 << "\n";
      if (j.simulated.busy_ns > 0) {
        std::cout << "simulated blocked share "
                  << static_cast<double>(j.simulated.held_ns) /
                         static_cast<double>(j.simulated.busy_ns)
                  << "\n";
      }
      std::cout << (all ? test::describe(j.result) : test::summary(j.result));
      for (const analysis::DirectionResult& d : j.result.directions) {
        const test::Said& said = d.from_client ? j.from_client : j.from_server;
        std::cout << (d.from_client ? "client's data: " : "server's data: ") << said.cause
                  << ", change at " << said.change_at << ", raise to " << said.raise_to.value_or(0)
                  << ", gain " << said.gain << "\n";
        if (all) std::cout << said.text;
      }
    }
    for (const test::HostSaid& h : judged.hosts) {
      if (h.cause != "none") std::cout << "host: " << h.cause << "\n" << h.text;
    }
    for (const std::string& line : judged.wrong) {
      std::cout << line << "\n";
      status = 1;
    }
  }
  return status;
} catch (const std::exception& e) {
  std::cerr << e.what() << "\n";
  return 2;
}
