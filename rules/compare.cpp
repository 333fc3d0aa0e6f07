#include "rules/compare.h"

#include <algorithm>
#include <map>
#include <tuple>

#include "rules/judge_pair.h"
#include "rules/text.h"

namespace rwin::rules {
namespace {

using analysis::Address;
using analysis::Limit;

// Ports of clients change with every connection; those of servers do not.
using Key = std::tuple<Address, Address, std::uint16_t, bool>;

std::uint16_t server_port(const FlowRecord& flow) {
  return flow.receiver_is_client ? flow.sender.port : flow.receiver.port;
}

Key exact_key(const FlowRecord& flow) {
  return {flow.sender.address, flow.receiver.address, server_port(flow), flow.receiver_is_client};
}

// Where addresses changed between the captures: the same service, the same direction.
Key loose_key(const FlowRecord& flow) {
  return {{}, {}, server_port(flow), flow.receiver_is_client};
}

struct Group {
  std::vector<FlowRecord> flows;  // largest first
};

std::map<Key, Group> grouped(std::vector<FlowRecord> flows, Key (*key)(const FlowRecord&)) {
  std::map<Key, Group> groups;
  std::stable_sort(flows.begin(), flows.end(),
                   [](const FlowRecord& a, const FlowRecord& b) { return a.bytes > b.bytes; });
  for (FlowRecord& flow : flows) groups[key(flow)].flows.push_back(std::move(flow));
  return groups;
}

// Takes the pairs out of both lists.
void pair_up(std::vector<FlowRecord>& before, std::vector<FlowRecord>& after,
             Key (*key)(const FlowRecord&), bool same_addresses, std::vector<FlowPair>& pairs) {
  auto old = grouped(std::move(before), key);
  auto now = grouped(std::move(after), key);
  before.clear();
  after.clear();
  for (auto& [k, group] : old) {
    const auto other = now.find(k);
    if (other == now.end()) {
      for (FlowRecord& flow : group.flows) before.push_back(std::move(flow));
      continue;
    }
    FlowPair pair;
    pair.before = group.flows.front();
    pair.after = other->second.flows.front();
    pair.before_count = group.flows.size();
    pair.after_count = other->second.flows.size();
    pair.same_addresses = same_addresses;
    pairs.push_back(std::move(pair));
    now.erase(other);
  }
  for (auto& [k, group] : now)
    for (FlowRecord& flow : group.flows) after.push_back(std::move(flow));
}

void raise(std::optional<std::uint64_t>& most, const std::optional<std::uint64_t>& value) {
  if (value) most = std::max(most.value_or(0), *value);
}

std::vector<HostChangeRow> host_rows(const std::vector<FlowPair>& pairs) {
  std::vector<HostChangeRow> rows;
  for (const FlowPair& pair : pairs) {
    const Address& address = pair.after.receiver.address;
    auto row = std::find_if(rows.begin(), rows.end(),
                            [&](const HostChangeRow& r) { return r.address == address; });
    if (row == rows.end()) {
      rows.push_back({});
      row = rows.end() - 1;
      row->address = address;
    }
    raise(row->window_before, pair.before.window);
    raise(row->window_after, pair.after.window);
    ++row->pairs;
    if (pair.outcome == ChangeOutcome::worked || pair.outcome == ChangeOutcome::partly)
      ++row->better;
    if (pair.outcome == ChangeOutcome::hurt) ++row->worse;
  }
  return rows;
}

bool grew(const HostChangeRow& row) {
  return row.window_before && row.window_after && *row.window_after > 2 * *row.window_before;
}

// A window that stayed small, while another host's grew: the change was made there.
void blame_other_host(std::vector<FlowPair>& pairs, const std::vector<HostChangeRow>& rows) {
  for (FlowPair& pair : pairs) {
    if (pair.reason != "not-in-force") continue;
    for (const HostChangeRow& row : rows) {
      if (!grew(row) || row.address == pair.after.receiver.address) continue;
      pair.reason = "wrong-host";
      pair.summary +=
          " The window of " + format_address(row.address) + " did grow: was the change made there?";
      break;
    }
  }
}

}  // namespace

FlowRecord record_of(const analysis::ConnectionResult& c, const analysis::DirectionResult& d,
                     const Assessment& assessment) {
  FlowRecord r;
  const bool up = d.from_client;
  r.id = c.id;
  r.sender = up ? c.client : c.server;
  r.receiver = up ? c.server : c.client;
  r.receiver_is_client = !up;
  r.syn_seen = c.syn_seen || c.syn_ack_seen;
  r.start_ns = c.start_ns;
  r.end_ns = c.end_ns;
  r.bytes = d.bytes;
  r.duration_us = d.duration_us;
  r.rate_bps = d.goodput_bps;
  r.rtt_base_us = d.rtt_base_us;
  r.rtt_us = d.rtt_p50_us ? d.rtt_p50_us : d.rtt_base_us;
  r.window = d.window_max;
  r.scale = d.scale;
  const auto offer = [](const analysis::HandshakeSide& side) -> std::optional<int> {
    if (!side.seen) return std::nullopt;
    if (side.window_scale.known()) return side.window_scale.value;
    if (side.window_scale.state == analysis::Presence::absent) return -1;
    return std::nullopt;
  };
  r.sender_offer = offer(up ? c.client_offer : c.server_offer);
  r.receiver_offer = offer(up ? c.server_offer : c.client_offer);
  if (d.segments > 0)
    r.resent_share =
        static_cast<double>(d.retransmitted_segments) / static_cast<double>(d.segments);
  r.limit = assessment.verdict.limit;
  r.cause = assessment.verdict.cause;
  r.ceiling_bps = assessment.verdict.ceiling_bps;
  r.potential_bps = assessment.verdict.potential_bps;
  for (const Advice& advice : assessment.advice) raise(r.wanted_window, advice.window_bytes);
  return r;
}

std::string_view word(ChangeOutcome outcome) {
  switch (outcome) {
    case ChangeOutcome::worked:
      return "worked";
    case ChangeOutcome::partly:
      return "partly";
    case ChangeOutcome::next_limit:
      return "next-limit";
    case ChangeOutcome::no_change:
      return "no-change";
    case ChangeOutcome::hurt:
      return "hurt";
    case ChangeOutcome::unclear:
      return "unclear";
  }
  return {};
}

Comparison compare(std::vector<FlowRecord> before, std::vector<FlowRecord> after) {
  Comparison out;
  pair_up(before, after, exact_key, true, out.pairs);
  if (out.pairs.empty()) pair_up(before, after, loose_key, false, out.pairs);
  out.only_before = std::move(before);
  out.only_after = std::move(after);
  for (FlowPair& pair : out.pairs) judge(pair);
  std::stable_sort(out.pairs.begin(), out.pairs.end(), [](const FlowPair& a, const FlowPair& b) {
    return a.before.bytes > b.before.bytes;
  });
  out.hosts = host_rows(out.pairs);
  blame_other_host(out.pairs, out.hosts);
  if (out.pairs.empty()) {
    out.summary = "The captures have no transfer in common.";
    return out;
  }
  const auto held = std::find_if(out.pairs.begin(), out.pairs.end(), [](const FlowPair& pair) {
    return pair.before.limit == Limit::receiver_window;
  });
  const FlowPair& main = held == out.pairs.end() ? out.pairs.front() : *held;
  out.outcome = main.outcome;
  out.summary = main.summary;
  return out;
}

}  // namespace rwin::rules
