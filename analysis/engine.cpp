#include "analysis/engine.h"

#include <algorithm>
#include <deque>

#include "analysis/connection.h"
#include "analysis/direction/direction_analysis.h"
#include "analysis/flow_table.h"

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

struct Memory::State {
  Scratch scratch;
  DirectionAnalysis analysis;  // for connections that are short enough to be read in one stretch
};
Memory::Memory() : state_(std::make_unique<State>()) {}
Memory::~Memory() = default;

struct Engine::State {
  EngineOptions options;
  EngineCounters counters;
  EventPool pool;
  FlowTable table;
  Helpers* helpers = nullptr;
  Memory memory;
  // In order of the first packet: alive, or finished.
  struct Slot {
    std::unique_ptr<Connection> live;
    std::unique_ptr<ConnectionResult> done;
  };
  std::deque<Slot> slots;
  std::uint64_t forgotten = 0;  // slots that were there before the first
  std::uint64_t live = 0;
  std::size_t oldest_live = 0;  // no slot before it is alive

  State(EngineOptions o, Helpers* h) : options(std::move(o)), helpers(h) {}
  Slot& slot(std::uint32_t index) { return slots[index - static_cast<std::uint32_t>(forgotten)]; }
  Connection& open(const Segment& segment);
  // `direction(sender)`: what the analysis says of the data that side sends.
  template <class Direction>
  static ConnectionResult assemble(const Connection& connection, bool expired, Direction direction);
  ConnectionResult finish(Connection& connection, bool expired, Memory& use);
  ConnectionResult look(const Connection& connection, Scratch& scratch) const;
  DirectionInput direction_input(const Connection& connection, int sender) const;
  class Stretch;
  void read_full_log(Connection& connection, int sender);
  // Nobody works on this connection any more.
  void settle(const Connection& connection) const {
    if (helpers != nullptr && (connection.running(0) || connection.running(1))) helpers->settle();
  }
  void retire(std::size_t i, bool expired);
  void evict(std::size_t i);
  void make_room();
  void add(const Segment& segment);
};

Connection& Engine::State::open(const Segment& segment) {
  const std::uint64_t index = forgotten + slots.size();
  table.insert(segment.source, segment.destination, static_cast<std::uint32_t>(index));
  slots.push_back({std::make_unique<Connection>(segment, index + 1), nullptr});
  ++live;
  make_room();
  return *slots.back().live;
}

void Engine::State::retire(std::size_t i, bool expired) {
  Slot& slot = slots[i];
  table.erase(slot.live->side(0), slot.live->side(1), static_cast<std::uint32_t>(forgotten + i));
  settle(*slot.live);
  slot.done = std::make_unique<ConnectionResult>(finish(*slot.live, expired, memory));
  slot.live.reset();
  --live;
}

// An evicted connection that never carried data is only counted: a flood must not fill the memory
// with its results either.
void Engine::State::evict(std::size_t i) {
  ++counters.flows_evicted;
  Connection& connection = *slots[i].live;
  if (connection.half(0).carries_data() || connection.half(1).carries_data()) {
    retire(i, true);
    return;
  }
  table.erase(connection.side(0), connection.side(1), static_cast<std::uint32_t>(forgotten + i));
  slots[i].live.reset();
  --live;
}

// The longest-standing connection gives way: bounded memory whatever comes (a SYN flood is millions
// of them).
void Engine::State::make_room() {
  while (live > std::max<std::uint64_t>(options.max_connections, 1)) {
    while (oldest_live < slots.size() && !slots[oldest_live].live) ++oldest_live;
    if (oldest_live >= slots.size()) return;
    evict(oldest_live);
  }
}

void Engine::State::add(const Segment& segment) {
  ++counters.segments;
  bool from_a = true;
  Connection* connection = nullptr;
  const std::uint32_t index = table.find(segment.source, segment.destination, [&](std::uint32_t i) {
    connection = slot(i).live.get();
    const Connection& c = *connection;
    from_a = c.side(0) == segment.source;
    return from_a ? c.side(1) == segment.destination
                  : c.side(1) == segment.source && c.side(0) == segment.destination;
  });
  if (index == kNoConnection) {
    connection = &open(segment);
    from_a = true;
  } else {
    const bool silent = segment.time_ns - connection->last_ns() > options.idle_expiry_ns;
    if (silent || (segment.has(flag::kSyn) && connection->is_reuse(segment, from_a))) {
      retire(index - static_cast<std::uint32_t>(forgotten), silent);
      connection = &open(segment);
      from_a = true;
    }
  }
  const std::uint64_t steps_back = connection->steps_back();
  if (!connection->add(segment, from_a, pool)) ++counters.duplicates;
  counters.time_steps_back += connection->steps_back() - steps_back;
  for (int sender = 0; sender < 2; ++sender) {
    if (connection->half(sender).log().size() >= options.log_limit)
      read_full_log(*connection, sender);
  }
}

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
  in.handshake_end_us = connection.handshake_end_us();
  return in;
}

