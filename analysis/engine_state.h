// The inside of the engine. Nobody outside engine*.cpp includes this.
#pragma once

#include <algorithm>
#include <cstdint>
#include <deque>
#include <memory>
#include <optional>
#include <variant>
#include <vector>

#include "analysis/connection.h"
#include "analysis/direction/direction_analysis.h"
#include "analysis/engine.h"
#include "analysis/flow_table.h"
#include "analysis/large_memory.h"
#include "analysis/packet_log.h"

namespace rwin::analysis {

struct Memory::State {
  Scratch scratch;
  DirectionAnalysis analysis;  // for connections that are short enough to be read in one stretch
  EventPool pool;              // for connections that are unfolded here
};

// A connection of few packets, folded: replayed into a Connection when something asks for more.
struct Opening {
  explicit Opening(const Segment& first)
      : sides{first.source, first.destination}, log(first.time_ns) {}
  std::array<Endpoint, 2> sides;  // a, b of Connection
  PacketLog log;
  bool data = false;  // payload or FIN was seen: it carries data

  // Adds all packets to a fresh connection.
  void replay(Connection& connection, EventPool& blocks) const {
    log.show(sides[0], sides[1], [&](const Segment& segment, bool from_a, bool wild) {
      connection.add(segment, from_a, blocks, wild);
    });
  }
};

struct Engine::State {
  EngineOptions options;
  EngineCounters counters;
  EventPool pool;
  ObjectPool<Connection> connections;
  FlowTable table;
  Helpers* helpers = nullptr;
  Memory memory;
  ObjectPool<Opening> openings;
  // In order of the first packet: alive (folded or whole), finished, or nothing and soon swept out.
  struct Slot {
    std::uint64_t id = 0;
    std::variant<std::monostate, ObjectPool<Opening>::Pointer, ObjectPool<Connection>::Pointer,
                 std::unique_ptr<ConnectionResult>>
        holds;
    [[nodiscard]] Opening* opening() const { return get<ObjectPool<Opening>::Pointer>(); }
    [[nodiscard]] Connection* live() const { return get<ObjectPool<Connection>::Pointer>(); }
    [[nodiscard]] ConnectionResult* done() const {
      return get<std::unique_ptr<ConnectionResult>>();
    }
    [[nodiscard]] bool alive() const { return holds.index() == 1 || holds.index() == 2; }
    [[nodiscard]] bool empty() const { return holds.index() == 0; }
    [[nodiscard]] const std::array<Endpoint, 2>& sides() const {
      const Opening* folded = opening();
      return folded != nullptr ? folded->sides : live()->sides();
    }
    [[nodiscard]] std::int64_t last_ns() const {
      const Opening* folded = opening();
      return folded != nullptr ? folded->log.last_ns() : live()->last_ns();
    }

   private:
    template <class Pointer>
    [[nodiscard]] typename Pointer::pointer get() const {
      const Pointer* p = std::get_if<Pointer>(&holds);
      return p != nullptr ? p->get() : nullptr;
    }
  };
  std::vector<Slot, LargeAllocator<Slot>> slots;
  std::uint32_t forgotten = 0;  // the table's index of the first slot
  std::uint64_t opened = 0;     // connections so far: the last one's id
  std::uint64_t live = 0;
  std::uint64_t done = 0;
  std::size_t empty = 0;            // slots
  std::size_t oldest_live = 0;      // no slot before it is alive
  CaptureQuality past;              // of connections that are not here any more
  std::optional<Segment> doubtful;  // far from last_ns in time: the next one tells
  std::int64_t last_ns = 0;         // of the last segment that was taken
  bool wild = false;                // the segment that is added next has no time of its own
  // Ids of those that were opened and not yet seen to carry data, oldest first.
  std::deque<std::uint64_t> unproven;

  bool ended = false;  // `past` has everything

  State(EngineOptions o, Helpers* h) : options(std::move(o)), helpers(h) {
    // No log of a folded connection is ever full: a packet is at most a few events.
    options.folded_packets = std::min(options.folded_packets, options.log_limit / 4);
  }
  Slot& slot(std::uint32_t index) { return slots.data()[index - forgotten]; }
  [[nodiscard]] std::size_t place_of_id(std::uint64_t id) const;
  // The new last slot.
  Slot& open(const Segment& segment);
  // The connection of a live slot, whole from now on.
  Connection& unfold(Slot& slot) {
    Connection* whole = slot.live();
    return whole != nullptr ? *whole : unfold_now(slot);
  }
  Connection& unfold_now(Slot& slot);
  // f(connection) of a live slot; a folded one stays so. `blocks`: where its logs lie meanwhile.
  template <class F>
  static void show(const Slot& slot, EventPool& blocks, F f);
  [[nodiscard]] bool carries_data(const Slot& slot);
  // `direction(sender)`: what the analysis says of the data that side sends.
  template <class Direction>
  static ConnectionResult assemble(const Connection& connection, bool expired, Direction direction);
  // `blocks`: where its logs lie.
  ConnectionResult finish(Connection& connection, bool expired, Memory& use, EventPool& blocks);
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
  void drop(std::size_t i);
  void make_room();
  void forget_first();
  void sweep();
  void take_with_care(const Segment& segment);
  void judge_doubtful(std::int64_t next_ns);
  void believe();
  void add(const Segment& segment);      // inline where packets come one after the other,
  void add_now(const Segment& segment);  // a call elsewhere
  bool fold(Opening& folded, const Segment& segment, bool from_a);
  void feed(Connection& connection, const Segment& segment, bool from_a);
};

// Gives back the blocks of a connection's logs, unread.
inline void empty_logs(Connection& connection, EventPool& blocks) {
  for (int sender = 0; sender < 2; ++sender)
    connection.half(sender).log().drain(blocks, [](const Event&) {});
}

template <class F>
void Engine::State::show(const Slot& slot, EventPool& blocks, F f) {
  if (Connection* whole = slot.live(); whole != nullptr) {
    f(*whole);
    return;
  }
  const Opening& folded = *slot.opening();
  Connection connection(folded.sides, folded.log.start_ns(), slot.id);
  folded.replay(connection, blocks);
  f(connection);
  empty_logs(connection, blocks);
}

}  // namespace rwin::analysis
