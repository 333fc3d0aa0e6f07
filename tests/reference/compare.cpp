#include "tests/reference/compare.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "analysis/connection.h"
#include "analysis/direction/delays.h"
#include "analysis/direction/trace.h"
#include "tests/reference/figures.h"

namespace rwin::reference {
namespace {

using analysis::ConnectionResult;
using analysis::DirectionResult;
using analysis::Limit;
using analysis::Presence;
using analysis::Segment;

constexpr std::size_t kEdgesKept = 2'048;

// Known fault: the engine takes the last ACK for the highest, so that one overtaken on the way
// makes the flight too large. To be false when Trace::known_ack() gives the highest.
constexpr bool kLastAckCounts = false;

bool overtaken(const Figures& f, const Data& d, std::int64_t d_s) {
  const std::size_t n = known_acks(f, d, d_s);
  for (std::size_t i = 0; i + 1 < n; ++i) {
    if (f.acks[i].ack > f.acks[n - 1].ack) return true;
  }
  return false;
}

template <class A, class B>
void same(const char* what, const A& engine, const B& expected) {
  EXPECT_EQ(engine, expected) << what;
}

std::optional<std::int64_t> number(const std::optional<std::uint64_t>& v) {
  return v ? std::optional<std::int64_t>(static_cast<std::int64_t>(*v)) : std::nullopt;
}

void compare_windows(const Figures& f, const DirectionResult& d) {
  same("zero windows", d.zero_window_count, f.zero_count);
  same("zero window episodes", d.zero_window_episodes, f.zero_episodes);
  same("zero window time", d.zero_window_us, f.zero_us);
  same("largest window field", d.window_field_max, f.field_max);
  if (d.scale.state == Presence::unknown) {
    EXPECT_FALSE(d.window_max || d.window_min || d.window_p50 || d.window_first);
    return;
  }
  const Windows w = windows(f, d.scale.state == Presence::known ? d.scale.shift : 0);
  same("smallest window", number(d.window_min), w.low);
  same("largest window", number(d.window_max), w.high);
  same("first window", number(d.window_first), w.first);
  same("shrunk windows", d.shrunk_count, w.shrunk_count);
  same("largest shrink", d.shrunk_bytes, w.shrunk_bytes);
  ASSERT_EQ(d.window_p50.has_value(), w.median.has_value());
  // The engine keeps buckets 3 % wide.
  if (w.median)
    EXPECT_NEAR(static_cast<double>(*d.window_p50), static_cast<double>(*w.median),
                0.032 * static_cast<double>(*w.median) + 1)
        << "median window";
}

void compare_counts(const Figures& f, const DirectionResult& d) {
  same("bytes", d.bytes, f.bytes);
  same("wire bytes", d.wire_bytes, f.wire_bytes);
  same("segments", d.segments, f.segments);
  same("retransmitted segments", d.retransmitted_segments, f.retransmitted);
  same("reordered segments", d.reordered_segments, f.reordered);
  same("pushed segments", d.pushed_segments, f.pushed);
  same("window probes", d.window_probes, f.probes);
  same("keep-alives", d.keep_alives, f.keep_alives);
  same("acks", d.acks, f.ack_count);
  same("capture gap", d.capture_gap_bytes, f.gap_bytes);
  same("first data", d.first_data_us, f.first_data_us);
  if (d.data_seen && d.acks_seen) same("duration", d.duration_us, f.duration_us);
}

// The engine's own delays and lists of one direction, from a connection of its own.
class Steps {
 public:
  Steps(const std::vector<Segment>& packets, int sender, const analysis::WindowScale& scale)
      : connection_({packets[0].source, packets[0].destination}, packets[0].time_ns, 1) {
    for (const Segment& s : packets)
      connection_.add(s, s.source == packets[0].source && s.destination == packets[0].destination,
                      pool_);
    analysis::TraceTail tail;
    trace_.begin(tail);
    connection_.half(sender).log().drain(pool_, [&](const analysis::Event& e) { trace_.add(e); });
    delays_.begin(connection_.delay_hints(sender));
    trace_.rescale(scale.state == Presence::known ? scale.shift : 0);
    delays_.measure(trace_, scale.state == Presence::known && !scale.inferred);
  }
  analysis::Trace& trace() { return trace_; }
  [[nodiscard]] const analysis::Delays& delays() const { return delays_; }

