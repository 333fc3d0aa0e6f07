// Segments -> engine -> verdicts -> JSON. Form of the input: a byte of engine options, then seven
// bytes a segment (flow_reader.h).
#include <cmath>
#include <nlohmann/json.hpp>
#include <optional>

#include "analysis/engine.h"
#include "app/json_fields.h"
#include "app/judge.h"
#include "fuzz/flow_reader.h"
#include "fuzz/targets.h"

namespace rwin::fuzz {
namespace {

using analysis::ConnectionResult;
using analysis::DirectionResult;

void require_rising(std::initializer_list<std::optional<double>> values, std::string_view claim) {
  double last = 0;
  for (const auto& value : values) {
    if (!value) continue;
    require(std::isfinite(*value) && *value >= last, claim);
    last = *value;
  }
}

void require_adds_up(const DirectionResult& d, std::int64_t length_us) {
  std::int64_t at = 0;
  for (const auto& piece : d.timeline) {
    require(piece.start_us == at && piece.duration_us >= 0, "the timeline has no gap");
    at += piece.duration_us;
  }
  require(at == length_us, "the timeline covers the connection");
  std::int64_t sum = 0;
  for (const std::int64_t us : d.limit_us) {
    require(us >= 0, "no class has less than no time");
    sum += us;
  }
  require(sum == length_us, "the classes add up to the connection");
  require(!d.blocked_us || (d.busy_us && *d.blocked_us <= *d.busy_us), "blocked is busy");
  require_rising({d.window_min, d.window_p50, d.window_max}, "window: least, median, most");
  require_rising({d.rtt_base_us, d.rtt_p50_us, d.rtt_p90_us, d.rtt_p99_us}, "round trips rise");
  require_rising({d.flight_p50, d.flight_max}, "flight: median, most");
  require(!d.goodput_bps || (std::isfinite(*d.goodput_bps) && *d.goodput_bps >= 0), "rate");
  require(!d.capacity_bps || (std::isfinite(*d.capacity_bps) && *d.capacity_bps > 0), "capacity");
  require(d.confidence >= 0 && d.confidence <= 1, "confidence is a share");
  require(d.retransmitted_segments <= d.segments, "resent segments are segments");
}

void check(ConnectionResult&& c) {
  require(c.end_ns >= c.start_ns, "no connection ends before it begins");
  require(c.directions.size() <= 2, "two directions at most");
  for (const DirectionResult& d : c.directions) require_adds_up(d, (c.end_ns - c.start_ns) / 1000);
  static const rules::Settings settings;
  const app::Judged judged = app::judge(std::move(c), settings);
  std::string text;
  app::JsonWriter json(text);
  json.begin_object();
  app::write_connection_fields(json, judged);
  json.end_object();
  require(nlohmann::json::accept(text), "a connection is valid JSON");
}

}  // namespace

void flow(Input input) {
  Reader reader(input);
  const std::uint8_t mode = reader.u8();
  analysis::EngineOptions options;
  options.max_connections = (mode & 1U) != 0 ? 2 : 1'000;
  options.log_limit = (mode & 2U) != 0 ? 16 : 32'768;
  options.sample_points = (mode & 4U) != 0 ? 10 : 0;
  options.sample_sequence = options.sample_points > 0;
  options.idle_expiry_ns = (mode & 8U) != 0 ? 60'000'000'000 : 3'600'000'000'000;
  analysis::Engine engine(std::move(options));
  FlowReader segments(reader);
  std::int64_t now_ns = 0;
  std::uint64_t count = 0;
  while (!reader.empty()) {
    const analysis::Segment segment = segments.next();
    now_ns = segment.time_ns;
    engine.add(segment);
    if ((mode & 16U) != 0 && ++count % 32 == 0) engine.release(now_ns, 1'000'000, check);
  }
  if ((mode & 32U) != 0) {
    analysis::Memory memory;
    for (std::uint64_t id = 1; id <= engine.connection_count(); ++id) {
      if (auto seen = engine.peek(id, memory)) check(std::move(*seen));
    }
  }
  engine.finish(check);
}

}  // namespace rwin::fuzz
