// What the analysis says of each connection: values only, no pointers into live state.
// rules/ turns it into verdicts and advice, app/ and tui/ print it. Unknown is std::nullopt, never
// 0.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include "analysis/limit.h"
#include "analysis/segment.h"

namespace rwin::analysis {

// Who is client, by what evidence (best first).
enum class RoleFrom : std::uint8_t { syn, syn_ack, ports, first_packet };
enum class End : std::uint8_t { fin, rst, open, expired };
enum class Place : std::uint8_t { client, server, middle, unknown };
enum class RttMethod : std::uint8_t { none, timestamps, seq_ack, handshake, release_lag };
enum class CapacityFrom : std::uint8_t { none, dispersion, delivery_rate };

// What one end offered in its SYN or SYN-ACK, as seen at the capture point.
struct HandshakeSide {
  bool seen = false;  // this end's SYN or SYN-ACK was captured
  Tri<std::uint16_t> mss;
  Tri<std::uint8_t> window_scale;  // above 14 reads 14 (RFC 7323 2.3)
  Tri<bool> sack;
  Tri<bool> timestamps;
  // For the fingerprint; valid when seen.
  std::uint16_t window = 0;  // raw, never scaled in a SYN
  std::uint8_t ttl = 0;
  bool dont_fragment = false;
  std::uint16_t ip_id = 0;
  bool options_cut = false;
  std::uint8_t option_kind_count = 0;
  std::array<std::uint8_t, kMaxOptionKinds> option_kinds{};
  std::uint8_t repeats = 0;  // further SYNs of the same number
};

struct WindowScale {
  Presence state =
      Presence::unknown;   // known: shift in force; absent: no scaling in force; unknown
  std::uint8_t shift = 0;  // valid when known
  bool inferred = false;   // known from the data, not from the handshake
};

struct TimelinePiece {
  std::int64_t start_us = 0;  // from the connection's first packet
  std::int64_t duration_us = 0;
  Limit limit = Limit::unknown;
};

// What happened in one step of a direction's charts. nullopt: nothing to see in it.
struct SamplePoint {
  std::optional<std::uint32_t> window_low, window_high;  // advertised, scaled bytes
  std::optional<std::uint32_t> flight_high;              // bytes, as the sender sees it
  std::optional<std::uint32_t> rtt_low_us, rtt_high_us;
  std::uint64_t bytes = 0;   // newly acknowledged (captured where no ACK was)
  std::uint32_t resent = 0;  // segments
};

// Sequence numbers in the same step, in bytes from the direction's first: the time-sequence view.
// nullopt: nothing to see in it.
struct SequencePoint {
  std::optional<std::uint64_t> sent_low, sent_high;    // from the first to behind the last byte
  std::optional<std::uint64_t> again_low, again_high;  // of what was sent again
  std::optional<std::uint64_t> acked;                  // highest acknowledgement so far
  std::optional<std::uint64_t> edge_low, edge_high;    // right edge: what the receiver allows
};

// Steps of `step_us` from the connection's first packet on. Empty unless
// EngineOptions::sample_points asks for it.
struct SampleSeries {
  std::int64_t step_us = 0;
  std::vector<SamplePoint> points;
  std::vector<SequencePoint> sequence;  // as many; empty unless sample_sequence asks for it
};

// One direction of data: `from_client` says who sends it. Exists when data was seen or
// acknowledged.
struct DirectionResult {
  bool from_client = false;

  // Volume (bytes: unique sequence space; wire_bytes: payload of all captured segments).
  std::uint64_t bytes = 0;
  std::uint64_t wire_bytes = 0;
  std::int64_t first_data_us = 0;  // from the connection's first packet
  std::int64_t duration_us =
      0;  // first data to the last ACK of data (or last data when no ACK was seen)
  std::optional<double> goodput_bps;
  std::uint64_t segments = 0;  // captured data segments, retransmissions included
  std::uint64_t retransmitted_segments = 0;
  std::uint64_t retransmitted_bytes = 0;
  std::uint64_t spurious_segments =
      0;  // retransmissions of what had already arrived (D-SACK or already acknowledged)
  std::uint64_t dsacks = 0;  // reports of the receiver that it got something twice (RFC 2883)
  std::uint64_t reordered_segments = 0;
  std::uint64_t keep_alives = 0;
  std::uint64_t window_probes = 0;
  std::uint64_t unanswered_probes = 0;
  std::uint64_t timeouts = 0;  // retransmissions after silence, not after duplicate ACKs
  // New segments above and up to the MSS, and how many of each were sent again: a box on the way
  // may lose only the large ones.
  std::uint64_t large_segments = 0, large_again = 0, plain_segments = 0, plain_again = 0;
  std::uint64_t capture_gap_bytes = 0;  // acknowledged but never captured
  std::uint64_t acks = 0;               // segments with ACK that the receiver sent
  std::uint64_t pushed_segments = 0;    // data segments with PSH
  std::uint64_t short_segments = 0;     // data segments below the MSS in use
  std::uint32_t mss =
      0;  // payload bytes of a full segment in use (never from offloaded super-segments); 0 unknown
  std::uint32_t largest_payload = 0;          // largest captured payload: above mss with offload
  bool data_seen = false, acks_seen = false;  // one-sided captures lack one
  std::int64_t longest_stall_us =
      0;  // longest time without progress while data was outstanding or waiting
  std::int64_t longest_stall_at_us = 0;  // its start, from the connection's first packet
  Limit longest_stall_limit = Limit::unknown;

