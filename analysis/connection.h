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
  // `sides`: source and destination of the first segment, which came at `start_ns`.
  Connection(const std::array<Endpoint, 2>& sides, std::int64_t start_ns, std::uint64_t id)
      : id_(id), start_ns_(start_ns), last_ns_(start_ns), sides_(sides) {}

  // `from_a`: the segment's source is side a. `wild`: its time is not to be trusted.
  void add(const Segment& segment, bool from_a, EventPool& pool, bool wild = false);
  // Since the last packet, on this connection's clock. 0 where it cannot be told.
  [[nodiscard]] std::int64_t silent_ns(const Segment& segment) const;
  // The capture's clock was set ahead: by that clock the sender was silent for long, by the clock
  // in its time stamps (RFC 7323) it was not.
  [[nodiscard]] bool clock_set_ahead(const Segment& segment, bool from_a) const;
  // It goes on where another one was silent for too long: or was that the clock?
  void resumed() { ++clock_steps_; }

  // A new SYN with another number on a connection that is over (or silent): port reuse, a new
  // connection.
  [[nodiscard]] bool is_reuse(const Segment& segment, bool from_a) const;
  [[nodiscard]] bool closed() const;

  [[nodiscard]] std::uint64_t id() const { return id_; }
  [[nodiscard]] std::int64_t start_ns() const { return start_ns_; }
  [[nodiscard]] std::int64_t last_ns() const { return last_ns_; }
  [[nodiscard]] const std::array<Endpoint, 2>& sides() const { return sides_; }
  [[nodiscard]] const Endpoint& side(int i) const { return sides_[static_cast<std::size_t>(i)]; }
  [[nodiscard]] const HandshakeSide& offer(int i) const {
    return offers_[static_cast<std::size_t>(i)];
  }
  [[nodiscard]] HalfFlow& half(int sender) { return halves_[static_cast<std::size_t>(sender)]; }
  [[nodiscard]] const HalfFlow& half(int sender) const {
    return halves_[static_cast<std::size_t>(sender)];
  }
  [[nodiscard]] std::uint64_t packets() const { return packets_; }
  [[nodiscard]] CaptureQuality quality() const;
  [[nodiscard]] bool carries_data() const {
    return halves_[0].carries_data() || halves_[1].carries_data();
  }

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
  // The segment's time on this connection's clock, which never runs backwards.
  std::int64_t steady_time(const Segment& segment, int from);
  [[nodiscard]] bool tells_nothing_new(const Segment& segment, int from) const;
  bool duplicate(const Segment& segment, int from, std::int64_t now_us);
  void on_fin(int from, std::int64_t now_us);
  void on_tunnel(const Segment& segment, int from);
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

  // A side's time stamps beside the capture's clock.
  struct StampClock {
    std::uint32_t first = 0, last = 0;
    std::int64_t first_ns = 0, last_ns = 0;
  };

  std::uint64_t id_;
  std::int64_t start_ns_, last_ns_;
  std::int64_t clock_offset_ns_ = 0;  // what the capture's clock was set back by meanwhile
  std::array<Endpoint, 2> sides_;
  std::array<HalfFlow, 2> halves_;
  std::array<HandshakeSide, 2> offers_;
  std::array<std::unique_ptr<DirectionAnalysis>, 2> running_;
  std::array<Recent, 2> recent_{};
  std::array<StampClock, 2> stamps_{};
  std::array<std::int16_t, 2> copy_spot_{-1, -1};  // where copies of packets are met
  std::array<std::int64_t, 2> syn_us_{-1, -1};     // last SYN or SYN-ACK of that side
  std::array<std::int64_t, 2> fin_us_{-1, -1};     // FIN of that side, once sent and unanswered
  std::array<std::int64_t, 2> delay_us_{-1, -1};   // of control_delay_us()
  std::array<std::uint32_t, 2> isn_{};
  std::array<bool, 2> stamped_{};  // stamps_ is filled
  std::array<bool, 2> syn_is_ack_{};
  std::array<bool, 2> reset_{};
  std::array<bool, 2> handshake_timed_{};
  std::array<bool, 2> syn_untimed_{};
  std::int64_t handshake_end_us_ = 0;
  std::uint64_t packets_ = 0;
  std::uint32_t duplicates_ = 0, routed_duplicates_ = 0, out_of_order_ = 0, clock_steps_ = 0,
                effect_first_ = 0, wild_stamps_ = 0;
  bool multipath_ = false, fast_open_ = false, established_ = false;
  Tunnel tunnel_ = Tunnel::none;
  std::unique_ptr<const TunnelEnds> tunnel_ends_;  // as if side a were the client
};

}  // namespace rwin::analysis
