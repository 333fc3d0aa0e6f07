// The inside of the engine. Nobody outside engine*.cpp includes this.
#pragma once

#include <cstdint>
#include <deque>
#include <memory>
#include <optional>

#include "analysis/connection.h"
#include "analysis/direction/direction_analysis.h"
#include "analysis/engine.h"
#include "analysis/flow_table.h"
#include "analysis/large_memory.h"

namespace rwin::analysis {

struct Memory::State {
  Scratch scratch;
  DirectionAnalysis analysis;  // for connections that are short enough to be read in one stretch
};

struct Engine::State {
  EngineOptions options;
  EngineCounters counters;
  EventPool pool;
  ObjectPool<Connection> connections;
  FlowTable table;
  Helpers* helpers = nullptr;
  Memory memory;
  // In order of the first packet: alive, finished, or neither and soon swept out.
  struct Slot {
    std::uint64_t id = 0;
    ObjectPool<Connection>::Pointer live;
    std::unique_ptr<ConnectionResult> done;
    [[nodiscard]] bool empty() const { return !live && !done; }
  };
  std::deque<Slot> slots;
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

  State(EngineOptions o, Helpers* h) : options(std::move(o)), helpers(h) {}
  Slot& slot(std::uint32_t index) { return slots[index - forgotten]; }
  [[nodiscard]] std::size_t place_of_id(std::uint64_t id) const;
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
  void drop(std::size_t i);
  void make_room();
  void sweep();
  void take(const Segment& segment);  // in the order of the capture
  void judge_doubtful(std::int64_t next_ns);
  void believe();
  void add(const Segment& segment);
};

}  // namespace rwin::analysis
