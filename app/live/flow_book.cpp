#include "app/live/flow_book.h"

#include <algorithm>
#include <chrono>
#include <utility>

#include "app/judge.h"

namespace rwin::app {
namespace {

using Clock = std::chrono::steady_clock;

std::array<std::uint64_t, 2> bytes_of(const analysis::ConnectionResult& connection) {
  std::array<std::uint64_t, 2> out{};
  for (const analysis::DirectionResult& d : connection.directions)
    out[d.from_client ? 0 : 1] = d.bytes;
  return out;
}

constexpr std::int64_t kMarkNs = 1'000'000'000;

double rate_between(std::uint64_t from, std::uint64_t to, std::int64_t over_ns) {
  return over_ns > 0 && to > from
             ? 8e9 * static_cast<double>(to - from) / static_cast<double>(over_ns)
             : 0;
}

}  // namespace

FlowBook::FlowBook(rules::Settings settings, Limits limits)
    : settings_(std::move(settings)),
      limits_(limits),
      forgotten_hosts_(settings_, rules::Catalogue::built_in()) {}

LiveFlow* FlowBook::find(std::uint64_t id) {
  const auto at = std::lower_bound(flows_.begin(), flows_.end(), id,
                                   [](const LiveFlow& f, std::uint64_t i) { return f.id < i; });
  return at != flows_.end() && at->id == id ? &*at : nullptr;
}

void FlowBook::take_released(analysis::Engine& engine, std::int64_t now_ns) {
  engine.release(now_ns, limits_.linger_ns, [&](analysis::ConnectionResult&& result) {
    LiveFlow* flow = find(result.id);
    if (flow == nullptr) {  // it came and went between two updates
      LiveFlow fresh;
      fresh.id = result.id;
      const auto at = std::lower_bound(flows_.begin(), flows_.end(), result.id,
                                       [](const LiveFlow& f, std::uint64_t i) { return f.id < i; });
      entries_.insert(entries_.begin() + (at - flows_.begin()), Entry{});
      flow = &*flows_.insert(at, std::move(fresh));
    }
    flow->packets = flow->judged_packets = result.packets;
    flow->last_ns = result.end_ns;
    flow->bytes = bytes_of(result);
    flow->rate_bps = flow->recent_bps = {};
    flow->closed = result.end == analysis::End::fin || result.end == analysis::End::rst;
    flow->over = true;
    flow->judged = std::make_shared<const Judged>(judge(std::move(result), settings_, flow->local));
    ++over_;
  });
}

// Connections that are over, oldest first, until as many are left as may be kept; and those that
// the engine dropped for want of room before they carried data (it counts them).
void FlowBook::forget_oldest() {
  std::size_t surplus = over_ > limits_.keep ? over_ - limits_.keep : 0;
  std::size_t to = 0;
  for (std::size_t i = 0; i < flows_.size(); ++i) {
    if (!flows_[i].over && entries_[i].seen_at != update_) continue;
    if (flows_[i].over && surplus > 0) {
      --surplus;
      --over_;
      ++left_out_;
      add_to_hosts(forgotten_hosts_, *flows_[i].judged);
      continue;
    }
    if (to != i) {
      flows_[to] = std::move(flows_[i]);
      entries_[to] = entries_[i];
    }
    ++to;
  }
  flows_.resize(to);
  entries_.resize(to);
}

// The rates of a flow that has come to `bytes`.
void FlowBook::measure(std::size_t at, const std::array<std::uint64_t, 2>& bytes,
                       std::int64_t now_ns) {
  LiveFlow& flow = flows_[at];
  Entry& entry = entries_[at];
  if (marks_ns_[0] == now_ns) entry.bytes = {bytes, entry.bytes[0], entry.bytes[1]};
  const std::int64_t before_ns = std::max(last_update_ns_, entry.since_ns);
  const std::int64_t from_ns = std::max(marks_ns_[2], entry.since_ns);
  for (std::size_t side = 0; side < 2; ++side) {
    flow.rate_bps[side] = rate_between(flow.bytes[side], bytes[side], now_ns - before_ns);
    flow.recent_bps[side] = rate_between(entry.bytes[2][side], bytes[side], now_ns - from_ns);
  }
}

void FlowBook::update(analysis::Engine& engine, std::int64_t now_ns, LocalSockets* local) {
  ++update_;
  if (local != nullptr) local->refresh();
  const auto begin = Clock::now();
  take_released(engine, now_ns);
  if (now_ns - marks_ns_[0] >= kMarkNs) marks_ns_ = {now_ns, marks_ns_[0], marks_ns_[1]};
  std::vector<std::size_t> moved;
  std::size_t i = 0;
  engine.survey([&](const analysis::Progress& p) {
    while (i < flows_.size() && flows_[i].id < p.id) ++i;
    if (i == flows_.size()) {
      flows_.emplace_back().id = p.id;
      Entry& entry = entries_.emplace_back();
      entry.since_ns = last_update_ns_ > 0 ? last_update_ns_ : now_ns;
      // What came before the first look has no time to be divided by.
      if (last_update_ns_ == 0) flows_[i].bytes = p.bytes;
      entry.bytes.fill(flows_[i].bytes);
    }
    measure(i, p.bytes, now_ns);
    LiveFlow& flow = flows_[i];
    flow.packets = p.packets;
    flow.last_ns = p.last_ns;
    flow.bytes = p.bytes;
    flow.closed = p.closed;
    entries_[i].seen_at = update_;
    if (p.packets != flow.judged_packets) moved.push_back(i);
  });
  last_update_ns_ = now_ns;
  // Longest not judged first, new ones before all.
  std::stable_sort(moved.begin(), moved.end(), [&](std::size_t a, std::size_t b) {
    return entries_[a].judged_at < entries_[b].judged_at;
  });
  const auto until = begin + std::chrono::microseconds(limits_.judge_us);
  std::size_t k = 0;
  for (; k < moved.size() && (k == 0 || Clock::now() < until); ++k) {
    LiveFlow& flow = flows_[moved[k]];
    auto result = engine.peek(flow.id, memory_);
    if (!result) continue;
    flow.judged_packets = flow.packets;
    look_up(flow, *result, local);
    flow.judged = std::make_shared<const Judged>(judge(std::move(*result), settings_, flow.local));
    entries_[moved[k]].judged_at = update_;
  }
  behind_ = k < moved.size();
  // Kernel figures go on by themselves, also where no packet is seen.
  for (LiveFlow& flow : flows_) {
    if (flow.judged && flow.local) look_up(flow, flow.judged->connection, local);
  }
  forget_oldest();
}

// This host's end of a connection, as of the last refresh.
void FlowBook::look_up(LiveFlow& flow, const analysis::ConnectionResult& c,
                       const LocalSockets* local) {
  if (local == nullptr || flow.closed) return;
  auto found = local->find(c.client, c.server);
  if (!found) return;
  // The process has closed it: whose it was is still true.
  if (found->pid == 0 && flow.local && flow.local->pid != 0) {
    auto both = std::make_shared<LocalSocket>(*found);
    both->pid = flow.local->pid;
    both->process = flow.local->process;
    both->receive_buffer_fixed = flow.local->receive_buffer_fixed;
    both->send_buffer_fixed = flow.local->send_buffer_fixed;
    found = std::move(both);
  }
  flow.local = std::move(found);
}

std::vector<rules::HostSummary> hosts_of(const LiveSnapshot& snapshot) {
  rules::Settings settings;
  settings.target_bps = snapshot.info.target_bps;
  settings.interface_bps = snapshot.info.interface_bps;
  rules::HostTable hosts(settings, rules::Catalogue::built_in());
  for (const LiveFlow& flow : snapshot.flows) add_to_hosts(hosts, *flow.judged);
  return hosts.finish();
}

std::vector<rules::HostSummary> FlowBook::finish(
    analysis::Engine& engine, const std::function<bool(const Judged&, const LiveFlow*)>& sink) {
  std::size_t i = 0;
  const auto give = [&](const std::shared_ptr<const Judged>& judged, const LiveFlow* flow) {
    if (sink(*judged, flow)) add_to_hosts(forgotten_hosts_, *judged);
  };
  const auto give_over = [&](std::uint64_t before) {
    for (; i < flows_.size() && flows_[i].id < before; ++i) {
      if (flows_[i].over) give(flows_[i].judged, &flows_[i]);
    }
  };
  engine.finish([&](analysis::ConnectionResult&& result) {
    const std::uint64_t id = result.id;
    give_over(id);
    const LiveFlow* flow = i < flows_.size() && flows_[i].id == id ? &flows_[i++] : nullptr;
    give(std::make_shared<const Judged>(
             judge(std::move(result), settings_, flow != nullptr ? flow->local : nullptr)),
         flow);
  });
  give_over(UINT64_MAX);
  flows_.clear();
  entries_.clear();
  over_ = 0;
  return forgotten_hosts_.finish();
}

}  // namespace rwin::app
