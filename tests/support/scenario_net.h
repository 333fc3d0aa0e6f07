// The two hosts and the way between them, as a scenario is played. Inside tests/support only.
// Sequence numbers are 64 bits and relative to the initial ones (SYN 0, first byte 1); time is
// nanoseconds.
#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <map>
#include <queue>
#include <vector>

#include "tests/support/scenario.h"

namespace rwin::test {

struct Packet {
  int side = 0;
  std::uint8_t flags = 0;
  std::int64_t seq = 0, ack = 0, len = 0;
  std::uint16_t window = 0, ip_id = 0;
  bool ts = false, options_cut = false;
  std::uint32_t tsval = 0, tsecr = 0;
  std::optional<std::uint16_t> mss;
  std::optional<std::uint8_t> wscale,
      boxed_wscale;  // as sent; as it leaves the box beside the client
  bool sack_permitted = false;
  std::vector<std::array<std::int64_t, 2>> sack;
  [[nodiscard]] std::int64_t end() const { return seq + len; }
  [[nodiscard]] bool has(std::uint8_t bit) const { return (flags & bit) != 0; }
};

// What befalls a packet on the way and in the capture.
struct Fate {
  bool lost = false, lost_early = false, uncaptured = false, twice = false;
  bool doubled = false;  // arrives twice
  bool spaced = false;   // by the time on a link, also where the scenario names no rate
  std::int64_t late_ns = 0, stamp_ns = 0, slow_ns = 0;
};

// One host's TCP, as far as a scenario needs it.
struct Host {
  HostSpec spec;
  std::uint32_t isn = 0, clock_base = 0;
  std::int64_t window = 0;             // bytes to advertise
  std::optional<std::uint16_t> field;  // a raw field that a line has set
  int shift = 0;                       // of its own windows, once both SYNs went by
  int peer_shift = 0;
  std::optional<std::uint8_t> sent_wscale;
  std::int64_t sent = 0;                        // next sequence number
  std::int64_t acked = 0;                       // by the peer
  std::int64_t peer_window = 0, peer_edge = 0;  // as the peer has told
  std::int64_t edge = 0;                        // furthest that it has told the peer
  std::int64_t received = 0;                    // next number expected
  std::int64_t last_ack = 0;                    // sent
  std::uint32_t ts_recent = 0;
  std::uint16_t next_id = 1;
  bool established = false;
  std::map<std::int64_t, std::int64_t> beyond;         // out of order: left -> right
  std::vector<std::array<std::int64_t, 2>> newest;     // SACK blocks, newest first
  std::vector<std::array<std::int64_t, 2>> duplicate;  // D-SACK that is owed

  // Returns true when the packet was out of order or old.
  bool arrive(const Packet& p);
  void take_data(std::int64_t left, std::int64_t right);
  [[nodiscard]] std::uint32_t clock(std::int64_t now) const {
    return clock_base + static_cast<std::uint32_t>(now / spec.clock_ns);
  }
};

class Net {
 public:
  Net(const Scenario& scenario, const Conversation& talk, View view, std::uint32_t isn);

  [[nodiscard]] std::int64_t now() const { return now_; }
  Host& host(int side) { return hosts_[static_cast<std::size_t>(side)]; }
  [[nodiscard]] const WaySpec& way(int from) const {
    return talk_.ways[static_cast<std::size_t>(from)];
  }
  [[nodiscard]] std::int64_t mss() const;  // payload of a full segment
  void at(std::int64_t time, std::function<void()> what);
  void run();

  // A packet with what the host would fill in: numbers, window, time stamps, SACK.
  [[nodiscard]] Packet fresh(int side, std::uint8_t flags, std::int64_t len);
  [[nodiscard]] Packet from_spec(const PacketSpec& spec);
  void send(const Packet& packet, const Fate& fate = {});

  std::vector<std::function<void(const Packet&, bool odd)>>
      listeners;  // after a packet has arrived
  std::vector<analysis::Segment> take_records();

 private:
  struct Event {
    std::int64_t time;
    std::uint64_t order;
    std::function<void()> what;
    bool operator<(const Event& o) const {
      return time != o.time ? time > o.time : order > o.order;
    }
  };
  struct Record {
    std::int64_t time, order, stamp;
    Packet packet;
    bool boxed;
  };
  void travel(const Packet& packet, const Fate& fate);
  void arrived(const Packet& packet, const Fate& fate);
  void record(View view, std::int64_t time, const Packet& packet, const Fate& fate);
  [[nodiscard]] analysis::Segment segment(const Record& r) const;

  const Scenario& scenario_;
  const Conversation& talk_;
  View view_;
  std::int64_t now_ = 0;
  std::uint64_t order_ = 0;
  std::array<Host, 2> hosts_;
  std::array<std::int64_t, 2> free_at_{};  // the bottleneck of each way
  std::priority_queue<Event> events_;
  std::vector<Record> records_;
};

}  // namespace rwin::test
