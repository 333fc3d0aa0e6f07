#include "analysis/engine.h"

#include <algorithm>

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

// More than this between two records is a clock that was set, or a wild stamp.
constexpr std::int64_t kFarApartNs = 3'600'000'000'000;
// Times are kept in this range (1843 to 2096), so that differences never overflow.
constexpr std::int64_t kMostNs = 4'000'000'000'000'000'000;

std::int64_t distance(std::int64_t a, std::int64_t b) { return a < b ? b - a : a - b; }

}  // namespace

Memory::Memory() : state_(std::make_unique<State>()) {}
Memory::~Memory() = default;

CaptureQuality& CaptureQuality::operator+=(const CaptureQuality& other) {
  duplicates += other.duplicates;
  routed_duplicates += other.routed_duplicates;
  out_of_order += other.out_of_order;
  effect_first += other.effect_first;
  clock_steps += other.clock_steps;
  wild_stamps += other.wild_stamps;
  gap_bytes += other.gap_bytes;
  return *this;
}

// A segment that follows a doubtful one, or is far from the last one in time, or the first.
void Engine::State::take_with_care(const Segment& segment) {
  Segment sane = segment;
  sane.time_ns = std::clamp(sane.time_ns, -kMostNs, kMostNs);
  if (doubtful) judge_doubtful(sane.time_ns);
  if (counters.segments > 0 && distance(sane.time_ns, last_ns) > kFarApartNs) {
    doubtful = sane;
    return;
  }
  last_ns = sane.time_ns;
  add_now(sane);
}

// The record behind the doubtful one stands on its side, or on that of the one before.
void Engine::State::judge_doubtful(std::int64_t next_ns) {
  if (distance(next_ns, last_ns) < distance(next_ns, doubtful->time_ns)) {
    doubtful->time_ns = last_ns;
    wild = true;
  }
  believe();
}

void Engine::State::believe() {
  if (!doubtful) return;
  const Segment segment = *doubtful;
  doubtful.reset();
  last_ns = segment.time_ns;
  add_now(segment);
}

[[gnu::always_inline]] inline void Engine::State::feed(Connection& connection,
                                                       const Segment& segment, bool from_a) {
  connection.add(segment, from_a, pool, wild);
  wild = false;
  for (int sender = 0; sender < 2; ++sender) {
    if (connection.half(sender).log().size() >= options.log_limit)
      read_full_log(connection, sender);
  }
}

[[gnu::always_inline]] inline void Engine::State::add(const Segment& segment) {
  ++counters.segments;
  bool from_a = true;
  Slot* slot = nullptr;
  const std::uint32_t index = table.find(segment.source, segment.destination, [&](std::uint32_t i) {
    slot = &this->slot(i);
    const auto& [a, b] = slot->sides();
    from_a = a == segment.source;
    return from_a ? b == segment.destination : b == segment.source && a == segment.destination;
  });
  bool resumed = false;
  if (index == kNoConnection) {
    slot = &open(segment);
    from_a = true;
  } else {
    const bool late = segment.time_ns - slot->last_ns() > options.idle_expiry_ns;
    if (late || (segment.has(flag::kSyn) && !segment.has(flag::kAck))) {
      const Connection& connection = unfold(*slot);
      const bool silent = connection.silent_ns(segment) > options.idle_expiry_ns &&
                          !connection.clock_set_ahead(segment, from_a);
      if (silent || connection.is_reuse(segment, from_a)) {
        retire(index - forgotten, silent);
        slot = &open(segment);
        from_a = true;
        resumed = silent && !segment.has(flag::kSyn);
      }
    }
  }
  if (slot->live() == nullptr && !resumed && fold(*slot->opening(), segment, from_a)) return;
  Connection& connection = unfold(*slot);
  if (resumed) connection.resumed();
  feed(connection, segment, from_a);
}

void Engine::State::add_now(const Segment& segment) { add(segment); }

