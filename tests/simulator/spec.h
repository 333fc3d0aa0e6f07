// Parameters of one simulated transfer. Rates are bytes a second, sizes bytes.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "tests/simulator/clock.h"

namespace rwin::sim {

enum class Place : std::uint8_t { sender, middle, receiver };
inline constexpr int kPlaces = 3;

// The sending program.
struct ApplicationSpec {
  enum class Kind : std::uint8_t {
    bulk,     // writes as fast as the socket takes it
    chunks,   // writes `chunk` every `every`
    answers,  // writes `chunk` for each request; the peer asks again `every` after it has the
              // answer
  };
  Kind kind = Kind::bulk;
  std::int64_t total = 2'000'000;
  std::int64_t chunk = 0;
  Time every = 0;
};

struct SenderSpec {
  int initial_cwnd = 10;                // segments
  bool cubic = true;                    // else reno
  bool hystart = true;                  // slow start ends when the round trip grows
  std::int64_t send_buffer = 16 << 20;  // what may wait or be under way
  double pace = 0;                      // 0: not paced
  bool fill_edge = false;     // the last segment of a burst is cut to what the window leaves
  bool idle_restart = false;  // congestion window starts anew after a pause
  std::optional<std::uint8_t> scale = 7;
};

struct ReceiverSpec {
  std::int64_t buffer = 4 << 20;
  std::int64_t grow_to = 0;  // autotuned up to here; 0: fixed
  std::optional<std::uint8_t> scale = 7;
  double reader = 0;  // speed of the reading program; 0: reads at once
  Time pause_every = 0, pause_for = 0;
  int ack_every = 2;  // segments
  Time ack_delay = 40 * kMs;
  Time batch = 0;  // packets that come within this are taken as one (interrupts, GRO)
};

// One way of the path. The bottleneck (rate, queue, loss) stands before or behind the middle.
struct WaySpec {
  double rate = 0;  // 0: no bottleneck
  std::int64_t queue = 1 << 20;
  double loss = 0;
  double reorder = 0;  // share of packets that take `reorder_by` longer
  Time reorder_by = 0;
  double duplicate = 0;
  Time jitter = 0;  // up to that much longer, in order
};

// A box beside the data receiver.
struct BoxSpec {
  bool strip_receiver_scale = false;  // takes the option out of the receiver's SYN or SYN-ACK
  bool strip_sender_scale = false;
  bool zero_receiver_shift = false;  // leaves the option, sets its shift to 0
  std::int64_t clamp = 0;  // caps the window the receiver advertises (bytes, scaled); 0: does not
};

struct RecordingSpec {
  bool offload = false;  // super-segments at the ends
  Time jitter = 0;       // of the stamps
  bool cut_handshake = false;
};

struct Spec {
  std::string kind;
  std::uint64_t seed = 0;
  bool upload = false;  // the sender opens the connection
  std::uint16_t mss = 1460;
  bool timestamps = true, sack = true;
  Time delay = 10 * kMs;      // one way, both ways alike
  double middle = 0.5;        // where the middle is, from the sender
  bool narrow_first = false;  // the bottleneck of the data lies before the middle
  ApplicationSpec application;
  SenderSpec sender;
  ReceiverSpec receiver;
  WaySpec data, acks;
  BoxSpec box;
  RecordingSpec recording;

  [[nodiscard]] std::int64_t segment() const { return mss - (timestamps ? 12 : 0); }
  [[nodiscard]] Time base_rtt() const { return 2 * delay; }
};

}  // namespace rwin::sim
