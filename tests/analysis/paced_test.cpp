// A server that caps its rate, as a busy host shows it: ACKs that come late raise the flight, and
// nothing else grows.
#include <gtest/gtest.h>

#include "engine_helpers.h"

namespace rwin::test {
namespace {

using analysis::Limit;
using analysis::Segment;

constexpr std::int64_t kOneWayUs = 15 * kMs;
constexpr std::uint32_t kMss = 1448;
constexpr std::int64_t kGapUs = 1'810;  // 6.4 Mbit/s

// A download beside the client; each `every`-th ACK comes `late_us` late, with those behind it.
std::vector<Segment> capped_download(const Talk& talk, int segments, int every,
                                     std::int64_t late_us) {
  std::vector<Segment> out;
  const auto clock = [](std::int64_t t) { return static_cast<std::uint32_t>(1000 + t / kMs); };
  out.push_back(talk.client(0).syn().mss(1460).wscale(7).sack_permitted().ts(clock(0), 0));
  out.push_back(talk.server(2 * kOneWayUs)
                    .syn()
                    .ack(1)
                    .mss(1460)
                    .wscale(7)
                    .sack_permitted()
                    .ts(clock(kOneWayUs), clock(0)));
  const std::int64_t begin = 2 * kOneWayUs + kMs;
  out.push_back(talk.client(begin).seq(1).len(100).push().ack(1).win(4000).ts(clock(begin),
                                                                              clock(kOneWayUs)));
  std::int64_t ready = 0;                                   // when the client's host runs again
  std::vector<std::pair<std::int64_t, std::int64_t>> acks;  // when, what
  std::size_t sent = 0;
  std::size_t known = 0;
  for (int i = 0; i < segments; ++i) {
    const std::int64_t t = begin + 2 * kOneWayUs + i * kGapUs;
    for (; sent < acks.size() && acks[sent].first <= t; ++sent) {
      const auto& [when, what] = acks[sent];
      out.push_back(
          talk.client(when).seq(101).ack(what).win(4000).ts(clock(when), clock(when - kOneWayUs)));
    }
    // The newest ACK that the server has: its time stamp comes back.
    while (known < acks.size() && acks[known].first <= t - 2 * kOneWayUs) ++known;
    const std::int64_t echo = known > 0 ? acks[known - 1].first : begin;
    out.push_back(talk.server(t)
                      .seq(1 + static_cast<std::int64_t>(i) * kMss)
                      .len(kMss)
                      .ack(101)
                      .win(500)
                      .ts(clock(t - kOneWayUs), clock(echo)));
    if (every > 0 && i % every == every - 1) ready = t + late_us;
    if (i % 2 == 1)
      acks.emplace_back(std::max(t + 20, ready), 1 + static_cast<std::int64_t>(i + 1) * kMss);
  }
  return out;
}

void expect_capped(int every, std::int64_t late_us) {
  SCOPED_TRACE(testing::Message() << "each " << every << ", " << late_us << " us late");
  for (const std::uint32_t isn : kIsns) {
    for (const int segments : {1'100, 2'800}) {  // two and five seconds
      const auto results = analyse(capped_download(Talk(isn), segments, every, late_us));
      const analysis::DirectionResult& d = *from_server(results[0]);
      EXPECT_EQ(d.limit, Limit::sender_paced);
      const std::int64_t all = d.duration_us;
      EXPECT_GE(share_us(d, Limit::sender_paced) * 10, all * 9);
      EXPECT_LE(share_us(d, Limit::slow_start) * 20, all);
      EXPECT_LE(share_us(d, Limit::sender_buffer) * 20, all);
    }
  }
}

TEST(Paced, ACapOnTheRateIsOne) { expect_capped(0, 0); }

TEST(Paced, LateAcknowledgementsAreNoSlowStart) {
  expect_capped(400, 12 * kMs);
  expect_capped(150, 12 * kMs);
}

}  // namespace
}  // namespace rwin::test
