#include "app/live/session.h"

#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <condition_variable>
#include <mutex>
#include <thread>

#include "app/judge.h"
#include "app/live/batch_ring.h"
#include "app/live/flow_book.h"
#include "capture/decode/fragments.h"

namespace rwin::app {
namespace {

using capture::DecodeStatus;
using capture::InterfaceState;
using capture::RawPacket;
using Clock = std::chrono::steady_clock;

constexpr int kReadMs = 100;  // the capture thread looks at its clock at least that often

std::int64_t ms_since(Clock::time_point start) {
  return std::chrono::duration_cast<std::chrono::milliseconds>(Clock::now() - start).count();
}

FlowBook::Limits book_limits(int interval_ms) {
  FlowBook::Limits limits;
  limits.judge_us = std::max<std::int64_t>(interval_ms, 100) * 1000 / 5;
  return limits;
}

}  // namespace

struct LiveSession::State {
  State(std::unique_ptr<capture::LiveSource> s, SessionOptions o)
      : source(std::move(s)),
        options(std::move(o)),
        settings{options.target_bps, std::nullopt, {}, options.interface_bps},
        book(settings, book_limits(options.interval_ms)) {
    analysis::EngineOptions engine_options;
    engine_options.folded_packets = 0;
    engine_options.assume_wscale = options.assume_wscale;
    engine_options.sample_points = options.chart_points;
    engine = analysis::Engine(std::move(engine_options));
    start_ns = std::chrono::duration_cast<std::chrono::nanoseconds>(
                   std::chrono::system_clock::now().time_since_epoch())
                   .count();
    info.names = options.names;
    info.filter = options.filter;
    info.target_bps = options.target_bps;
    info.interface_bps = options.interface_bps;
    info.kind = options.kind;
  }

  // The capture thread.
  void capture();
  void read_packets(CaptureState& seen);
  // The analysis thread.
  void analyse();
  void take(const CaptureState& seen);
  void note_filter();
  bool worth_publishing();
  void publish(bool last);

  std::unique_ptr<capture::LiveSource> source;
  SessionOptions options;
  rules::Settings settings;
  std::int64_t start_ns = 0;
  BatchRing ring;
  capture::Fragments fragments;  // of the capture thread
  std::atomic<bool> stop{false};

  // Of the analysis thread until it has ended.
  analysis::Engine engine;
  FlowBook book;
  RunInfo info;
  std::vector<capture::InterfaceStatus> interfaces;
  std::uint64_t published_packets = UINT64_MAX;
  bool rest_published = false;
  Clock::time_point published_at;
  Clock::duration publish_took{};
  std::string filter_warning;  // empty: it never changed
  Clock::time_point last_packet_at = Clock::now();

  mutable std::mutex mutex;  // of what follows
  mutable std::condition_variable published;
  SnapshotPtr newest;
  bool over = false;
  std::optional<std::string> new_filter;

