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

Connection& Engine::State::open(const Segment& segment) {
  if (empty > kSweepFrom && empty > slots.size() / 2) sweep();
  ++opened;
  table.insert(segment.source, segment.destination,
               forgotten + static_cast<std::uint32_t>(slots.size()));
  slots.push_back({opened, connections.make(segment, opened), nullptr});
  unproven.push_back(opened);
  ++live;
  make_room();
  return *slots.back().live;
}

void Engine::State::retire(std::size_t i, bool expired) {
  Slot& slot = slots[i];
  settle(*slot.live);
  auto result = std::make_unique<ConnectionResult>(finish(*slot.live, expired, memory));
  drop(i);
  slot.done = std::move(result);
  --empty;
  ++done;
}

// Forgets a live connection without a word.
void Engine::State::drop(std::size_t i) {
  Slot& slot = slots[i];
  settle(*slot.live);
  table.erase(slot.live->side(0), slot.live->side(1), forgotten + static_cast<std::uint32_t>(i));
  slot.live.reset();
  --live;
  ++empty;
}

// An evicted connection that never carried data is only counted, and so are those with data once
// there are too many: a flood must not fill the memory with its results either.
void Engine::State::evict(std::size_t i) {
  ++counters.flows_evicted;
  if (slots[i].live->carries_data() && done < options.max_connections) {
    retire(i, true);
  } else {
    past += slots[i].live->quality();
    drop(i);
  }
}

// Bounded memory whatever comes. A flood is millions of connections without data: of those the
// longest-standing gives way, so that transfers stay; where all carry data, the longest-standing of
// all.
void Engine::State::make_room() {
  while (unproven.size() > std::max<std::uint64_t>(options.max_without_data, 1)) {
    const std::size_t i = place_of_id(unproven.front());
    const bool there = i < slots.size() && slots[i].id == unproven.front() && slots[i].live;
    unproven.pop_front();
    if (there && !slots[i].live->carries_data()) evict(i);
  }
  while (live > std::max<std::uint64_t>(options.max_connections, 1)) {
    while (oldest_live < slots.size() && !slots[oldest_live].live) ++oldest_live;
    if (oldest_live >= slots.size()) return;
    evict(oldest_live);
  }
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
    const Connection* c = slots[i].live.get();
    if (c != nullptr) table.insert(c->side(0), c->side(1), static_cast<std::uint32_t>(i));
  }
}

}  // namespace rwin::analysis
