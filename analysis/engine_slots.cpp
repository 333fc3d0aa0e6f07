// Which connections are kept: bounded memory, whatever comes.
#include <algorithm>

#include "analysis/engine_state.h"

namespace rwin::analysis {
namespace {

constexpr std::size_t kSweepFrom = 1024;  // empty slots

}  // namespace

// Where the slot of that id stands, or would stand.
std::size_t Engine::State::place_of_id(std::uint64_t id) const {
  const auto at = std::lower_bound(slots.begin(), slots.end(), id,
                                   [](const Slot& s, std::uint64_t i) { return s.id < i; });
  return static_cast<std::size_t>(at - slots.begin());
}

Engine::State::Slot& Engine::State::open(const Segment& segment) {
  if (empty > kSweepFrom && empty > slots.size() / 2) sweep();
  ++opened;
  table.insert(segment.source, segment.destination,
               forgotten + static_cast<std::uint32_t>(slots.size()));
  slots.push_back({opened, openings.make(segment)});
  unproven.push_back(opened);
  ++live;
  make_room();
  return slots.back();
}

Connection& Engine::State::unfold_now(Slot& slot) {
  Opening& folded = *slot.opening();
  auto whole = connections.make(folded.sides, folded.log.start_ns(), slot.id);
  Connection& connection = *whole;
  folded.replay(connection, pool);
  folded.log.clear(pool);
  slot.holds = std::move(whole);
  return connection;
}

bool Engine::State::carries_data(const Slot& slot) {
  if (const Opening* folded = slot.opening(); folded != nullptr && folded->data) return true;
  bool data = false;
  show(slot, pool, [&](const Connection& connection) { data = connection.carries_data(); });
  return data;
}

void Engine::State::retire(std::size_t i, bool expired) {
  Slot& slot = slots[i];
  Connection& connection = unfold(slot);
  settle(connection);
  auto result = std::make_unique<ConnectionResult>(finish(connection, expired, memory, pool));
  drop(i);
  slot.holds = std::move(result);
  --empty;
  ++done;
}

// Forgets a live connection without a word.
void Engine::State::drop(std::size_t i) {
  Slot& slot = slots[i];
  const auto [a, b] = slot.sides();
  if (Connection* whole = slot.live(); whole != nullptr) {
    settle(*whole);
    empty_logs(*whole, pool);
  } else {
    slot.opening()->log.clear(pool);
  }
  table.erase(a, b, forgotten + static_cast<std::uint32_t>(i));
  slot.holds = std::monostate{};
  --live;
  ++empty;
}

// An evicted connection that never carried data is only counted, and so are those with data once
// there are too many: a flood must not fill the memory with its results either.
void Engine::State::evict(std::size_t i) {
  ++counters.flows_evicted;
  if (carries_data(slots[i]) && done < options.max_connections) {
    retire(i, true);
  } else {
    show(slots[i], pool, [&](const Connection& connection) { past += connection.quality(); });
    drop(i);
  }
}

// Bounded memory whatever comes. A flood is millions of connections without data: of those the
// longest-standing gives way, so that transfers stay; where all carry data, the longest-standing of
// all.
void Engine::State::make_room() {
  while (unproven.size() > std::max<std::uint64_t>(options.max_without_data, 1)) {
    const std::size_t i = place_of_id(unproven.front());
    const bool there = i < slots.size() && slots[i].id == unproven.front() && slots[i].alive();
    unproven.pop_front();
    if (there && !carries_data(slots[i])) evict(i);
  }
  while (live > std::max<std::uint64_t>(options.max_connections, 1)) {
    while (oldest_live < slots.size() && !slots[oldest_live].alive()) ++oldest_live;
    if (oldest_live >= slots.size()) return;
    evict(oldest_live);
  }
}

// Takes the empty slots off the front, once they are many: those behind them move.
void Engine::State::forget_first() {
  const auto first =
      std::find_if(slots.begin(), slots.end(), [](const Slot& s) { return !s.empty(); });
  const auto gone = static_cast<std::size_t>(first - slots.begin());
  if (gone * 2 < slots.size()) return;
  slots.erase(slots.begin(), first);
  forgotten += static_cast<std::uint32_t>(gone);
  empty -= gone;
  oldest_live -= std::min(oldest_live, gone);
}

// Takes the empty slots out, and numbers the others anew.
void Engine::State::sweep() {
  slots.erase(std::remove_if(slots.begin(), slots.end(), [](const Slot& s) { return s.empty(); }),
              slots.end());
  slots.shrink_to_fit();
  table = FlowTable();
  forgotten = 0;
  empty = oldest_live = 0;
  for (std::size_t i = 0; i < slots.size(); ++i) {
    if (!slots[i].alive()) continue;
    const auto& [a, b] = slots[i].sides();
    table.insert(a, b, static_cast<std::uint32_t>(i));
  }
}

}  // namespace rwin::analysis
