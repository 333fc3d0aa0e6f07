// One made-up TCP transfer, packet by packet.
#pragma once

#include <cstdint>
#include <deque>

#include "bench/packet_writer.h"

namespace rwin::bench {

// splitmix64: small, fast, the same everywhere.
class Random {
 public:
  explicit Random(std::uint64_t seed) : state_(seed) {}
  std::uint64_t next() {
    std::uint64_t z = (state_ += 0x9e3779b97f4a7c15ULL);
    z = (z ^ (z >> 30U)) * 0xbf58476d1ce4e5b9ULL;
    z = (z ^ (z >> 27U)) * 0x94d049bb133111ebULL;
    return z ^ (z >> 31U);
  }
  std::uint64_t below(std::uint64_t n) { return next() % n; }

 private:
  std::uint64_t state_;
};

// A download, server to client, as the client's network card sees it: handshake with options,
// request, data that the ACKs release (every second segment is acknowledged), losses before or
// behind the capture point with duplicate ACKs, SACK blocks and the retransmission one round trip
// later, FIN in both directions.
class Flow {
 public:
  // `budget`: packets it will write in all, at least 10. `start`: microseconds.
  Flow(std::uint64_t number, std::uint64_t budget, std::int64_t start, Random random);

  [[nodiscard]] std::int64_t next_time() const { return next_time_; }
  [[nodiscard]] bool done() const { return left_ == 0; }

  // Writes exactly one packet.
  void step(PacketWriter& writer);

 private:
  enum class Phase : std::uint8_t {
    syn,
    syn_ack,
    ack,
    request,
    data,
    server_fin,
    client_fin,
    last_ack
  };

  Packet make(bool from_server, std::uint8_t flags) const;
  void send_syn(PacketWriter& writer);
  void send_syn_ack(PacketWriter& writer);
  void send_plain(PacketWriter& writer, Phase then, bool from_server, std::uint8_t flags,
                  std::int64_t wait);
  void send_request(PacketWriter& writer);
  void schedule_arrival(std::int64_t time);
  void plan_next();
  void data_step(PacketWriter& writer);
  void arrival(PacketWriter& writer);
  void send_data(PacketWriter& writer, std::uint32_t seq);
  void send_repair(PacketWriter& writer);
  void send_ack(PacketWriter& writer);
  void send_server_fin(PacketWriter& writer);
  void send_client_fin(PacketWriter& writer);

  Endpoints ends_{};
  std::uint64_t left_;
  std::int64_t next_time_;
  Random random_;
  Phase phase_ = Phase::syn;
  std::int64_t rtt_ = 0, spacing_ = 0, last_arrival_ = 0;
  std::int64_t ack_due_ = -1, repair_due_ = -1;
  std::uint32_t window_ = 0, client_seq_ = 0, server_seq_ = 0, acked_ = 0, clock_offset_ = 0;
  std::uint32_t congestion_window_ = 10, unacked_ = 0, duplicate_acks_ = 0, hole_seq_ = 0;
  bool hole_ = false;
  std::deque<std::int64_t> arrivals_;
};

}  // namespace rwin::bench
