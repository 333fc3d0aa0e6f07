#include <algorithm>
#include <cstring>
#include <unordered_map>

#include "rules/assess.h"
#include "rules/flow.h"
#include "rules/legs.h"
#include "rules/stalls.h"

namespace rwin::rules {
namespace {

using analysis::Address;
using analysis::ConnectionResult;
using analysis::DirectionResult;
using analysis::Limit;

struct AddressHash {
  std::size_t operator()(const Address& address) const {
    std::uint64_t high = 0, low = 0;
    std::memcpy(&high, address.bytes.data(), sizeof high);
    std::memcpy(&low, address.bytes.data() + 8, sizeof low);
    std::uint64_t mixed = (high + address.family) * 0x9E3779B97F4A7C15ULL;
    mixed ^= mixed >> 29;
    mixed = (mixed + low) * 0xBF58476D1CE4E5B9ULL;
    return static_cast<std::size_t>(mixed ^ (mixed >> 32));
  }
};

// The worst flow of a receiver, kept to size its advice at the end. One direction, no timeline.
struct KeptFlow {
  ConnectionResult connection;
  DirectionResult direction;
};

KeptFlow keep(const ConnectionResult& connection, const DirectionResult& direction) {
  KeptFlow kept;
  ConnectionResult& c = kept.connection;
  c.id = connection.id;
  c.client = connection.client;
  c.server = connection.server;
  c.syn_seen = connection.syn_seen;
  c.syn_ack_seen = connection.syn_ack_seen;
  c.client_offer = connection.client_offer;
  c.server_offer = connection.server_offer;
  c.place = connection.place;
  kept.direction = direction;
  kept.direction.timeline = {};
  return kept;
}

}  // namespace

struct HostTable::State {
  struct Entry {
    Address address;
    const Signature* system = nullptr;
    double system_confidence = 0;
    std::uint64_t connections = 0;
    std::uint64_t window_limited = 0;
    std::int64_t worst_rtt_us = 0;
    double target_bps = 0;
    std::optional<bool> receive_buffer_fixed;  // of its worst flow
    std::unique_ptr<KeptFlow> worst;
    std::unique_ptr<Stalls> stalls;
  };

  Settings settings;
  const Catalogue& catalogue;
  std::vector<Entry> entries;
  Legs legs;
  std::unordered_map<Address, std::size_t, AddressHash> index;

  Entry& entry(const Address& address) {
    const auto [found, added] = index.try_emplace(address, entries.size());
    if (added)
      entries.push_back(
          {.address = address, .receive_buffer_fixed = {}, .worst = nullptr, .stalls = nullptr});
    return entries[found->second];
  }

  [[nodiscard]] HostSummary summary(const Entry& entry) const;
};

HostTable::HostTable(const Settings& settings, const Catalogue& catalogue)
    : state_(new State{settings, catalogue, {}, {}, {}}) {}
HostTable::~HostTable() = default;
HostTable::HostTable(HostTable&&) noexcept = default;

void HostTable::add(const ConnectionResult& connection, const DirectionResult& direction,
                    const Assessment& assessment) {
  const bool up = direction.from_client;
  state_->legs.add(connection, direction);
  State::Entry& entry = state_->entry((up ? connection.server : connection.client).address);
  ++entry.connections;
  if (const auto stall = stall_of(connection, direction)) {
    if (entry.stalls == nullptr) entry.stalls = std::make_unique<Stalls>();
    entry.stalls->add(*stall);
  }
  // A SYN tells more than an answer: look again while only answers were seen.
  if (entry.system_confidence < 0.9) {
    const auto& offer = up ? connection.server_offer : connection.client_offer;
    const SignatureMatch match = match_signature(state_->catalogue.data(), offer, up);
    if (match.confidence > entry.system_confidence) {
      entry.system = match.signature;
      entry.system_confidence = match.confidence;
    }
  }
  if (assessment.verdict.limit != Limit::receiver_window) return;
  ++entry.window_limited;
  const bool advised =
      std::any_of(assessment.advice.begin(), assessment.advice.end(),
                  [](const Advice& advice) { return advice.window_bytes.has_value(); });
  if (!advised) return;
  const Flow flow = make_flow(connection, direction, state_->settings, state_->catalogue);
  const Sizing sizing = size_flow(flow);
  entry.target_bps = std::max(entry.target_bps, sizing.target_bps.value_or(0));
  const std::int64_t rtt = flow.rtt_us.value_or(0);
  if (entry.worst != nullptr && rtt <= entry.worst_rtt_us) return;
  entry.worst_rtt_us = rtt;
  entry.receive_buffer_fixed = assessment.verdict.receive_buffer_fixed;
  entry.worst = std::make_unique<KeptFlow>(keep(connection, direction));
}

HostSummary HostTable::State::summary(const Entry& entry) const {
  HostSummary host;
  host.address = entry.address;
  if (entry.system != nullptr) host.os = entry.system->os;
  host.connections = entry.connections;
  host.window_limited = entry.window_limited;
  if (entry.stalls != nullptr) entry.stalls->tell(host);
  if (entry.window_limited > 0) {
    for (std::string& note : legs.notes(entry.address)) host.notes.push_back(std::move(note));
  }
  if (entry.worst == nullptr) return host;
  if (entry.worst_rtt_us > 0) host.worst_rtt_us = entry.worst_rtt_us;
  // The fastest target of its flows at the farthest sender: a host has one setting for all.
  Settings sized = settings;
  if (!sized.target_bps && entry.target_bps > 0) sized.target_bps = entry.target_bps;
  sized.receive_buffer_fixed = entry.receive_buffer_fixed;
  Assessment assessment = assess(entry.worst->connection, entry.worst->direction, sized, catalogue);
  host.advice = std::move(assessment.advice);
  for (const Advice& advice : host.advice) {
    if (!advice.window_bytes) continue;
    host.needed_window_bytes = std::max(host.needed_window_bytes.value_or(0), *advice.window_bytes);
  }
  return host;
}

std::vector<HostSummary> HostTable::finish() const {
  std::vector<HostSummary> hosts;
  hosts.reserve(state_->entries.size());
  for (const State::Entry& entry : state_->entries) hosts.push_back(state_->summary(entry));
  return hosts;
}

}  // namespace rwin::rules
