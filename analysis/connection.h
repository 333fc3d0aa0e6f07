// One connection while it is watched: who is who, what the handshake told, and two half-flows.
// Side a is the source of the first segment seen, side b its peer; client and server are decided in
// roles().
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <optional>

#include "analysis/direction/direction_analysis.h"
#include "analysis/half_flow.h"
#include "analysis/result.h"

namespace rwin::analysis {

class Connection {
 public:
  Connection(const Segment& first, std::uint64_t id);

  // `from_a`: the segment's source is side a. Returns false when the segment is a duplicate record.
  bool add(const Segment& segment, bool from_a, EventPool& pool);

  // A new SYN with another number on a connection that is over (or silent): port reuse, a new
  // connection.
  [[nodiscard]] bool is_reuse(const Segment& segment, bool from_a) const;
  [[nodiscard]] bool closed() const;

  [[nodiscard]] std::uint64_t id() const { return id_; }
  [[nodiscard]] std::int64_t start_ns() const { return start_ns_; }
  [[nodiscard]] std::int64_t last_ns() const { return last_ns_; }
  [[nodiscard]] const Endpoint& side(int i) const { return sides_[static_cast<std::size_t>(i)]; }
  [[nodiscard]] const HandshakeSide& offer(int i) const {
    return offers_[static_cast<std::size_t>(i)];
  }
  [[nodiscard]] HalfFlow& half(int sender) { return halves_[static_cast<std::size_t>(sender)]; }
  [[nodiscard]] const HalfFlow& half(int sender) const {
    return halves_[static_cast<std::size_t>(sender)];
  }
  [[nodiscard]] std::uint64_t packets() const { return packets_; }

  // The analysis of a direction too long for one stretch; empty for the others.
  [[nodiscard]] std::unique_ptr<DirectionAnalysis>& running(int sender) {
    return running_[static_cast<std::size_t>(sender)];
  }
  [[nodiscard]] const DirectionAnalysis* running(int sender) const {
    return running_[static_cast<std::size_t>(sender)].get();
  }

  // Index of the client, and by what evidence.
  [[nodiscard]] int client(RoleFrom& from) const;
  // Capture point to side i and back, as a SYN or FIN (answered at once, with no queue of this
  // connection before it) and its ACK tell; nullopt when not seen or sent twice.
  [[nodiscard]] std::optional<std::int64_t> control_delay_us(int side) const;
  // The same for the analysis of what `sender` sends.
  [[nodiscard]] DelayHints delay_hints(int sender) const;
  // The end of the handshake from the start, or 0 when it was not seen.
  [[nodiscard]] std::int64_t handshake_end_us() const { return handshake_end_us_; }
  // Shift in force for the windows of side i, as the handshake tells it.
  [[nodiscard]] WindowScale scale(int side) const;
  void fill(ConnectionResult& out) const;

 private:
  void on_syn(const Segment& segment, int from);
  bool duplicate(const Segment& segment, int from, std::int64_t now_us);
  void on_fin(int from, std::int64_t now_us);
  void answered(int side, std::int64_t delay_us);

  // The last packets of a side, to know one that is recorded twice.
  struct Recent {
    static constexpr std::size_t kSize = 10;
    std::array<std::uint32_t, kSize> hash{};
    std::array<std::uint16_t, kSize> time{};  // units of 16 us, low 16 bits: about one second
    std::array<std::uint8_t, kSize> spot{};
    static constexpr unsigned kTickBits = 4;
    std::uint8_t next = 0;
  };

  std::uint64_t id_;
  std::int64_t start_ns_, last_ns_;
  std::int64_t clock_offset_ns_ = 0;  // what the capture's clock was set back by meanwhile
  std::array<Endpoint, 2> sides_;
  std::array<HalfFlow, 2> halves_;
  std::array<HandshakeSide, 2> offers_;
  std::array<std::unique_ptr<DirectionAnalysis>, 2> running_;
  std::array<Recent, 2> recent_{};
  std::array<std::int64_t, 2> syn_us_{-1, -1};    // last SYN or SYN-ACK of that side
  std::array<std::int64_t, 2> fin_us_{-1, -1};    // FIN of that side, once sent and unanswered
  std::array<std::int64_t, 2> delay_us_{-1, -1};  // of control_delay_us()
  std::array<std::uint32_t, 2> isn_{};
  std::array<bool, 2> syn_is_ack_{};
  std::array<bool, 2> reset_{};
  std::array<bool, 2> handshake_timed_{};
  std::int64_t handshake_end_us_ = 0;
  std::uint64_t packets_ = 0;
  std::uint32_t duplicates_ = 0, steps_back_ = 0;
  bool multipath_ = false, fast_open_ = false, established_ = false;
  Tunnel tunnel_ = Tunnel::none;

 public:
  [[nodiscard]] std::uint64_t steps_back() const { return steps_back_; }
};

}  // namespace rwin::analysis