// A full log on its way to the analysis of its direction.
class Engine::State::Stretch : public Work {
 public:
  Stretch(DirectionAnalysis& analysis, HalfFlow& half, EventPool& blocks)
      : analysis_(analysis),
        log_(std::move(half.log())),
        two_sided_(half.two_sided()),
        pool_(blocks) {}
  void run(Memory& own) override {
    analysis_.consume(log_, two_sided_, false, pool_, own.state_->scratch);
  }

 private:
  DirectionAnalysis& analysis_;
  EventLog log_;
  bool two_sided_;
  EventPool& pool_;
};

// A log that is full is read now, so that a flow of hours needs no more memory than one of minutes.
void Engine::State::read_full_log(Connection& connection, int sender) {
  std::unique_ptr<DirectionAnalysis>& running = connection.running(sender);
  if (!running) {
    running = std::make_unique<DirectionAnalysis>();
    running->begin(direction_input(connection, sender));
  }
  auto stretch = std::make_unique<Stretch>(*running, connection.half(sender), pool);
  if (helpers == nullptr)
    stretch->run(memory);
  else
    helpers->give(std::move(stretch), connection.id());
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
  for (int sender : {1 - client, client}) {
    if (!connection.half(sender).carries_data()) continue;
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

ConnectionResult Engine::State::finish(Connection& connection, bool expired, Memory& use) {
  return assemble(connection, expired, [&](int sender, std::int64_t total_us) {
    HalfFlow& half = connection.half(sender);
    DirectionAnalysis* reader = connection.running(sender).get();
    if (reader == nullptr) {
      reader = &use.state_->analysis;
      reader->begin(direction_input(connection, sender));
    }
    reader->hint(connection.delay_hints(sender));
    reader->consume(half.log(), half.two_sided(), true, pool, use.state_->scratch);
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

Engine::Engine(EngineOptions options, Helpers* helpers)
    : state_(std::make_unique<State>(std::move(options), helpers)) {}
Engine::~Engine() = default;
Engine::Engine(Engine&&) noexcept = default;
Engine& Engine::operator=(Engine&&) noexcept = default;

void Engine::add(const Segment& segment) { state_->add(segment); }

const EngineCounters& Engine::counters() const { return state_->counters; }

std::size_t Engine::connection_count() const { return state_->forgotten + state_->slots.size(); }

void Engine::survey(const std::function<void(const Progress&)>& sink) const {
  for (const State::Slot& slot : state_->slots) {
    if (!slot.live) continue;
    const Connection& connection = *slot.live;
    RoleFrom from{};
    const int client = connection.client(from);
    const auto bytes = [&](int sender) {
      const HalfFlow& half = connection.half(sender);
      return half.carries_data() ? static_cast<std::uint64_t>(half.next() - half.origin()) : 0;
    };
    sink({connection.id(),
          connection.last_ns(),
          connection.packets(),
          {bytes(client), bytes(1 - client)},
          connection.closed()});
  }
}

std::optional<ConnectionResult> Engine::peek(std::uint64_t id, Memory& memory) const {
  const State& s = *state_;
  if (id <= s.forgotten || id > s.forgotten + s.slots.size()) return std::nullopt;
  const State::Slot& slot = s.slots[id - s.forgotten - 1];
  if (!slot.live) return std::nullopt;
  s.settle(*slot.live);
  return s.look(*slot.live, memory.state_->scratch);
}

void Engine::release(std::int64_t now_ns, std::int64_t linger_ns,
                     const std::function<void(ConnectionResult&&)>& sink) {
  State& s = *state_;
  for (std::size_t i = 0; i < s.slots.size(); ++i) {
    State::Slot& slot = s.slots[i];
    if (slot.live) {
      const std::int64_t silent_ns = now_ns - slot.live->last_ns();
      if (silent_ns > s.options.idle_expiry_ns) {
        s.retire(i, true);
      } else if (silent_ns > linger_ns && slot.live->closed()) {
        s.retire(i, false);
      }
    }
    if (slot.done) {
      ConnectionResult result = std::move(*slot.done);
      slot.done.reset();
      sink(std::move(result));
    }
  }
  while (!s.slots.empty() && !s.slots.front().live) {
    s.slots.pop_front();
    ++s.forgotten;
    if (s.oldest_live > 0) --s.oldest_live;
  }
}

std::size_t Engine::end_input() {
  if (state_->helpers != nullptr) state_->helpers->settle();
  return state_->slots.size();
}

std::optional<ConnectionResult> Engine::finish_at(std::size_t place, Memory& memory) {
  State::Slot& slot = state_->slots[place];
  std::optional<ConnectionResult> result;
  if (slot.live)
    result = state_->finish(*slot.live, false, memory);
  else if (slot.done)
    result = std::move(*slot.done);
  slot.live.reset();
  slot.done.reset();
  return result;
}

void Engine::finish(const std::function<void(ConnectionResult&&)>& sink) {
  const std::size_t places = end_input();
  for (std::size_t i = 0; i < places; ++i) {
    if (auto result = finish_at(i, state_->memory)) sink(std::move(*result));
  }
  const EngineCounters counters = state_->counters;
  state_ = std::make_unique<State>(std::move(state_->options), state_->helpers);
  state_->counters = counters;
}

}  // namespace rwin::analysis
