// The figures of one data direction, computed slowly from the whole list of packets, as METHOD
// words them. Shares no code with the engine.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "tests/reference/conversation.h"

namespace rwin::reference {

// A data segment of the sender, numbers unwrapped.
struct Data {
  std::int64_t t = 0, start = 0, end = 0;
  std::int64_t sent_before = 0;  // highest end before it
  bool probe = false;            // window probe or keep-alive
  bool again = false;            // retransmission
  bool reordered = false;
  std::size_t acks_before = 0;  // in Figures::acks
};

// What the receiver said.
struct Ack {
  std::int64_t t = 0, ack = 0;
  std::uint32_t field = 0;
  bool unscaled = false;  // of a SYN
  bool carries_data = false;
  bool repeats = false;         // the same ACK and window as before, with nothing under way
  std::size_t data_before = 0;  // data segments before it, probes left out
};

struct Figures {
  std::vector<Data> data;
  std::vector<Ack> acks;

  std::int64_t origin = 0, highest = 0;
  std::uint64_t bytes = 0, wire_bytes = 0;
  std::uint64_t segments = 0, retransmitted = 0, reordered = 0, pushed = 0;
  std::uint64_t probes = 0, keep_alives = 0, ack_count = 0;
  std::uint64_t gap_bytes = 0;  // acknowledged, never captured
  std::int64_t first_data_us = 0, duration_us = 0;

  std::uint64_t zero_count = 0, zero_episodes = 0;
  std::int64_t zero_us = 0;
  std::uint32_t field_max = 0;
};

// `sender`: side whose data is looked at.
Figures figures(const Conversation& c, int sender);

// Windows in bytes, given the shift.
struct Windows {
  std::optional<std::int64_t> low, high, first, median;
  std::uint64_t shrunk_count = 0, shrunk_bytes = 0;
};
Windows windows(const Figures& f, std::uint8_t shift);

// ---- the window test

constexpr std::int64_t kAlways = -1;        // since before the first ACK seen
constexpr std::int64_t kNever = INT64_MAX;  // beyond the edge

struct Edge {
  std::int64_t t = 0, edge = 0;
};
// The right edge as a sender keeps it that hears the first `count` acks, one entry for each that
// counted.
std::vector<Edge> edges(const Figures& f, std::size_t count, std::uint8_t shift);
// Since when has data up to `end` been permitted?
std::int64_t permitted_since(const std::vector<Edge>& edges, std::int64_t end);
// Acks that a sender knew which sent `d`, when an ACK takes `d_s` from the capture point to the
// sender and its answer back.
std::size_t known_acks(const Figures& f, const Data& d, std::int64_t d_s);
// Flight behind `d`: highest sequence sent less the highest cumulative ACK known; nullopt when none
// was known.
std::optional<std::int64_t> flight(const Figures& f, const Data& d, std::int64_t d_s);
// Edge known less the end of the segment; nullopt when no edge was known.
std::optional<std::int64_t> headroom(const Figures& f, const Data& d, std::int64_t d_s,
                                     std::uint8_t shift);

}  // namespace rwin::reference