// False: it takes a whole connection.
bool Engine::State::fold(Opening& folded, const Segment& segment, bool from_a) {
  if (folded.log.packets() >= options.folded_packets ||
      !folded.log.append(pool, segment, from_a, wild))
    return false;
  folded.data |= segment.payload > 0 || segment.has(flag::kFin);
  wild = false;
  return true;
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
  in.sample_sequence = options.sample_sequence;
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

Engine::Engine(EngineOptions options, Helpers* helpers)
    : state_(std::make_unique<State>(std::move(options), helpers)) {}
Engine::~Engine() = default;
Engine::Engine(Engine&&) noexcept = default;
Engine& Engine::operator=(Engine&&) noexcept = default;

void Engine::add(const Segment& segment) {
  State& s = *state_;
  const bool sane = segment.time_ns <= kMostNs && segment.time_ns >= -kMostNs;
  if (!sane || distance(segment.time_ns, s.last_ns) > kFarApartNs || s.doubtful ||
      s.counters.segments == 0) {
    s.take_with_care(segment);
    return;
  }
  s.last_ns = segment.time_ns;
  s.add(segment);
}

EngineCounters Engine::counters() const {
  EngineCounters out = state_->counters;
  out.quality = state_->past;
  if (state_->ended) return out;
  EventPool blocks;
  for (const State::Slot& slot : state_->slots) {
    if (slot.alive())
      State::show(slot, blocks, [&](const Connection& c) { out.quality += c.quality(); });
    else if (slot.done() != nullptr)
      out.quality += slot.done()->quality;
  }
  return out;
}

std::size_t Engine::connection_count() const { return state_->opened; }

void Engine::survey(const std::function<void(const Progress&)>& sink) const {
  EventPool blocks;
  for (const State::Slot& slot : state_->slots) {
    if (!slot.alive()) continue;
    State::show(slot, blocks, [&](const Connection& connection) {
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
    });
  }
}

std::optional<ConnectionResult> Engine::peek(std::uint64_t id, Memory& memory) const {
  const State& s = *state_;
  const std::size_t i = s.place_of_id(id);
  if (i >= s.slots.size() || s.slots[i].id != id || !s.slots[i].alive()) return std::nullopt;
  std::optional<ConnectionResult> result;
  State::show(s.slots[i], memory.state_->pool, [&](const Connection& connection) {
    s.settle(connection);
    result = s.look(connection, memory.state_->scratch);
  });
  return result;
}

void Engine::release(std::int64_t now_ns, std::int64_t linger_ns,
                     const std::function<void(ConnectionResult&&)>& sink) {
  State& s = *state_;
  if (s.doubtful && s.doubtful->time_ns <= now_ns) s.believe();
  for (std::size_t i = 0; i < s.slots.size(); ++i) {
    State::Slot& slot = s.slots[i];
    if (slot.alive()) {
      const std::int64_t silent_ns = now_ns - slot.last_ns();
      if (silent_ns > s.options.idle_expiry_ns) {
        s.retire(i, true);
      } else if (silent_ns > linger_ns && s.unfold(slot).closed()) {
        s.retire(i, false);
      }
    }
    if (slot.done() != nullptr) {
      ConnectionResult result = std::move(*slot.done());
      slot.holds = std::monostate{};
      --s.done;
      ++s.empty;
      s.past += result.quality;
      sink(std::move(result));
    }
  }
  s.forget_first();
}

std::size_t Engine::end_input() {
  if (state_->ended) return state_->slots.size();
  state_->believe();
  if (state_->helpers != nullptr) state_->helpers->settle();
  state_->ended = true;
  return state_->slots.size();
}

std::optional<ConnectionResult> Engine::finish_at(std::size_t place, Memory& memory) {
  State::Slot& slot = state_->slots[place];
  std::optional<ConnectionResult> result;
  if (Connection* whole = slot.live(); whole != nullptr) {
    result = state_->finish(*whole, false, memory, state_->pool);
  } else if (slot.opening() != nullptr) {
    EventPool& blocks = memory.state_->pool;
    State::show(slot, blocks, [&](Connection& connection) {
      result = state_->finish(connection, false, memory, blocks);
    });
  } else if (slot.done() != nullptr) {
    result = std::move(*slot.done());
  }
  slot.holds = std::monostate{};
  return result;
}

void Engine::finish(const std::function<void(ConnectionResult&&)>& sink) {
  const std::size_t places = end_input();
  CaptureQuality past = state_->past;
  for (std::size_t i = 0; i < places; ++i) {
    auto result = finish_at(i, state_->memory);
    if (!result) continue;
    past += result->quality;
    sink(std::move(*result));
  }
  auto next = std::make_unique<State>(std::move(state_->options), state_->helpers);
  next->counters = state_->counters;
  next->past = past;
  state_ = std::move(next);
}

}  // namespace rwin::analysis
