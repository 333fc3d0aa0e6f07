#include "tui/model/hosts.h"

#include <algorithm>
#include <map>

namespace rwin::tui {
namespace {

// When a direction moved data, nanoseconds since 1970.
struct Stretch {
  std::int64_t from, to;
};

Stretch stretch_of(const Row& row) {
  const std::int64_t from = row.connection->result->start_ns + row.direction->first_data_us * 1000;
  return {from, from + std::max<std::int64_t>(row.direction->duration_us, 1) * 1000};
}

// The time in which at least one ran, and the most that ran at once.
void overlap(std::vector<Stretch> stretches, std::int64_t& busy_ns, std::size_t& most) {
  std::vector<std::pair<std::int64_t, int>> edges;
  for (const Stretch& s : stretches) {
    edges.emplace_back(s.from, 1);
    edges.emplace_back(s.to, -1);
  }
  std::sort(edges.begin(), edges.end());
  std::size_t now = 0;
  std::int64_t since = 0;
  for (const auto& [t, step] : edges) {
    if (now == 0) since = t;
    now = step > 0 ? now + 1 : now - 1;
    most = std::max(most, now);
    if (now == 0) busy_ns += t - since;
  }
}

void add_up(HostRow& host, const std::vector<Row>& rows) {
  std::vector<Stretch> stretches;
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
    if (!row.direction->goodput_bps) continue;
    stretches.push_back(stretch_of(row));
    bits += 8 * static_cast<double>(row.direction->bytes);
  }
  std::int64_t busy_ns = 0;
  overlap(std::move(stretches), busy_ns, host.streams);
  if (any_momentary) {
    host.together_bps = momentary;
    host.streams = running;
  } else if (busy_ns > 0) {
    host.together_bps = bits * 1e9 / static_cast<double>(busy_ns);
  }
}

}  // namespace

std::vector<HostRow> make_hosts(const Snapshot& snapshot, const std::vector<Row>& rows) {
  std::map<analysis::Address, std::size_t> at;
  std::vector<HostRow> hosts;
  for (std::size_t i = 0; i < rows.size(); ++i) {
    const Row& row = rows[i];
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
    std::stable_sort(host.rows.begin(), host.rows.end(),
                     [&](std::size_t a, std::size_t b) { return worse(rows[a], rows[b]); });
    add_up(host, rows);
    if (snapshot.settings.target_bps) {
      host.line_bps = snapshot.settings.target_bps;
      host.line_is_target = true;
    }
  }
  std::stable_sort(hosts.begin(), hosts.end(), [](const HostRow& a, const HostRow& b) {
    if (a.lost_bits != b.lost_bits) return a.lost_bits > b.lost_bits;
    return a.together_bps > b.together_bps;
  });
  return hosts;
}

}  // namespace rwin::tui
