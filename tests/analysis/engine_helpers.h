// Runs segments through an engine.
#pragma once

#include <cstdint>
#include <utility>
#include <vector>

#include "analysis/engine.h"
#include "tests/support/segment_builder.h"

namespace rwin::test {

inline std::vector<analysis::ConnectionResult> finish(analysis::Engine& engine) {
  std::vector<analysis::ConnectionResult> out;
  engine.finish([&](analysis::ConnectionResult&& r) { out.push_back(std::move(r)); });
  return out;
}

inline std::vector<analysis::ConnectionResult> analyse(
    const std::vector<analysis::Segment>& segments, analysis::EngineOptions options = {}) {
  analysis::Engine engine(std::move(options));
  std::uint64_t record = 0;
  for (analysis::Segment s : segments) {
    s.record = ++record;
    engine.add(s);
  }
  return finish(engine);
}

// The SYN of a host to the usual server.
inline analysis::Segment syn(std::uint32_t host, std::uint16_t port, std::int64_t t) {
  Talk talk;
  talk.client_end = endpoint4(host, port);
  return talk.client(t).syn().mss(1460).wscale(7);
}

// The direction whose data the server (or the client) sends; nullptr when there is none.
inline const analysis::DirectionResult* from_server(const analysis::ConnectionResult& c) {
  for (const analysis::DirectionResult& d : c.directions) {
    if (!d.from_client) return &d;
  }
  return nullptr;
}

inline std::int64_t share_us(const analysis::DirectionResult& d, analysis::Limit l) {
  return d.limit_us[static_cast<std::size_t>(l)];
}

// A download held by a window of `window` bytes, recorded beside the client: `rounds` round trips
// of 100 ms.
inline std::vector<analysis::Segment> window_limited(const Talk& talk, int rounds,
                                                     std::uint8_t shift = 0,
                                                     std::uint32_t window = 29'200,
                                                     bool handshake = true) {
  std::vector<analysis::Segment> out;
  std::uint32_t server_clock = 0xfffffff0;
  if (handshake) {
    out.push_back(
        talk.client(0).syn().mss(1460).wscale(shift).sack_permitted().ts(1, 0).win(29'200));
    out.push_back(talk.server(100 * kMs).syn().ack(1).mss(1460).wscale(7).sack_permitted().ts(
        server_clock, 1));
    out.push_back(talk.client(100 * kMs + 10)
                      .seq(1)
                      .ack(1)
                      .ts(101, server_clock)
                      .win(static_cast<std::uint16_t>(window >> shift)));
    out.push_back(talk.client(101 * kMs)
                      .seq(1)
                      .ack(1)
                      .len(100)
                      .push()
                      .ts(102, server_clock)
                      .win(static_cast<std::uint16_t>(window >> shift)));
  }
  const int segments = static_cast<int>(window) / 1448;
  std::int64_t seq = 1;
  for (int r = 0; r < rounds; ++r) {
    // What the ACKs of one round trip release comes 100 ms later, two segments for each ACK, 120 us
    // apart.
    for (int k = 0; k < segments; k += 2) {
      const std::int64_t t = (r + 2) * 100 * kMs + 1 * kMs + k * 120;
      const auto echo = static_cast<std::uint32_t>(r == 0 ? 102 : 1000 + r * 100 + k - 100);
      server_clock =
          static_cast<std::uint32_t>(0xfffffff0U + 100U + static_cast<std::uint32_t>(r * 100));
      for (int j = 0; j < 2 && k + j < segments; ++j) {
        out.push_back(talk.server(t + j * 20).seq(seq).len(1448).ack(101).ts(server_clock, echo));
        seq += 1448;
      }
      out.push_back(talk.client(t + 30)
                        .seq(101)
                        .ack(seq)
                        .ts(static_cast<std::uint32_t>(1000 + r * 100 + k), server_clock)
                        .win(static_cast<std::uint16_t>(window >> shift)));
    }
  }
  return out;
}

}  // namespace rwin::test