  std::thread capturing, analysing;
};

void LiveSession::State::read_packets(CaptureState& seen) {
  source->read(kReadMs, [&](const RawPacket& raw) {
    RawPacket packet = raw;
    if (options.count && seen.decode.packets >= *options.count) return;
    packet.record = seen.decode.packets + 1;
    if (options.on_packet) options.on_packet(packet);
    seen.first_ns = std::min(seen.first_ns.value_or(packet.time_ns), packet.time_ns);
    seen.last_ns = std::max(seen.last_ns.value_or(packet.time_ns), packet.time_ns);
    const DecodeStatus status = capture::decode(packet, ring.slot(), &fragments);
    seen.decode.add(packet, status);
    if (status == DecodeStatus::ok && ring.commit()) ring.hand_over(seen);
  });
}

void LiveSession::State::capture() {
  const auto begin = Clock::now();
  CaptureState seen;
  std::uint64_t told_packets = 0;
  std::int64_t told_ms = -1;
  for (bool last = false; !last;) {
    const bool done = stop.load() || source->ended() ||
                      (options.duration_ms && ms_since(begin) >= *options.duration_ms) ||
                      (options.count && seen.decode.packets >= *options.count);
    // What the kernel holds when the end comes still belongs to the capture.
    last = done;
    read_packets(seen);
    const std::int64_t now_ms = ms_since(begin);
    const bool look = last || told_ms < 0 || now_ms - told_ms >= 250;
    if (look) {
      told_ms = now_ms;
      if (options.on_pause) options.on_pause();
      seen.interfaces = source->status();
      seen.link_types.clear();
      for (const capture::InterfaceStatus& i : seen.interfaces) {
        const std::string name(capture::link_type_name(i.link_type));
        if (std::find(seen.link_types.begin(), seen.link_types.end(), name) ==
            seen.link_types.end())
          seen.link_types.push_back(name);
      }
    }
    // Few packets must not wait for a batch to fill.
    if (look || !ring.empty() || seen.decode.packets != told_packets) ring.hand_over(seen);
    told_packets = seen.decode.packets;
  }
  ring.finish();
}

void LiveSession::State::take(const CaptureState& seen) {
  if (seen.decode.packets != info.decode.packets) last_packet_at = Clock::now();
  info.decode = seen.decode;
  info.link_types = seen.link_types;
  info.first_ns = seen.first_ns;
  info.last_ns = seen.last_ns;
  interfaces = seen.interfaces;
  info.kernel_drops = info.interface_drops = 0;
  info.warnings.clear();
  for (const capture::InterfaceStatus& i : interfaces) {
    *info.kernel_drops += i.kernel_drops;
    *info.interface_drops += i.interface_drops;
    if (i.state == InterfaceState::gone)
      info.warnings.push_back(fmt::format(
          "{} is gone: nothing more is captured there; start again when it is back", i.name));
  }
  if (*info.kernel_drops > 0) {
    info.warnings.push_back(
        fmt::format("the system dropped {} packets before they could be read: rates and losses may "
                    "look different",
                    *info.kernel_drops));
  }
}

// What reports say of the filter is the newest; what was seen before it is still in them.
void LiveSession::State::note_filter() {
  std::optional<std::string> now;
  {
    const std::lock_guard lock(mutex);
    now.swap(new_filter);
  }
  if (!now || *now == info.filter) return;
  if (filter_warning.empty())
    filter_warning = fmt::format(
        "the capture filter was changed while capturing (it began with {}): connections that a "
        "filter hides are seen in part only",
        info.filter.empty() ? "none" : "\"" + info.filter + "\"");
  info.filter = *now;
}

void LiveSession::State::publish(bool last) {
  const auto begin = Clock::now();
  note_filter();
  auto snapshot = std::make_shared<LiveSnapshot>();
  snapshot->start_ns = start_ns;
  const auto idle_ns =
      std::chrono::duration_cast<std::chrono::nanoseconds>(begin - last_packet_at).count();
  // The clock of the packets, which need not be this machine's.
  snapshot->now_ns = info.last_ns.value_or(start_ns) + (last ? 0 : idle_ns);
  book.update(engine, snapshot->now_ns, options.local.get());
  info.engine = engine.counters();
  info.connections = engine.connection_count();
  snapshot->info = info;
  snapshot->interfaces = interfaces;
  snapshot->flows_left_out = book.left_out();
  snapshot->flows.reserve(book.flows().size());
  for (const LiveFlow& flow : book.flows()) {
    if (flow.judged) snapshot->flows.push_back(flow);
  }
  snapshot->ended = last;
  snapshot->build_us = std::chrono::duration<double, std::micro>(Clock::now() - begin).count();
  {
    const std::lock_guard lock(mutex);
    snapshot->number = newest->number + 1;
  }
  if (options.on_snapshot) options.on_snapshot(*snapshot);
  const std::lock_guard lock(mutex);
  newest = std::move(snapshot);
  published.notify_all();
}

// While no packet comes only clocks move: pictures of thousands of connections, which cost, are
// made so seldom that they take a quarter of a per cent of a processor. The first one at rest shows
// that all rates have fallen to 0.
bool LiveSession::State::worth_publishing() {
  constexpr auto kSeldomest = std::chrono::seconds(2);
  const auto now = Clock::now();
  const bool rest = info.decode.packets == published_packets && !book.behind();
  if (!rest) rest_published = false;
  const auto pause = std::min<Clock::duration>(kSeldomest, 400 * publish_took);
  if (rest && rest_published && now - published_at < pause) return false;
  rest_published = rest;
  published_packets = info.decode.packets;
  published_at = now;
  return true;
}

void LiveSession::State::analyse() {
  const int interval = options.interval_ms > 0 ? options.interval_ms : 1000;
  auto next = Clock::now() + std::chrono::milliseconds(interval);
  while (!ring.finished()) {
    const auto left =
        std::chrono::duration_cast<std::chrono::milliseconds>(next - Clock::now()).count();
    if (const BatchRing::Batch* batch =
            ring.take(static_cast<int>(std::max<std::int64_t>(left, 1)))) {
      for (std::size_t i = 0; i < batch->count; ++i) engine.add(batch->segments[i]);
      take(batch->state);
      ring.release();
    }
    if (Clock::now() < next) continue;
    next = Clock::now() + std::chrono::milliseconds(interval);
    if (options.interval_ms <= 0 || !worth_publishing()) continue;
    publish(false);
    publish_took = Clock::now() - published_at;
  }
  publish(true);
  const std::lock_guard lock(mutex);
  over = true;
  published.notify_all();
}

LiveSession::LiveSession(std::unique_ptr<capture::LiveSource> source, SessionOptions options)
    : state_(std::make_unique<State>(std::move(source), std::move(options))) {
  State& s = *state_;
  auto first = std::make_shared<LiveSnapshot>();
  first->start_ns = first->now_ns = s.start_ns;
  first->info = s.info;
  s.newest = std::move(first);
  s.analysing = std::thread(&State::analyse, &s);
  s.capturing = std::thread(&State::capture, &s);
}

LiveSession::~LiveSession() {
  stop();
  if (state_->capturing.joinable()) state_->capturing.join();
  if (state_->analysing.joinable()) state_->analysing.join();
}

SnapshotPtr LiveSession::latest() const {
  const std::lock_guard lock(state_->mutex);
  return state_->newest;
}

SnapshotPtr LiveSession::wait_after(std::uint64_t number, int timeout_ms) const {
  std::unique_lock lock(state_->mutex);
  state_->published.wait_for(lock, std::chrono::milliseconds(timeout_ms),
                             [&] { return state_->newest->number > number || state_->over; });
  return state_->newest;
}

void LiveSession::stop() {
  state_->stop.store(true);
  state_->source->wake();
}

std::optional<capture::Error> LiveSession::change_filter(const std::string& words) {
  if (const auto changed = state_->source->change_filter(words); !changed.ok())
    return changed.error();
  const std::lock_guard lock(state_->mutex);
  state_->new_filter = words;
  return std::nullopt;
}

bool LiveSession::ended() const {
  const std::lock_guard lock(state_->mutex);
  return state_->over;
}

bool LiveSession::report(Report& report, ExitCode code, const std::vector<std::string>& fail_on,
                         const std::function<bool(const Judged&)>& wanted) {
  State& s = *state_;
  info();
  if (!s.filter_warning.empty()) s.info.warnings.push_back(s.filter_warning);
  if (s.book.left_out() > 0) {
    s.info.warnings.push_back(
        fmt::format("{} connections that ended early on are not listed", s.book.left_out()));
  }
  report.begin(s.info);
  bool matched = false;
  const auto hosts = s.book.finish(s.engine, [&](const Judged& judged, const LiveFlow* flow) {
    if (wanted && !wanted(judged)) return false;
    matched = matched || matches(judged, fail_on);
    Judged own = judged;
    if (flow != nullptr) own.local = flow->local;
    report.connection(std::move(own));
    return true;
  });
  report.end(s.info, hosts, matched ? ExitCode::fail_on : code);
  return matched;
}

RunInfo& LiveSession::info() {
  if (state_->capturing.joinable()) state_->capturing.join();
  if (state_->analysing.joinable()) state_->analysing.join();
  return state_->info;
}

}  // namespace rwin::app
