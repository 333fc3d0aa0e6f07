// The analysis: segments in (in capture order), connection results out. Pure: time comes from the
// segments. One pass, bounded memory, no allocation per packet on the hot path.
#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <vector>

#include "analysis/result.h"
#include "analysis/segment.h"

namespace rwin::analysis {

struct EngineOptions {
  // Watched at the same time; above it the oldest give way (and are counted). As many results of
  // connections that are over are kept.
  std::uint64_t max_connections = 1'000'000;
  // Of these, connections without data: half-open ones, scans. About 300 bytes each,
  // 1.2 kB where none is folded.
  std::uint64_t max_without_data = 250'000;
  std::int64_t idle_expiry_ns = 3'600'000'000'000;  // a connection silent that long is expired
  // A connection of no more packets stays a list of packets, some 8 bytes each, until it ends; 0:
  // none does, which is less work where connections are looked at while they run.
  std::uint32_t folded_packets = 64;
  // Events of one direction that are kept before they are read: more look further ahead, fewer need
  // less memory.
  std::uint32_t log_limit = 32'768;
  // Points of every direction's charts (DirectionResult::samples), at most; 0: no charts.
  std::uint32_t sample_points = 0;
  bool sample_sequence = false;  // with the sequence numbers of each point
  // The user's word for the shift of a receiver whose handshake was not seen.
  struct AssumedScale {
    Address address;
    std::uint8_t shift = 0;
  };
  std::vector<AssumedScale> assume_wscale;
};

// How far a connection has come.
struct Progress {
  std::uint64_t id = 0;
  std::int64_t last_ns = 0;  // of its last packet
  std::uint64_t packets = 0;
  std::array<std::uint64_t, 2> bytes{};  // unique payload: from the client, from the server
  bool closed = false;
};

// Working memory of the analysis, some megabytes; one thread at a time uses it.
class Memory {
 public:
  Memory();
  ~Memory();
  Memory(const Memory&) = delete;
  Memory& operator=(const Memory&) = delete;

 private:
  friend class Engine;
  struct State;
  std::unique_ptr<State> state_;
};

// Work that an engine leaves to others: reading a full log.
class Work {
 public:
  virtual ~Work() = default;
  virtual void run(Memory& memory) = 0;
};

// Who does it. Without anybody the engine does it itself, at once; the results are the same.
class Helpers {
 public:
  virtual ~Helpers() = default;
  // Runs `work` some time, on any thread; those of one `key` one after the other as given.
  virtual void give(std::unique_ptr<Work> work, std::uint64_t key) = 0;
  // Returns when all of it is done.
  virtual void settle() = 0;
};

class Engine {
 public:
  // `helpers` must live longer than the engine.
  explicit Engine(EngineOptions options = {}, Helpers* helpers = nullptr);
  ~Engine();
  Engine(Engine&&) noexcept;
  Engine& operator=(Engine&&) noexcept;

  // Segments must come in the order of the capture; steps back in time are tolerated and counted.
  // One that is stamped more than an hour from the one before waits for the next, which tells
  // whether the clock was set or the stamp is wild.
  void add(const Segment& segment);

  // Adds up over the connections: for once a second, not for every packet. After end_input() the
  // quality is that of connections that finish_at() does not hand out: add its results' own.
  [[nodiscard]] EngineCounters counters() const;
  [[nodiscard]] std::size_t connection_count() const;

  // A running engine, looked at. Nothing changes: what comes later gives the same as without a
  // look.
  //
  // Every connection that is still watched, in order of the first packet: counters, no judgement
  // (some ten nanoseconds each).
  void survey(const std::function<void(const Progress&)>& sink) const;
  // What finish() would say of one connection now, as of its last packet; nullopt when it is not
  // watched any more. Costs what finish() costs: microseconds for a short connection, some
  // milliseconds for one of `log_limit` events. `memory` is used again from look to look.
  std::optional<ConnectionResult> peek(std::uint64_t id, Memory& memory) const;

  // For inputs without an end: hands out (in order of the first packet) and forgets the connections
  // that are over: reused, expired, closed and silent for `linger_ns`, or silent for
  // `idle_expiry_ns`, at the moment `now_ns`. finish() hands out the rest.
  void release(std::int64_t now_ns, std::int64_t linger_ns,
               const std::function<void(ConnectionResult&&)>& sink);

  // Ends the input and hands out every connection in order of its first packet, one at a time; each
  // one's memory is released before the next. The engine is empty afterwards.
  void finish(const std::function<void(ConnectionResult&&)>& sink);
  // The same in pieces, for several threads: ends the input and tells how many places there are, in
  // order of first packets; then each place once, different ones at the same time if wanted, each
  // thread with its own `memory`. nullopt: nothing to hand out there.
  std::size_t end_input();
  std::optional<ConnectionResult> finish_at(std::size_t place, Memory& memory);

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace rwin::analysis
