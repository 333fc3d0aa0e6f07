#include "tui/model/hosts.h"

#include <algorithm>
#include <cstring>
#include <unordered_map>

#include "tui/model/prefetch.h"

namespace rwin::tui {
namespace {

// When a direction moved data, nanoseconds since 1970, and how much.
struct Stretch {
  std::int64_t from = 0, to = 0;
  double bits = 0;
  bool measured = false;  // it has a rate
};

Stretch stretch_of(const Row& row) {
  const analysis::DirectionResult& d = *row.direction;
  const std::int64_t from = row.connection->result->start_ns + d.first_data_us * 1000;
  return {from, from + std::max<std::int64_t>(d.duration_us, 1) * 1000,
          8 * static_cast<double>(d.bytes), d.goodput_bps.has_value()};
}

using Edges = std::vector<std::pair<std::int64_t, int>>;  // a transfer begins 1, ends -1

// Beside the rows.
struct Scratch {
  std::vector<Stretch> stretches;
  Edges edges;
};

// The time in which at least one of a host's ran, and the most that ran at once.
void overlap(HostRow& host, Scratch& scratch, std::int64_t& busy_ns) {
  if (host.rows.size() == 1) {  // most hosts
    const Stretch& s = scratch.stretches[host.rows[0]];
    host.streams = s.measured ? 1 : 0;
    busy_ns = s.measured ? s.to - s.from : 0;
    return;
  }
  Edges& edges = scratch.edges;
  edges.clear();
  for (const std::size_t i : host.rows) {
    const Stretch& s = scratch.stretches[i];
    if (!s.measured) continue;
    edges.emplace_back(s.from, 1);
    edges.emplace_back(s.to, -1);
  }
  std::sort(edges.begin(), edges.end());
  std::size_t now = 0;
  std::int64_t since = 0;
  for (const auto& [t, step] : edges) {
    if (now == 0) since = t;
    now = step > 0 ? now + 1 : now - 1;
    host.streams = std::max(host.streams, now);
    if (now == 0) busy_ns += t - since;
  }
}

void add_up(HostRow& host, const std::vector<Row>& rows, Scratch& scratch) {
  double bits = 0;
  double momentary = 0;
  bool any_momentary = false;
  std::size_t running = 0;
  for (const std::size_t i : host.rows) {
    const Row& row = rows[i];
    if (row.momentary && !row.closed) {
      any_momentary = true;
      momentary += row.rate_bps.value_or(0);
      if (row.rate_bps.value_or(0) > 0) ++running;
    }
    if (scratch.stretches[i].measured) bits += scratch.stretches[i].bits;
  }
  std::int64_t busy_ns = 0;
  overlap(host, scratch, busy_ns);
  if (any_momentary) {
    host.together_bps = momentary;
    host.streams = running;
  } else if (busy_ns > 0) {
    host.together_bps = bits * 1e9 / static_cast<double>(busy_ns);
  }
}

// What is read of the rows that come next.
void fetch_rows_ahead(const std::vector<Row>& rows, std::size_t at) {
  constexpr std::size_t kNear = 8;  // steps in which memory answers
  if (at + 2 * kNear < rows.size()) {
    const Connection& far = *rows[at + 2 * kNear].connection;
    prefetch(&far.result, &far.client_os, &far.server_os);
  }
  if (at + kNear >= rows.size()) return;
  const Row& near = rows[at + kNear];
  const analysis::DirectionResult& d = *near.direction;
  prefetch(&d.bytes, &d.rtt_base_us, &d.window_max, &d.capacity_bps, &d.goodput_bps,
           &near.receiver->address, &near.assessment->verdict.limit,
           &near.connection->result->start_ns);
}

struct AddressHash {
  std::size_t operator()(const analysis::Address& a) const {
    std::uint64_t halves[2];
    std::memcpy(halves, a.bytes.data(), sizeof halves);
    const std::uint64_t x = (halves[0] ^ a.family) * 0x9e3779b97f4a7c15U ^ halves[1];
    return static_cast<std::size_t>((x ^ x >> 29) * 0xbf58476d1ce4e5b9U >> 16);
  }
};

// The one that lost most first.
std::vector<HostRow> in_order(std::vector<HostRow> hosts) {
  std::vector<HostRow*> order;
  order.reserve(hosts.size());
  for (HostRow& host : hosts) order.push_back(&host);
  std::stable_sort(order.begin(), order.end(), [](const HostRow* a, const HostRow* b) {
    if (a->lost_bits != b->lost_bits) return a->lost_bits > b->lost_bits;
    return a->together_bps > b->together_bps;
  });
  std::vector<HostRow> sorted;
  sorted.reserve(hosts.size());
  for (HostRow* host : order) sorted.push_back(std::move(*host));
  return sorted;
}

}  // namespace

std::vector<HostRow> make_hosts(const Snapshot& snapshot, const std::vector<Row>& rows) {
  std::unordered_map<analysis::Address, std::size_t, AddressHash> at;
  std::vector<HostRow> hosts;
  hosts.reserve(rows.size());
  at.reserve(rows.size());
  Scratch scratch;
  scratch.stretches.reserve(rows.size());
  for (std::size_t i = 0; i < rows.size(); ++i) {
    fetch_rows_ahead(rows, i);
    const Row& row = rows[i];
    scratch.stretches.push_back(stretch_of(row));
    const auto [place, fresh] = at.try_emplace(row.receiver->address, hosts.size());
    if (fresh) {
      HostRow host;
      host.address = row.receiver->address;
      hosts.push_back(std::move(host));
    }
    HostRow& host = hosts[place->second];
    const analysis::DirectionResult& d = *row.direction;
    host.rows.push_back(i);
    ++host.flows;
    if (row.limit() == analysis::Limit::receiver_window) ++host.window_limited;
    if (row.limit() == analysis::Limit::unknown) ++host.unknown;
    if (host.os.empty())
      host.os = d.from_client ? row.connection->server_os : row.connection->client_os;
    if (d.window_max && d.window_max > host.window_max) host.window_max = d.window_max;
    if (d.rtt_base_us && d.rtt_base_us > host.rtt_us) host.rtt_us = d.rtt_base_us;
    if (d.capacity_bps && d.capacity_bps > host.line_bps) host.line_bps = d.capacity_bps;
    host.lost_bits = host.lost_bits.value_or(0) + row.lost_bits;
  }
  for (HostRow& host : hosts) {
    if (host.rows.size() > 1) {
      std::stable_sort(host.rows.begin(), host.rows.end(),
                       [&](std::size_t a, std::size_t b) { return worse(rows[a], rows[b]); });
    }
    add_up(host, rows, scratch);
    if (snapshot.settings.target_bps) {
      host.line_bps = snapshot.settings.target_bps;
      host.line_is_target = true;
    }
  }
  return in_order(std::move(hosts));
}

}  // namespace rwin::tui