  // Round trip, sender to receiver and back, microseconds.
  std::optional<std::int64_t> rtt_base_us, rtt_p50_us, rtt_p90_us, rtt_p99_us;
  std::uint64_t rtt_samples = 0;
  RttMethod rtt_method = RttMethod::none;
  std::optional<std::int64_t>
      sender_side_rtt_us;  // capture point to sender and back (d_S), smallest
  std::optional<std::int64_t>
      receiver_side_rtt_us;  // capture point to receiver and back (d_R), smallest

  // The receiver's advertised window (segments with ACK, without SYN and RST).
  WindowScale scale;
  std::optional<std::uint64_t> window_max, window_p50,
      window_min;                             // scaled bytes; nullopt while the scale is unknown
  std::uint32_t window_field_max = 0;         // raw field, without scale
  std::optional<std::uint64_t> window_first;  // first advertised after the handshake
  std::uint64_t zero_window_count = 0;
  std::int64_t zero_window_us = 0;
  std::uint64_t zero_window_episodes = 0;
  std::int64_t window_max_at_us =
      0;  // when it first came within 5 % of its maximum, from first_data
  bool window_still_growing = false;  // it grew until the end while it was the limit
  // The longest time for which the window, zero included, stayed at or below a quarter of the
  // largest before it; 0: it never did.
  std::int64_t low_window_us = 0;
  std::int64_t low_window_at_us = 0;   // its start, from the connection's first packet
  std::uint64_t low_window_acked = 0;  // bytes acknowledged meanwhile
  std::uint32_t low_window_field = 0;  // largest raw field meanwhile
  std::uint64_t shrunk_count = 0;      // right edge moved left beyond one scale unit
  std::uint64_t shrunk_bytes = 0;      // largest such step

  // In flight as the sender sees it (shifted by d_S).
  std::optional<std::uint64_t> flight_p50, flight_max;
  std::optional<double> capacity_bps;  // of the path, payload bits
  CapacityFrom capacity_from = CapacityFrom::none;

  // Time. Shares are sums of the timeline divided by the connection's length.
  std::array<std::int64_t, kLimitCount> limit_us{};
  std::vector<TimelinePiece> timeline;
  SampleSeries samples;
  std::optional<std::int64_t> busy_us;  // data outstanding or waiting behind a closed window
  std::optional<std::int64_t>
      blocked_us;  // of that, held by the advertised window; nullopt where it cannot be known
  // Medians over the blocked time.
  std::optional<std::uint64_t> blocked_window;
  std::optional<std::int64_t> blocked_rtt_us;
  std::optional<double> blocked_rate_bps;  // goodput while blocked
  // Largest class, handshake and closing left out; unknown when nothing else.
  Limit limit = Limit::unknown;
  Limit next_limit = Limit::unknown;  // second largest
  double confidence = 0;              // 0..1, from the quality of the evidence
};

// What the recording did to the packets: of one connection, or of the whole input.
struct CaptureQuality {
  std::uint64_t duplicates = 0;         // the same packet recorded again
  std::uint64_t routed_duplicates = 0;  // of these: at another hop, or in a tunnel and out of it
  std::uint64_t out_of_order = 0;       // stamped a little earlier than the record before
  std::uint64_t effect_first = 0;  // before what they answer: ACK before data, echo before stamp
  std::uint64_t clock_steps = 0;   // the clock was set back
  std::uint64_t wild_stamps = 0;   // single records far from those around them
  std::uint64_t gap_bytes = 0;     // acknowledged, never captured

  CaptureQuality& operator+=(const CaptureQuality& other);
};

// Between which addresses a connection's tunnel runs.
struct TunnelEnds {
  Address client, server;  // the end that the client's packets come from, and the other one
};

struct ConnectionResult {
  std::uint64_t id = 0;  // from 1, in order of the first packet
  Endpoint client, server;
  std::int64_t start_ns = 0, end_ns = 0;  // 1970 UTC
  RoleFrom role_from = RoleFrom::first_packet;
  End end = End::open;
  bool syn_seen = false, syn_ack_seen = false;
  HandshakeSide client_offer, server_offer;
  bool multipath = false, fast_open = false;
  Tunnel tunnel = Tunnel::none;  // of the first packet that was in one
  Place place = Place::unknown;
  std::shared_ptr<const TunnelEnds> tunnel_ends;  // with a tunnel

  std::optional<std::int64_t> client_side_rtt_us,
      server_side_rtt_us;  // capture point to that end and back

  std::uint64_t packets = 0;
  CaptureQuality quality;
  std::uint32_t reset_by_client = 0, reset_by_server = 0;
  std::vector<DirectionResult>
      directions;  // 0 to 2, the one from the server first when it carried more
};

// Counters of the whole input that only the analysis knows.
struct EngineCounters {
  std::uint64_t segments = 0;
  CaptureQuality quality;
  std::uint64_t flows_evicted = 0;  // dropped because the table was full
};

}  // namespace rwin::analysis
