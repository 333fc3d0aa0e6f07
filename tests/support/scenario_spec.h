// A scenario as data: what its text says, before it is played.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <stdexcept>
#include <string>
#include <vector>

#include "analysis/segment.h"

namespace rwin::test {

enum class View : std::uint8_t { client, middle, server };
std::string word(View view);

// A mistake in the scenario file; what() begins with "file:line: ".
class ScenarioError : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

// One host as the header describes it.
struct HostSpec {
  analysis::Endpoint end;
  std::optional<std::uint16_t> mss;
  std::optional<std::uint8_t> wscale;
  bool sack = false, timestamps = false;
  std::int64_t clock_ns = 1'000'000;  // tick of its time stamps
  std::int64_t window = 65535;        // bytes it advertises until a line says otherwise
  std::int64_t offload = 0;  // largest super-segment that it hands to its interface, 0: none
  std::uint8_t ttl = 64;
  bool ip_ids = true;  // counts its packets in the IP identification
};

// The way from one host to the other.
struct WaySpec {
  std::int64_t delay_ns = 0;
  double rate_bps = 0;            // bottleneck for payload and TCP/IP headers; 0: none told
  std::int64_t queue_bytes = -1;  // before the bottleneck; -1: as long as it takes
};

struct PacketSpec {
  int line = 0;
  int side = 0;  // 0 client, 1 server
  std::uint8_t flags = 0;
  std::int64_t len = 0;
  std::optional<std::int64_t> seq, ack, ack_step, window_bytes;
  std::optional<std::uint16_t> window_field, ip_id;
  std::optional<std::uint32_t> tsval, tsecr;
  bool with_ts = true;
  bool options_cut = false;
  std::optional<std::uint16_t> mss;
  std::optional<int> wscale, boxed_wscale;  // -1: none
  bool without_mss = false;
  bool probe = false;  // the byte before the next, none of it sent: window probe and keep-alive
  std::vector<std::array<std::int64_t, 2>> sack;
  bool auto_sack = true;
  bool lost = false, lost_early = false, uncaptured = false, twice = false, again = false;
  std::int64_t late_ns = 0;   // recorded that much later than it passed
  std::int64_t stamp_ns = 0;  // time stamp wrong by that much, order of records kept
  std::int64_t slow_ns = 0;   // overtaken on the way: takes that much longer
  int count = 1;              // "x 23"
  std::int64_t every_ns = 0;  // between those
};

// "transfer": a closed loop of sender, way and receiver.
struct TransferSpec {
  int line = 0;
  int side = 1;  // who sends
  std::int64_t bytes = 0;
  std::int64_t first_cwnd = 10;     // segments
  std::int64_t most_in_flight = 0;  // send buffer, 0: none
  double pace = 0;                  // bytes a second, evenly spaced, 0: not paced
  std::int64_t chunk = 0;           // the program writes that much ...
  std::int64_t chunk_every_ns = 0;  // ... this often; 0: all at once
  bool idle_restart = false;        // congestion window back to the first after an idle RTO
  std::int64_t drop_every = 0;      // every n-th new segment is lost
  std::vector<std::int64_t> drop;   // these new segments are lost, from 1
  bool drop_early = false;          // before the middle, not behind it
  bool push = false;                // PSH on every segment
  // Of the sender's segments, evenly spread by chance: not recorded, recorded late, slow on the
  // way.
  double unrecorded = 0, late = 0, slow = 0;
  double doubled = 0;  // arrive twice: the way behind the middle doubles them
  std::int64_t late_ns = 0, slow_ns = 0;
  bool twice = false;  // every packet of both sides is recorded twice
  // Receiver.
  int ack_every = 2;
  std::int64_t ack_delay_ns = 40'000'000;
  double reader = 0;                            // bytes a second that the program reads, 0: at once
  std::int64_t pause_at_ns = -1, pause_ns = 0;  // the reader stops for a while
  std::int64_t grow_to = 0;  // the window doubles every grow_every up to this, 0: it stays
  std::int64_t grow_every_ns = 0;
};

struct Item {
  enum class Kind : std::uint8_t { packet, repeat, transfer };
  Kind kind = Kind::packet;
  bool absolute = false;  // at_ns counts from the start of the scenario, else from the item before
  std::int64_t at_ns = 0;
  PacketSpec packet;
  TransferSpec transfer;
  int times = 1;              // repeat
  std::int64_t every_ns = 0;  // repeat
  std::vector<Item> items;    // repeat
};

// One connection: its hosts, the way between them and what they send.
struct Conversation {
  std::array<HostSpec, 2> hosts;
  std::array<WaySpec, 2> ways;  // from the client, from the server
  bool turned =
      false;  // recorded at its server where others are at their client, and the other way
  std::vector<std::vector<Item>> tracks;
};

struct Expectation {
  int line = 0;
  std::optional<View> view;
  std::optional<std::size_t> connection;  // from 0; none: each
  std::optional<analysis::Address> host;  // what is said of this host, not of a connection
  std::optional<bool> from_client;        // direction of data; none: the one with more bytes
  std::string figure;                     // "window max"
  std::vector<std::string> words;         // what it must be
};

struct Scenario {
  std::string file;
  std::string title;
  std::vector<Conversation> connections;
  std::vector<View> views;
  std::int64_t clock_step_ns = 0, clock_step_at_ns = 0;  // of the recording host
  std::int64_t recorded_from_ns = 0;                     // recording begins then
  std::vector<Expectation> expectations;
  [[nodiscard]] std::string place_of_line(int line) const {
    return file + ":" + std::to_string(line);
  }
};

}  // namespace rwin::test
