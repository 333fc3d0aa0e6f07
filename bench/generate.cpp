// rwin_bench_generate: writes a pcap (Ethernet, microseconds) of many concurrent TCP transfers as
// seen at the receiver. The same options give the same file.
#include <algorithm>
#include <cerrno>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <functional>
#include <memory>
#include <queue>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "bench/flow.h"
#include "bench/packet_writer.h"

namespace rwin::bench {
namespace {

struct Options {
  std::uint64_t packets = 5'000'000;
  std::uint64_t flows = 50;
  std::uint64_t seed = 1;
  std::string out;
};

// Packets of flow `number`: half to one and a half times the average, the sum being exactly
// `packets`.
std::vector<std::uint64_t> share_out(const Options& options, Random& random) {
  const std::uint64_t average = options.packets / options.flows;
  std::vector<std::uint64_t> budget(options.flows, average);
  budget[0] += options.packets % options.flows;
  const std::uint64_t spare = std::min(average / 2, average - 8);
  for (std::uint64_t i = 0; i + 1 < options.flows && spare > 0; i += 2) {
    const std::uint64_t move = random.below(spare);
    budget[i] -= move;
    budget[i + 1] += move;
  }
  return budget;
}

bool generate(const Options& options, std::FILE* file) {
  Random random(options.seed);
  const std::vector<std::uint64_t> budget = share_out(options, random);
  using Entry = std::pair<std::int64_t, std::uint64_t>;  // next packet, flow
  std::priority_queue<Entry, std::vector<Entry>, std::greater<>> queue;
  std::vector<std::unique_ptr<Flow>> flows(options.flows);
  // Starts spread over time so that about a thousand (or all, if fewer) run at once.
  const std::int64_t apart = options.flows > 1000 ? 2'000 : 50'000;
  for (std::uint64_t i = 0; i < options.flows; ++i) {
    queue.emplace(kStart + static_cast<std::int64_t>(i) * apart +
                      static_cast<std::int64_t>(random.below(1000)),
                  i);
  }
  PacketWriter writer(file);
  while (!queue.empty() && writer.good()) {
    const auto [time, number] = queue.top();
    queue.pop();
    auto& flow = flows[number];
    if (!flow)
      flow = std::make_unique<Flow>(number, budget[number], time,
                                    Random(options.seed ^ (number * 0x9e37ULL + 1)));
    flow->step(writer);
    if (flow->done()) {
      flow.reset();
    } else {
      queue.emplace(flow->next_time(), number);
    }
  }
  return writer.flush();
}

bool parse_number(const char* text, std::uint64_t& out) {
  char* end = nullptr;
  errno = 0;
  out = std::strtoull(text, &end, 10);
  return errno == 0 && end != text && *end == '\0' && *text != '-';
}

bool parse(int argc, char** argv, Options& options) {
  for (int i = 1; i + 1 < argc; i += 2) {
    const std::string_view key = argv[i];
    bool good = true;
    if (key == "--packets") {
      good = parse_number(argv[i + 1], options.packets);
    } else if (key == "--flows") {
      good = parse_number(argv[i + 1], options.flows);
    } else if (key == "--seed") {
      good = parse_number(argv[i + 1], options.seed);
    } else if (key == "--out") {
      options.out = argv[i + 1];
    } else {
      good = false;
    }
    if (!good) return false;
  }
  return argc % 2 == 1 && !options.out.empty() && options.flows > 0 &&
         options.flows <= 10'000'000 && options.packets / options.flows >= 10;
}

}  // namespace
}  // namespace rwin::bench

int main(int argc, char** argv) {
  rwin::bench::Options options;
  if (!rwin::bench::parse(argc, argv, options)) {
    std::fputs(
        "usage: rwin_bench_generate --out FILE|- [--packets N] [--flows F] [--seed S]   (at least "
        "10 packets a flow)\n",
        stderr);
    return 2;
  }
  std::FILE* file = options.out == "-" ? stdout : std::fopen(options.out.c_str(), "wb");
  if (file == nullptr) {
    std::fprintf(stderr, "cannot write %s: %s\n", options.out.c_str(), std::strerror(errno));
    return 1;
  }
  bool good = rwin::bench::generate(options, file);
  good = std::fclose(file) == 0 && good;
  if (!good)
    std::fprintf(stderr, "writing %s failed: %s\n", options.out.c_str(), std::strerror(errno));
  return good ? 0 : 1;
}