 private:
  analysis::EventPool pool_;
  analysis::Connection connection_;
  analysis::Trace trace_;
  analysis::Delays delays_;
};

// Blocked time by the plain rule of METHOD part 2: the gap before every segment that came within
// max(3 ms, 5 %) of d_S after it was permitted.
struct Plain {
  std::int64_t blocked = 0;
  std::int64_t previous = -1;
  std::int64_t all = 0;
  void add(const Data& d, std::int64_t since, std::int64_t d_s) {
    if (previous >= 0) {
      all += d.t - previous;
      const bool waited = since != kAlways && since != kNever;
      const std::int64_t slack = std::max<std::int64_t>(3'000, d_s / 20);
      if (!d.again && waited && d.t - since - d_s <= slack) blocked += d.t - previous;
    }
    previous = d.t;
  }
};

std::size_t compare_steps(const Figures& f, const DirectionResult& d,
                          const std::vector<Segment>& packets, int sender, std::size_t most,
                          Compared& out) {
  Steps engine(packets, sender, d.scale);
  analysis::Trace& trace = engine.trace();
  const std::uint8_t shift = d.scale.state == Presence::known ? d.scale.shift : 0;
  analysis::PermissionHistory permission;
  std::size_t fed = 0;
  std::size_t n = 0;
  std::size_t done = 0;
  std::int64_t largest_flight = -1;
  const std::size_t every = f.data.size() / std::max<std::size_t>(most, 1) + 1;
  Plain plain;
  for (const analysis::DataPoint& p : trace.data) {
    for (; fed < p.acks_before; ++fed) permission.on_ack(trace.acks[fed]);
    if (p.probe()) continue;
    while (n < f.data.size() && f.data[n].probe) ++n;
    if (n >= f.data.size()) {
      ADD_FAILURE() << "the engine has more segments than there are";
      return done;
    }
    const Data& r = f.data[n++];
    EXPECT_EQ(p.t, r.t);
    EXPECT_EQ(p.end - f.origin, r.end - f.origin);
    EXPECT_EQ(p.again(), r.again) << "segment at " << r.t;
    const std::int64_t known = trace.known_ack(p);
    const std::int64_t in_flight = known < 0 ? -1 : std::max(p.end, p.sent_before) - known;
    largest_flight = std::max(largest_flight, in_flight);
    if (n % every != 0) continue;
    ++done;
    const std::int64_t expected_flight = flight(f, r, p.d_s).value_or(-1);
    const bool too_large = kLastAckCounts && in_flight > expected_flight && overtaken(f, r, p.d_s);
    if (!too_large) EXPECT_EQ(in_flight, expected_flight) << "flight at " << r.t;
    const std::int64_t since = permission.since(p.end).since;
    const auto history = edges(f, r.acks_before, shift);
    const std::int64_t expected = permitted_since(history, r.end);
    // The engine forgets what was permitted thousands of ACKs ago.
    const bool forgotten = since == kAlways && history.size() > kEdgesKept;
    if (!forgotten) EXPECT_EQ(since, expected) << "permission of the segment at " << r.t;
    if (every == 1) plain.add(r, expected, p.d_s);
    if ((in_flight != expected_flight && !too_large) || (!forgotten && since != expected))
      return done;
  }
  if (d.flight_max)
    EXPECT_EQ(static_cast<std::int64_t>(*d.flight_max), largest_flight) << "largest flight";
  if (every == 1 && d.blocked_us && plain.all > 0) {
    ++out.shares;
    out.share_difference += std::abs(static_cast<double>(*d.blocked_us - plain.blocked)) /
                            static_cast<double>(plain.all);
  }
  return done;
}

void expect_sound_direction(const ConnectionResult& c, const DirectionResult& d) {
  const std::int64_t total = (c.end_ns - c.start_ns) / 1000;
  std::int64_t at = 0;
  std::array<std::int64_t, analysis::kLimitCount> sums{};
  for (const analysis::TimelinePiece& p : d.timeline) {
    EXPECT_EQ(p.start_us, at);
    EXPECT_GT(p.duration_us, 0);
    at += p.duration_us;
    sums[static_cast<std::size_t>(p.limit)] += p.duration_us;
  }
  EXPECT_EQ(at, total);
  EXPECT_EQ(sums, d.limit_us);
  if (d.blocked_us) {
    EXPECT_GE(*d.blocked_us, 0);
    EXPECT_LE(*d.blocked_us, *d.busy_us);
  }
  if (d.busy_us) {
    EXPECT_GE(*d.busy_us, 0);
    EXPECT_LE(*d.busy_us, total);
  }
  if (d.scale.state == Presence::unknown) {
    EXPECT_EQ(d.limit_us[static_cast<std::size_t>(Limit::receiver_window)], 0);
    EXPECT_NE(d.limit, Limit::receiver_window);
    EXPECT_FALSE(d.blocked_us);
  }
  if (d.flight_max) EXPECT_GE(*d.flight_max, *d.flight_p50);
  EXPECT_LE(d.retransmitted_segments + d.reordered_segments, d.segments);
  EXPECT_LE(d.spurious_segments, d.retransmitted_segments);
  EXPECT_LE(d.zero_window_us, total);
  EXPECT_GE(d.longest_stall_us, 0);
  EXPECT_LE(d.longest_stall_us, total);
}

}  // namespace

void Compared::add(const Compared& c) {
  connections += c.connections;
  directions += c.directions;
  segments += c.segments;
  steps += c.steps;
  shares += c.shares;
  share_difference += c.share_difference;
}

std::vector<ConnectionResult> run_engine(const std::vector<Segment>& packets,
                                         std::uint32_t log_limit) {
  analysis::EngineOptions options;
  options.log_limit = log_limit;
  analysis::Engine engine(std::move(options));
  for (const Segment& s : packets) engine.add(s);
  std::vector<ConnectionResult> out;
  engine.finish([&](ConnectionResult&& c) { out.push_back(std::move(c)); });
  return out;
}

void expect_sound(const ConnectionResult& c) {
  for (const DirectionResult& d : c.directions) expect_sound_direction(c, d);
}

void expect_same_counts(const DirectionResult& a, const DirectionResult& b) {
  EXPECT_EQ(a.bytes, b.bytes);
  EXPECT_EQ(a.segments, b.segments);
  EXPECT_EQ(a.retransmitted_segments, b.retransmitted_segments);
  EXPECT_EQ(a.reordered_segments, b.reordered_segments);
  EXPECT_EQ(a.capture_gap_bytes, b.capture_gap_bytes);
  EXPECT_EQ(a.zero_window_count, b.zero_window_count);
  EXPECT_EQ(a.zero_window_us, b.zero_window_us);
  EXPECT_EQ(a.zero_window_episodes, b.zero_window_episodes);
  EXPECT_EQ(a.first_data_us, b.first_data_us);
  EXPECT_EQ(a.duration_us, b.duration_us);
  EXPECT_EQ(a.longest_stall_us, b.longest_stall_us);
  if (a.scale.state == b.scale.state && !a.scale.inferred && !b.scale.inferred) {
    EXPECT_EQ(a.window_max, b.window_max);
    EXPECT_EQ(a.window_min, b.window_min);
    EXPECT_EQ(a.window_p50, b.window_p50);
    EXPECT_EQ(a.window_first, b.window_first);
    EXPECT_EQ(a.shrunk_count, b.shrunk_count);
  }
}

void expect_same(const DirectionResult& a, const DirectionResult& b) {
  expect_same_counts(a, b);
  EXPECT_EQ(a.limit_us, b.limit_us);
  EXPECT_EQ(a.limit, b.limit);
  EXPECT_EQ(a.blocked_us, b.blocked_us);
  EXPECT_EQ(a.busy_us, b.busy_us);
  EXPECT_EQ(a.flight_max, b.flight_max);
  EXPECT_EQ(a.flight_p50, b.flight_p50);
  EXPECT_EQ(a.rtt_p50_us, b.rtt_p50_us);
  EXPECT_EQ(a.sender_side_rtt_us, b.sender_side_rtt_us);
  EXPECT_EQ(a.receiver_side_rtt_us, b.receiver_side_rtt_us);
  EXPECT_EQ(a.timeline.size(), b.timeline.size());
}

Compared compare_connection(const std::vector<Segment>& packets, std::size_t steps) {
  Compared out;
  const auto results = run_engine(packets);
  if (results.size() != 1) return out;
  const ConnectionResult& c = results[0];
  out.connections = 1;
  expect_sound(c);
  const Conversation conversation = read(packets);
  same("duplicate records", c.quality.duplicates, conversation.duplicates);
  const bool client_first = c.client == packets[0].source;
  for (const DirectionResult& d : c.directions) {
    SCOPED_TRACE(d.from_client ? "from the client" : "from the server");
    const int sender = d.from_client == client_first ? 0 : 1;
    const Figures f = figures(conversation, sender);
    ++out.directions;
    out.segments += f.segments;
    compare_counts(f, d);
    compare_windows(f, d);
    if (steps > 0 && d.data_seen) out.steps += compare_steps(f, d, packets, sender, steps, out);
  }
  return out;
}

}  // namespace rwin::reference
