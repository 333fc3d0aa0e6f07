// Micro benchmarks: finding a connection, a packet's step through the analysis, a connection's end.
// Run: rwin_bench_analysis
#include <benchmark/benchmark.h>

#include <cstdint>
#include <vector>

#include "analysis/engine.h"
#include "analysis/flow_table.h"

namespace {

using rwin::analysis::Endpoint;
using rwin::analysis::Engine;
using rwin::analysis::FlowTable;
using rwin::analysis::Presence;
using rwin::analysis::Segment;
namespace flag = rwin::analysis::flag;

Endpoint client(std::uint32_t number) {
  Endpoint e;
  e.address.family = 4;
  e.address.bytes[0] = 10;
  e.address.bytes[1] = static_cast<std::uint8_t>(number >> 24);
  e.address.bytes[2] = static_cast<std::uint8_t>(number >> 16);
  e.address.bytes[3] = static_cast<std::uint8_t>(number >> 8);
  e.port = static_cast<std::uint16_t>(1024 + (number & 0xff));
  return e;
}

Endpoint server() {
  Endpoint e = client(0);
  e.address.bytes[0] = 192;
  e.port = 443;
  return e;
}

void find(benchmark::State& state) {
  const auto flows = static_cast<std::uint32_t>(state.range(0));
  std::vector<Endpoint> clients;
  FlowTable table;
  for (std::uint32_t i = 0; i < flows; ++i) {
    clients.push_back(client(i));
    table.insert(clients.back(), server(), i);
  }
  std::uint32_t at = 0;
  for (auto _ : state) {
    at = (at + 7919) % flows;  // far from the one before
    auto found = table.find(clients[at], server(), [&](std::uint32_t i) { return i == at; });
    benchmark::DoNotOptimize(found);
  }
  state.SetItemsProcessed(state.iterations());
}
BENCHMARK(find)->Arg(50)->Arg(1'000)->Arg(100'000)->Arg(1'000'000);

// Downloads side by side: two segments and an ACK, and again.
class Downloads {
 public:
  explicit Downloads(std::uint32_t flows) : seq_(flows, 1) {}
  Segment next() {
    const std::uint32_t number = turn_ / 3 % static_cast<std::uint32_t>(seq_.size());
    Segment s;
    s.time_ns = now_ns_ += 10'000;
    s.record = ++record_;
    s.flags = flag::kAck;
    s.window = 500;
    s.ttl = 60;
    s.timestamps = Presence::known;
    s.tsval = s.tsecr = static_cast<std::uint32_t>(now_ns_ / 1'000'000);
    if (turn_++ % 3 == 2) {
      s.source = client(number);
      s.destination = server();
      s.ack = seq_[number];
    } else {
      s.source = server();
      s.destination = client(number);
      s.seq = seq_[number];
      s.payload = 1448;
      s.ip_id = static_cast<std::uint16_t>(record_);
      seq_[number] += s.payload;
    }
    return s;
  }

 private:
  std::vector<std::uint32_t> seq_;
  std::uint32_t turn_ = 0;
  std::uint64_t record_ = 0;
  std::int64_t now_ns_ = 1'000'000'000'000'000'000;
};

// A packet's part of the whole, with the judgement of full logs.
void step(benchmark::State& state) {
  Downloads downloads(static_cast<std::uint32_t>(state.range(0)));
  Engine engine;
  for (auto _ : state) engine.add(downloads.next());
  state.SetItemsProcessed(state.iterations());
}
BENCHMARK(step)->Arg(1)->Arg(50)->Arg(10'000);

// The end of a connection of so many packets: replayed, read, judged.
void finish(benchmark::State& state) {
  constexpr std::uint32_t kFlows = 100;
  const auto packets = static_cast<std::uint32_t>(state.range(0));
  for (auto _ : state) {
    state.PauseTiming();
    Downloads downloads(kFlows);
    Engine engine;
    for (std::uint32_t i = 0; i < packets * kFlows; ++i) engine.add(downloads.next());
    state.ResumeTiming();
    engine.finish(
        [](rwin::analysis::ConnectionResult&& result) { benchmark::DoNotOptimize(result); });
  }
  state.SetItemsProcessed(state.iterations() * kFlows);
}
BENCHMARK(finish)->Arg(10)->Arg(50)->Arg(1'000);

}  // namespace

BENCHMARK_MAIN();
