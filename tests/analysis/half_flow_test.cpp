// What a segment is: new, sent again, overtaken, probe, keep-alive, missing in the capture. At five
// initial numbers.
#include "analysis/half_flow.h"

#include <gtest/gtest.h>

#include <vector>

#include "tests/support/segment_builder.h"

namespace rwin::test {
namespace {

namespace event = analysis::event;
using analysis::Event;
using analysis::HalfFlow;

// Data from the server, ACKs from the client.
class HalfFlowTest : public testing::TestWithParam<std::uint32_t> {
 protected:
  void handshake() {
    half.on_receiver_syn(64000, 0);
    half.on_syn(GetParam());
  }
  void data(const Line& line) {
    const analysis::Segment s = line;
    half.on_data(s, (s.time_ns - kEpochNs) / 1000, 0, pool);
  }
  void ack(const Line& line) {
    const analysis::Segment s = line;
    half.on_ack(s, (s.time_ns - kEpochNs) / 1000, 0, pool);
  }
  std::vector<Event> events() {
    std::vector<Event> out;
    half.log().drain(pool, [&](const Event& e) { out.push_back(e); });
    return out;
  }
  [[nodiscard]] std::uint64_t bytes() const {
    return static_cast<std::uint64_t>(half.next() - half.origin());
  }
  const analysis::HalfFlowCounters& count() { return half.counters(); }

