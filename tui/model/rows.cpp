#include "tui/model/rows.h"

#include <algorithm>
#include <array>

#include "rules/weight.h"
#include "tui/model/prefetch.h"

namespace rwin::tui {
namespace {

using analysis::ConnectionResult;
using analysis::DirectionResult;
using analysis::SamplePoint;

constexpr std::int64_t kRateOverUs = 2'000'000;

std::optional<double> window_per_rtt(const std::optional<std::uint64_t>& window,
                                     const std::optional<std::int64_t>& rtt_us) {
  if (!window || !rtt_us || *rtt_us <= 0) return std::nullopt;
  return 8e6 * static_cast<double>(*window) / static_cast<double>(*rtt_us);
}

std::optional<double> used(const std::optional<std::uint64_t>& flight,
                           const std::optional<std::uint64_t>& window) {
  if (!flight || !window || *window == 0) return std::nullopt;
  return std::min(1.0, static_cast<double>(*flight) / static_cast<double>(*window));
}

// Average over `over_us` before `at_us` or a little more.
double rate_at(const analysis::SampleSeries& samples, std::int64_t at_us, std::int64_t over_us,
               std::int64_t end_us) {
  const std::int64_t step = samples.step_us;
  const auto count = static_cast<std::int64_t>(samples.points.size());
  if (step <= 0 || at_us < 0) return 0;
  const std::int64_t until = std::min((at_us / step + 1) * step, std::max(end_us, at_us));
  std::int64_t covered = 0;
  std::uint64_t bytes = 0;
  for (std::int64_t i = at_us / step; i >= 0 && covered < over_us; --i) {
    covered = until - i * step;
    if (i < count) bytes += samples.points[static_cast<std::size_t>(i)].bytes;
  }
  return covered > 0 ? 8e6 * static_cast<double>(bytes) / static_cast<double>(covered) : 0;
}

// The figures of the whole transfer, as in the report.
void fill_whole(Row& row) {
  const DirectionResult& d = *row.direction;
  row.rate_bps = d.goodput_bps;
  row.rtt_us = d.rtt_p50_us;
  row.window = d.blocked_window ? d.blocked_window : d.window_p50;
  row.use = used(d.flight_p50, d.window_p50);
  row.ceiling_bps = row.assessment->verdict.ceiling_bps;
  if (!row.ceiling_bps) row.ceiling_bps = window_per_rtt(row.window, row.rtt_us);
  row.lost_bits = rules::lost_bits(d, *row.assessment);
}

// The figures of a moment in the past, as far as the chart has them.
void fill_moment(Row& row, std::int64_t at_us, std::int64_t over_us) {
  const ConnectionResult& c = *row.connection->result;
  const Moment m = moment_of(*row.direction, at_us, over_us, (c.end_ns - c.start_ns) / 1000);
  row.momentary = true;
  row.rate_bps = m.rate_bps;
  if (m.window) row.window = m.window;
  if (m.rtt_us) row.rtt_us = m.rtt_us;
  if (m.flight) row.use = used(m.flight, m.window);
  if (m.window && m.rtt_us) row.ceiling_bps = window_per_rtt(m.window, m.rtt_us);
}

bool is_tiny(const DirectionResult& direction, const rules::Assessment& assessment) {
  return rules::weight_of(direction, assessment) == rules::Weight::tiny;
}

double sort_value(const Row& row, SortBy by) {
  constexpr double kNone = -1;
  switch (by) {
    case SortBy::lost:
      return row.lost_bits;
    case SortBy::rate:
      return row.rate_bps.value_or(kNone);
    case SortBy::ceiling:
      return row.ceiling_bps.value_or(kNone);
    case SortBy::rtt:
      return row.rtt_us ? static_cast<double>(*row.rtt_us) : kNone;
    case SortBy::window:
      return row.window ? static_cast<double>(*row.window) : kNone;
    case SortBy::use:
      return row.use.value_or(kNone);
    case SortBy::moved:
      return static_cast<double>(row.direction->bytes);
    case SortBy::start:
      return static_cast<double>(row.id.connection);
  }
  return 0;
}

}  // namespace

Moment moment_of(const DirectionResult& d, std::int64_t at_us, std::int64_t over_us,
                 std::int64_t end_us) {
  Moment m;
  for (const analysis::TimelinePiece& piece : d.timeline) {
    if (at_us >= piece.start_us && at_us < piece.start_us + piece.duration_us)
      m.limit = piece.limit;
  }
  const std::vector<SamplePoint>& points = d.samples.points;
  const std::int64_t step = d.samples.step_us;
  if (step <= 0 || points.empty() || at_us < 0) return m;
  const auto last =
      std::min<std::int64_t>(at_us / step, static_cast<std::int64_t>(points.size()) - 1);
  // A window holds until the next one; the others are of the last steps only.
  for (std::int64_t i = last; i >= 0 && !m.window; --i)
    m.window = points[static_cast<std::size_t>(i)].window_high;
  m.rate_bps = rate_at(d.samples, at_us, over_us, end_us);
  for (std::int64_t i = at_us / step; i >= 0 && (at_us / step - i) * step <= over_us; --i) {
    if (i > last) continue;
    const SamplePoint& p = points[static_cast<std::size_t>(i)];
    if (p.flight_high && (!m.flight || *p.flight_high > *m.flight)) m.flight = p.flight_high;
    if (!m.rtt_us) m.rtt_us = p.rtt_low_us;
  }
  return m;
}

Row make_row(const Snapshot& snapshot, const Connection& connection, std::size_t index,
             std::optional<std::int64_t> cursor_ns) {
  const ConnectionResult& c = *connection.result;
  const DirectionResult& d = c.directions[index];
  Row row;
  row.id = {connection.id, d.from_client};
  row.connection = &connection;
  row.direction = &d;
  row.assessment = &(*connection.assessments)[index];
  row.sender = d.from_client ? &c.client : &c.server;
  row.receiver = d.from_client ? &c.server : &c.client;
  row.closed = snapshot.live && connection.closed;
  row.tiny = is_tiny(d, *row.assessment);
  fill_whole(row);
  if (cursor_ns) {
    const std::int64_t span_us = (snapshot.now_ns - snapshot.first_ns) / 1000;
    const std::int64_t over = std::min(kRateOverUs, std::max<std::int64_t>(span_us / 20, 1'000));
    fill_moment(row, (*cursor_ns - c.start_ns) / 1000, over);
    row.closed = c.end_ns < *cursor_ns && c.end != analysis::End::open;
  } else if (snapshot.live && !snapshot.ended && !row.closed) {
    row.momentary = true;
    const std::int64_t now_us = (snapshot.now_ns - c.start_ns) / 1000;
    if (connection.rate_bps) {
      row.rate_bps = (*connection.rate_bps)[d.from_client ? 0 : 1];
    } else if (d.samples.step_us > 0) {
      row.rate_bps = rate_at(d.samples, now_us, kRateOverUs, now_us);
    }
  }
  return row;
}

namespace {

// What make_row() reads of the connections that come next.
void fetch_ahead(const std::vector<Connection>& connections, std::size_t at) {
  constexpr std::size_t kNear = 8;  // steps in which memory answers
  if (at + 2 * kNear < connections.size()) {
    const Connection& far = connections[at + 2 * kNear];
    prefetch(&far.result->directions, &far.result->server, far.assessments.get());
  }
  if (at + kNear >= connections.size()) return;
  const Connection& near = connections[at + kNear];
  if (near.result->directions.empty()) return;
  const DirectionResult& d = near.result->directions[0];
  const rules::Verdict& v = (*near.assessments)[0].verdict;
  prefetch(&d.bytes, &d.longest_stall_us, &d.rtt_p50_us, &d.window_p50, &d.flight_p50, &d.limit_us,
           &d.limit_us.back(), &d.blocked_window, &v.limit, &v.potential_bps,
           &(*near.assessments)[0].advice);
}

}  // namespace

void make_rows(const Snapshot& snapshot, std::optional<std::int64_t> cursor_ns,
               std::vector<Row>& rows) {
  rows.clear();
  rows.reserve(snapshot.connections.size());
  for (std::size_t at = 0; at < snapshot.connections.size(); ++at) {
    fetch_ahead(snapshot.connections, at);
    const Connection& connection = snapshot.connections[at];
    const ConnectionResult& c = *connection.result;
    if (cursor_ns && c.start_ns > *cursor_ns) continue;
    for (std::size_t i = 0; i < c.directions.size(); ++i) {
      const bool tiny = is_tiny(c.directions[i], (*connection.assessments)[i]);
      if (tiny && i > 0) continue;  // the larger direction stands first
      rows.push_back(make_row(snapshot, connection, i, cursor_ns));
    }
  }
}

namespace {

// The receiver's window, the receiver's program, the others.
int rank(const Row& row) {
  if (row.limit() == analysis::Limit::receiver_window) return 0;
  return row.limit() == analysis::Limit::receiver_app ? 1 : 2;
}

}  // namespace

bool worse(const Row& a, const Row& b) {
  if (a.closed != b.closed) return b.closed;
  if (rank(a) != rank(b)) return rank(a) < rank(b);
  if (a.lost_bits != b.lost_bits) return a.lost_bits > b.lost_bits;
  return a.direction->bytes > b.direction->bytes;
}

std::string_view name_of(SortBy by) {
  static constexpr std::array<std::string_view, kSortCount> kNames = {
      "speed lost", "rate", "ceiling", "rtt", "window", "use", "moved", "start"};
  return kNames[static_cast<std::size_t>(by)];
}

void sort_rows(RowList& rows, SortBy by, bool turned) {
  struct Key {
    bool closed;
    int rank;  // for SortBy::lost
    double value;
    double bytes;
    const Row* row;
  };
  std::vector<Key> keys;
  keys.reserve(rows.size());
  for (const Row* row : rows) {
    const double value = sort_value(*row, by);
    const int order = by == SortBy::lost ? rank(*row) : 0;
    keys.push_back({row->closed, turned ? -order : order, turned ? -value : value,
                    static_cast<double>(row->direction->bytes), row});
  }
  std::sort(keys.begin(), keys.end(), [](const Key& a, const Key& b) {
    if (a.closed != b.closed) return b.closed;
    if (a.rank != b.rank) return a.rank < b.rank;
    if (a.value != b.value) return a.value > b.value;
    if (a.bytes != b.bytes) return a.bytes > b.bytes;
    return a.row->id < b.row->id;
  });
  std::transform(keys.begin(), keys.end(), rows.begin(), [](const Key& key) { return key.row; });
}

RowList keep_order(const RowList& rows, const std::vector<Place>& before, SortBy by, bool turned) {
  RowList kept(before.size(), nullptr);
  RowList fresh;
  std::size_t next = 0;  // where the row is when connections come in order
  for (const Row* row : rows) {
    if (next >= before.size() || before[next].id != row->id) {
      const auto place =
          std::lower_bound(before.begin(), before.end(), row->id,
                           [](const Place& p, const FlowId& id) { return p.id < id; });
      next = static_cast<std::size_t>(place - before.begin());
    }
    if (next < before.size() && before[next].id == row->id) {
      kept[before[next++].at] = row;
    } else {
      fresh.push_back(row);
    }
  }
  sort_rows(fresh, by, turned);
  kept.erase(std::remove(kept.begin(), kept.end(), nullptr), kept.end());
  kept.insert(kept.end(), fresh.begin(), fresh.end());
  return kept;
}

}  // namespace rwin::tui
