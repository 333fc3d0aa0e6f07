// How long the dashboard takes for a picture of many running flows: a key press (draw), and a new
// snapshot (rows, order, answer, draw). The aim: 10,000 flows in under 5 ms.
#include <benchmark/benchmark.h>

#include <memory>

#include "rules/platform.h"
#include "tui/model/model.h"
#include "tui/screens/screens.h"

namespace {

using namespace rwin;

// A download held by its window, with a chart and a timeline as a live capture has them.
tui::Connection connection(std::uint64_t id) {
  auto c = std::make_shared<analysis::ConnectionResult>();
  c->id = id;
  c->client.address.family = c->server.address.family = 4;
  c->client.address.bytes = {10, static_cast<std::uint8_t>(id >> 16),
                             static_cast<std::uint8_t>(id >> 8), static_cast<std::uint8_t>(id)};
  c->server.address.bytes = {198, 51, 100, static_cast<std::uint8_t>(id % 250)};
  c->client.port = static_cast<std::uint16_t>(1024 + id % 60'000);
  c->server.port = 443;
  c->end_ns = 60'000'000'000;
  analysis::DirectionResult d;
  d.bytes = 1'000'000 + id * 7919 % 9'000'000;
  d.data_seen = d.acks_seen = true;
  d.segments = d.bytes / 1448;
  d.mss = 1448;
  d.duration_us = 60'000'000;
  d.goodput_bps = 8.0 * static_cast<double>(d.bytes) / 60;
  d.rtt_base_us = d.rtt_p50_us = d.blocked_rtt_us = 184'000;
  d.window_max = d.window_p50 = d.blocked_window = 32'768;
  d.flight_p50 = d.flight_max = 32'000;
  d.busy_us = 60'000'000;
  d.blocked_us = 50'000'000;
  d.scale = {analysis::Presence::known, 7, false};
  d.limit = static_cast<analysis::Limit>(id % 7);
  d.limit_us[id % 7] = 50'000'000;
  d.limit_us[7] = 10'000'000;
  for (int i = 0; i < 100; ++i)
    d.timeline.push_back(
        {i * 600'000, 600'000, i % 6 == 0 ? analysis::Limit::slow_start : d.limit});
  d.samples.step_us = 256'000;
  d.samples.points.resize(235);
  for (analysis::SamplePoint& p : d.samples.points) {
    p.window_low = p.window_high = 32'768;
    p.flight_high = 32'000;
    p.rtt_low_us = 184'000;
    p.bytes = 45'000;
  }
  c->directions.push_back(std::move(d));
  tui::Connection out;
  out.id = id;
  out.assessments = std::make_shared<std::vector<rules::Assessment>>(
      1, rules::assess(*c, c->directions[0], {}, rules::Catalogue::built_in()));
  out.result = std::move(c);
  out.rate_bps = {1e6, 2e6};
  return out;
}

tui::SnapshotPtr snapshot(std::size_t flows) {
  auto s = std::make_shared<tui::Snapshot>();
  s->live = true;
  s->source = "eth0";
  s->now_ns = 60'000'000'000;
  s->packets = 1'000'000;
  for (std::uint64_t id = 1; id <= flows; ++id) s->connections.push_back(connection(id));
  return s;
}

void press_a_key(benchmark::State& state, const char* first) {
  tui::Model model;
  std::int64_t now_ms = 1'000'000;
  model.take(snapshot(static_cast<std::size_t>(state.range(0))), now_ms);
  for (const char* k = first; *k != '\0'; ++k) model.press(static_cast<tui::Key>(*k), now_ms);
  for (auto _ : state) {
    model.press(tui::key::kDown, now_ms += 10);
    tui::Canvas canvas(140, 40);
    tui::draw(model, {}, canvas);
    benchmark::DoNotOptimize(canvas);
  }
}

void new_snapshot(benchmark::State& state, std::int64_t step_ms, tui::Key screen = '1') {
  tui::Model model;
  const tui::SnapshotPtr a = snapshot(static_cast<std::size_t>(state.range(0)));
  const auto b = std::make_shared<tui::Snapshot>(*a);
  std::int64_t now_ms = 1'000'000;
  model.take(a, now_ms);
  model.press(screen, now_ms);
  model.press(tui::key::kDown, now_ms);
  bool odd = false;
  for (auto _ : state) {
    odd = !odd;
    model.take(odd ? tui::SnapshotPtr(b) : a, now_ms += step_ms);
    tui::Canvas canvas(140, 40);
    tui::draw(model, {}, canvas);
    benchmark::DoNotOptimize(canvas);
  }
}

BENCHMARK_CAPTURE(press_a_key, flows, "")->Arg(100)->Arg(10'000)->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(press_a_key, flow, "2")->Arg(10'000)->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(press_a_key, hosts, "4")->Arg(10'000)->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(new_snapshot, sorted, 10'000)
    ->Arg(100)
    ->Arg(10'000)
    ->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(new_snapshot, held_after_a_key, 0)->Arg(10'000)->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(new_snapshot, hosts, 10'000, '4')->Arg(10'000)->Unit(benchmark::kMillisecond);

}  // namespace

BENCHMARK_MAIN();
