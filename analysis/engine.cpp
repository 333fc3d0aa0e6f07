#include "analysis/engine.h"

#include <algorithm>

#include "analysis/engine_state.h"

namespace rwin::analysis {
namespace {

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