  Talk talk{7, GetParam()};
  HalfFlow half;
  analysis::EventPool pool;
};
INSTANTIATE_TEST_SUITE_P(Isn, HalfFlowTest, testing::ValuesIn(kIsns));

TEST_P(HalfFlowTest, NewDataAdvances) {
  handshake();
  data(talk.server(1 * kMs).seq(1).len(1000).ack(1));
  data(talk.server(2 * kMs).seq(1001).len(500).ack(1).push());
  ack(talk.client(3 * kMs).seq(1).ack(1501).win(100));
  EXPECT_EQ(bytes(), 1500U);
  EXPECT_EQ(half.acked(), half.next());
  EXPECT_EQ(count().segments, 2U);
  EXPECT_EQ(count().wire_bytes, 1500U);
  EXPECT_EQ(count().pushed, 1U);
  EXPECT_EQ(count().retransmitted_segments, 0U);
  EXPECT_EQ(count().gap_bytes, 0U);
  const auto e = events();
  ASSERT_EQ(e.size(), 4U);  // the SYN's window, two data, one ACK
  EXPECT_EQ(e[0].flags, event::kAck | event::kUnscaled);
  EXPECT_EQ(e[0].amount, 64000U);
  EXPECT_EQ(e[0].seq, half.origin());
  EXPECT_EQ(e[2].seq - e[1].seq, 500);
  EXPECT_TRUE(e[2].flags & event::kPush);
  EXPECT_EQ(e[3].seq, e[2].seq);
  EXPECT_EQ(e[3].amount, 100U);
}

TEST_P(HalfFlowTest, GoesOnPastTwoWrapArounds) {
  handshake();
  std::int64_t at = 1;
  for (int i = 0; i < 9'000; ++i) {  // 9.4 GB in super-segments
    data(talk.server(i * kMs).seq(at).len(1U << 20).ack(1));
    at += 1 << 20;
    ack(talk.client(i * kMs + 1).seq(1).ack(at).win(1000));
  }
  EXPECT_EQ(bytes(), std::uint64_t{9'000} << 20);
  EXPECT_EQ(half.acked(), half.next());
  EXPECT_EQ(count().retransmitted_segments, 0U);
  EXPECT_EQ(count().gap_bytes, 0U);
  const auto e = events();
  ASSERT_EQ(e.size(), 18'001U);
  EXPECT_EQ(e.back().seq - half.origin(), std::int64_t{9'000} << 20);
}

TEST_P(HalfFlowTest, HoleFilledLateIsARetransmission) {
  handshake();
  data(talk.server(0).seq(1).len(1000).ts(10, 5));
  data(talk.server(1).seq(2001).len(1000).ts(10, 5));
  ack(talk.client(50 * kMs).seq(1).ack(1001).sack(2001, 3001).win(9));
  data(talk.server(100 * kMs).seq(1001).len(1000).ts(110, 55));
  ack(talk.client(101 * kMs).seq(1).ack(3001).win(9));
  EXPECT_EQ(count().retransmitted_segments, 1U);
  EXPECT_EQ(count().retransmitted_bytes, 1000U);
  EXPECT_EQ(count().reordered, 0U);
  EXPECT_EQ(count().spurious_acked, 0U);
  EXPECT_EQ(count().gap_bytes, 0U);
  EXPECT_EQ(bytes(), 3000U);
}

TEST_P(HalfFlowTest, OldTimeStampSaysOvertaken) {
  handshake();
  data(talk.server(0).seq(1).len(1000).ts(10, 5));
  data(talk.server(1).seq(2001).len(1000).ts(12, 5));
  data(talk.server(20 * kMs).seq(1001).len(1000).ts(11, 5));  // late, but stamped between them
  EXPECT_EQ(count().reordered, 1U);
  EXPECT_EQ(count().retransmitted_segments, 0U);
  EXPECT_TRUE(events().back().flags & event::kReordered);
}

TEST_P(HalfFlowTest, OldIpIdentificationSaysOvertaken) {
  handshake();
  data(talk.server(0).seq(1).len(1000).id(65535));
  data(talk.server(1).seq(2001).len(1000).id(2));
  data(talk.server(20 * kMs).seq(1001).len(1000).id(1));  // numbered before it, across the wrap
  EXPECT_EQ(count().reordered, 1U);
  EXPECT_EQ(count().retransmitted_segments, 0U);
}

TEST_P(HalfFlowTest, WithoutStampOrNumberTimeDecides) {
  handshake();
  data(talk.server(0).seq(1).len(1000));
  data(talk.server(1 * kMs).seq(2001).len(1000));
  data(talk.server(2 * kMs).seq(1001).len(1000));
  data(talk.server(3 * kMs).seq(4001).len(1000));
  data(talk.server(60 * kMs).seq(3001).len(1000));
  EXPECT_EQ(count().reordered, 1U);
  EXPECT_EQ(count().retransmitted_segments, 1U);
}

TEST_P(HalfFlowTest, SameBytesAgainAreARetransmission) {
  handshake();
  data(talk.server(0).seq(1).len(1000));
  data(talk.server(0).seq(1001).len(1000));
  data(talk.server(40 * kMs).seq(1).len(1000));
  EXPECT_EQ(count().retransmitted_segments, 1U);
  EXPECT_EQ(count().retransmitted_bytes, 1000U);
  EXPECT_EQ(count().timeouts, 0U);
  EXPECT_EQ(bytes(), 2000U);
  EXPECT_EQ(count().wire_bytes, 3000U);
}

TEST_P(HalfFlowTest, OverlapCountsOnlyTheOldBytes) {
  handshake();
  data(talk.server(0).seq(1).len(1000));
  data(talk.server(40 * kMs).seq(501).len(1000));
  EXPECT_EQ(count().retransmitted_segments, 1U);
  EXPECT_EQ(count().retransmitted_bytes, 500U);
  EXPECT_EQ(bytes(), 1500U);
}

TEST_P(HalfFlowTest, AlreadyAcknowledgedIsSpurious) {
  handshake();
  data(talk.server(0).seq(1).len(1000));
  ack(talk.client(40 * kMs).seq(1).ack(1001));
  data(talk.server(300 * kMs).seq(1).len(1000));
  EXPECT_EQ(count().retransmitted_segments, 1U);
  EXPECT_EQ(count().spurious_acked, 1U);
  EXPECT_EQ(count().timeouts, 0U);
}

TEST_P(HalfFlowTest, DSackSaysSpurious) {
  handshake();
  data(talk.server(0).seq(1).len(1000));
  data(talk.server(0).seq(1001).len(1000));
  data(talk.server(300 * kMs).seq(1).len(1000));
  ack(talk.client(310 * kMs).seq(1).ack(2001));
  ack(talk.client(311 * kMs).seq(1).ack(2001).sack(1, 1001));  // RFC 2883: below the ACK
  EXPECT_EQ(count().spurious_dsack, 1U);
  ack(talk.client(312 * kMs).seq(1).ack(2001).sack(3001, 4001));  // an ordinary block
  EXPECT_EQ(count().spurious_dsack, 1U);
}

TEST_P(HalfFlowTest, SilenceBeforeARetransmissionIsATimeout) {
  handshake();
  data(talk.server(0).seq(1).len(1000));
  data(talk.server(250 * kMs).seq(1).len(1000));
  EXPECT_EQ(count().timeouts, 1U);
  data(talk.server(300 * kMs).seq(1).len(1000));  // too soon for a timer
  EXPECT_EQ(count().timeouts, 1U);
  data(talk.server(900 * kMs).seq(1).len(1000));
  EXPECT_EQ(count().timeouts, 2U);
  EXPECT_EQ(count().retransmitted_segments, 3U);
}

TEST_P(HalfFlowTest, ThreeDuplicateAcksAreNoTimeout) {
  handshake();
  for (int i = 0; i < 6; ++i) data(talk.server(i).seq(1 + i * 1000).len(1000));
  ack(talk.client(250 * kMs).seq(1).ack(1001).win(9));
  for (int i = 1; i < 5; ++i) ack(talk.client(250 * kMs + i).seq(1).ack(1001).win(9));
  data(talk.server(500 * kMs).seq(1001).len(1000));
  EXPECT_EQ(count().retransmitted_segments, 1U);
  EXPECT_EQ(count().timeouts, 0U);
}

TEST_P(HalfFlowTest, KeepAlivesAreNeitherDataNorRetransmissions) {
  handshake();
  data(talk.server(0).seq(1).len(1000));
  ack(talk.client(1 * kMs).seq(1).ack(1001).win(50));
  data(talk.server(20 * kSecond).seq(1000).len(0).ack(1));  // RFC 9293 3.8.4: empty
  ack(talk.client(20 * kSecond + 9).seq(1).ack(1001).win(50));
  data(talk.server(40 * kSecond).seq(1000).len(1).ack(1));  // or with one old byte
  ack(talk.client(40 * kSecond + 9).seq(1).ack(1001).win(50));
  EXPECT_EQ(count().keep_alives, 2U);
  EXPECT_EQ(count().probes, 0U);
  EXPECT_EQ(count().segments, 1U);
  EXPECT_EQ(count().wire_bytes, 1000U);
  EXPECT_EQ(count().retransmitted_segments, 0U);
  EXPECT_EQ(bytes(), 1000U);
}

TEST_P(HalfFlowTest, ProbesOfAClosedWindow) {
  handshake();
  data(talk.server(0).seq(1).len(1000));
  ack(talk.client(1 * kMs).seq(1).ack(1001).win(0));
  data(talk.server(201 * kMs).seq(1000).len(0).ack(1));
  ack(talk.client(202 * kMs).seq(1).ack(1001).win(0));
  EXPECT_EQ(count().probes, 1U);
  EXPECT_EQ(count().unanswered_probes, 0U);
  data(talk.server(600 * kMs).seq(1000).len(0).ack(1));
  data(talk.server(1400 * kMs).seq(1000).len(0).ack(1));  // the one before got no answer
  ack(talk.client(1401 * kMs).seq(1).ack(1001).win(0));
  EXPECT_EQ(count().probes, 3U);
  EXPECT_EQ(count().unanswered_probes, 1U);
  data(talk.server(3000 * kMs).seq(1001).len(1).ack(1));  // a byte behind the edge (BSD, Windows)
  EXPECT_EQ(count().probes, 4U);
  EXPECT_EQ(count().keep_alives, 0U);
  EXPECT_EQ(count().retransmitted_segments, 0U);
  EXPECT_EQ(bytes(), 1000U);
}

TEST_P(HalfFlowTest, APlainAckIsNotAKeepAlive) {
  handshake();
  data(talk.server(0).seq(1).len(0).ack(1));  // the end of the handshake
  data(talk.server(1 * kMs).seq(1).len(700).ack(1));
  data(talk.server(2 * kMs).seq(701).len(0).ack(500));  // acknowledges the other direction
  EXPECT_EQ(count().keep_alives, 0U);
  EXPECT_EQ(count().segments, 1U);
}

TEST_P(HalfFlowTest, AcknowledgedButNeverSeenIsACaptureGap) {
  handshake();
  data(talk.server(0).seq(1).len(1000));
  data(talk.server(1).seq(2001).len(1000));     // 1001 to 2000 is missing
  ack(talk.client(50 * kMs).seq(1).ack(3001));  // and arrived
  data(talk.server(60 * kMs).seq(3001).len(1000));
  EXPECT_EQ(count().gap_bytes, 1000U);
  EXPECT_EQ(count().retransmitted_segments, 0U);
  ack(talk.client(90 * kMs).seq(1).ack(6001));  // 2,000 bytes more, at the end
  EXPECT_EQ(count().gap_bytes, 3000U);
  EXPECT_EQ(bytes(), 6000U);
}

TEST_P(HalfFlowTest, AckRecordedBeforeItsData) {
  handshake();
  data(talk.server(0).seq(1).len(1000));
  ack(talk.client(20 * kMs).seq(1).ack(2001));
  data(talk.server(20 * kMs + 400).seq(1001).len(1000));
  EXPECT_EQ(count().gap_bytes, 0U);
  EXPECT_EQ(count().retransmitted_segments, 0U);
  EXPECT_EQ(count().spurious_acked, 0U);
  EXPECT_EQ(bytes(), 2000U);
}

TEST_P(HalfFlowTest, BegunInTheMiddleWithData) {
  data(talk.server(0).seq(500'000).len(1000));
  data(talk.server(1).seq(501'000).len(1000));
  ack(talk.client(5 * kMs).seq(1).ack(502'000));
  EXPECT_EQ(bytes(), 2000U);
  EXPECT_EQ(count().gap_bytes, 0U);
}

TEST_P(HalfFlowTest, BegunInTheMiddleWithAnAck) {
  ack(talk.client(0).seq(1).ack(500'000));
  data(talk.server(1).seq(520'000).len(
      1000));  // what was in flight then was never there to be recorded
  ack(talk.client(5 * kMs).seq(1).ack(521'000));
  EXPECT_EQ(bytes(), 1000U);
  EXPECT_EQ(count().gap_bytes, 0U);
  EXPECT_EQ(count().retransmitted_segments, 0U);
}

TEST_P(HalfFlowTest, FinIsAcknowledgedWithoutBeingData) {
  handshake();
  data(talk.server(0).seq(1).len(1000).fin());
  EXPECT_TRUE(half.fin_seen());
  EXPECT_FALSE(half.fin_acked());
  ack(talk.client(5 * kMs).seq(1).ack(1002));
  EXPECT_TRUE(half.fin_acked());
  EXPECT_EQ(bytes(), 1000U);
  EXPECT_EQ(count().gap_bytes, 0U);
}

TEST_P(HalfFlowTest, NonsenseAcksChangeNothing) {
  handshake();
  data(talk.server(0).seq(1).len(1000));
  ack(talk.client(1 * kMs).seq(1).ack(0x7ffffff0));
  EXPECT_EQ(bytes(), 1000U);
  EXPECT_EQ(count().gap_bytes, 0U);
}

TEST_P(HalfFlowTest, DuplicateAcksAreMarked) {
  handshake();
  for (int i = 0; i < 4; ++i) data(talk.server(i).seq(1 + i * 1000).len(1000));
  ack(talk.client(10 * kMs).seq(1).ack(1001).win(9));
  ack(talk.client(11 * kMs).seq(1).ack(1001).win(9));
  ack(talk.client(12 * kMs).seq(1).ack(1001).win(10));  // a window update is none
  const auto e = events();
  ASSERT_GE(e.size(), 3U);
  EXPECT_FALSE(e[e.size() - 3].flags & event::kDuplicate);
  EXPECT_TRUE(e[e.size() - 2].flags & event::kDuplicate);
  EXPECT_FALSE(e[e.size() - 1].flags & event::kDuplicate);
}

}  // namespace
}  // namespace rwin::test
