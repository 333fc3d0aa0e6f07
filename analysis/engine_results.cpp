// What the engine says of a connection.
#include <algorithm>
#include <utility>

#include "analysis/engine_state.h"

namespace rwin::analysis {
namespace {

Place place_of(const std::optional<std::int64_t>& client_us,
               const std::optional<std::int64_t>& server_us) {
  if (!client_us || !server_us) return Place::unknown;
  const std::int64_t total = *client_us + *server_us;
  // Beside an end its half is some ten microseconds; a tenth of the round trip is already a hop
  // away.
  const std::int64_t near = std::clamp<std::int64_t>(total / 20, 50, 1'000);
  const bool at_client = *client_us <= near;
  const bool at_server = *server_us <= near;
  if (at_client && at_server) return *client_us <= *server_us ? Place::client : Place::server;
  if (at_client) return Place::client;
  if (at_server) return Place::server;
  return Place::middle;
}

}  // namespace

DirectionInput Engine::State::direction_input(const Connection& connection, int sender) const {
  RoleFrom from{};
  const int receiver = 1 - sender;
  DirectionInput in;
  in.from_client = sender == connection.client(from);
  in.scale = connection.scale(receiver);
  if (in.scale.state == Presence::unknown) {
    for (const EngineOptions::AssumedScale& a : options.assume_wscale) {
      if (a.address == connection.side(receiver).address)
        in.scale = {Presence::known, a.shift, true};
    }
  }
  in.hints = connection.delay_hints(sender);
  const HandshakeSide& own = connection.offer(sender);
  const HandshakeSide& peer = connection.offer(receiver);
  if (own.mss.known() && peer.mss.known()) in.mss = std::min(own.mss.value, peer.mss.value);
  in.timestamps = own.timestamps.known() && peer.timestamps.known();
  in.sample_points = options.sample_points;
  in.sample_sequence = options.sample_sequence;
  in.handshake_end_us = connection.handshake_end_us();
  return in;
}

template <class Direction>
ConnectionResult Engine::State::assemble(const Connection& connection, bool expired,
                                         Direction direction) {
  ConnectionResult out;
  connection.fill(out);
  if (expired && out.end == End::open) out.end = End::expired;
  RoleFrom from{};
  const int client = connection.client(from);
  std::array<std::optional<std::int64_t>, 2>
      near{};  // smallest delay to each side seen in any direction
  for (int side = 0; side < 2; ++side)
    near[static_cast<std::size_t>(side)] = connection.control_delay_us(side);
  const auto carries = [&](int sender) { return connection.half(sender).carries_data(); };
  out.directions.reserve(carries(0) && carries(1) ? 2 : 1);
  for (int sender : {1 - client, client}) {
    if (!carries(sender)) continue;
    const int receiver = 1 - sender;
    out.directions.push_back(direction(sender, (out.end_ns - out.start_ns) / 1000));
    const DirectionResult& d = out.directions.back();
    const auto keep = [](std::optional<std::int64_t>& best, const std::optional<std::int64_t>& v) {
      if (v && (!best || *v < *best)) best = v;
    };
    keep(near[static_cast<std::size_t>(sender)], d.sender_side_rtt_us);
    keep(near[static_cast<std::size_t>(receiver)], d.receiver_side_rtt_us);
  }
  if (out.directions.size() == 2 && out.directions[1].bytes > out.directions[0].bytes) {
    std::swap(out.directions[0], out.directions[1]);
  }
  out.client_side_rtt_us = near[static_cast<std::size_t>(client)];
  out.server_side_rtt_us = near[static_cast<std::size_t>(1 - client)];
  out.place = place_of(out.client_side_rtt_us, out.server_side_rtt_us);
  return out;
}

ConnectionResult Engine::State::finish(Connection& connection, bool expired, Memory& use,
                                       EventPool& blocks) {
  return assemble(connection, expired, [&](int sender, std::int64_t total_us) {
    HalfFlow& half = connection.half(sender);
    DirectionAnalysis* reader = connection.running(sender).get();
    if (reader == nullptr) {
      reader = &use.state_->analysis;
      reader->begin(direction_input(connection, sender));
    }
    reader->hint(connection.delay_hints(sender));
    reader->consume(half.log(), half.two_sided(), true, blocks, use.state_->scratch);
    return reader->finish(half, total_us);
  });
}

ConnectionResult Engine::State::look(const Connection& connection, Scratch& scratch) const {
  return assemble(connection, false, [&](int sender, std::int64_t total_us) {
    const HalfFlow& half = connection.half(sender);
    DirectionAnalysis reader;
    if (const DirectionAnalysis* running = connection.running(sender); running != nullptr) {
      reader = *running;
    } else {
      reader.begin(direction_input(connection, sender));
    }
    reader.hint(connection.delay_hints(sender));
    reader.look(half, scratch);
    return reader.finish(half, total_us);
  });
}

}  // namespace rwin::analysis
