// Who is who, what the handshake tells, duplicates, port reuse: through the engine, as everybody
// else sees it.
#include <gtest/gtest.h>

#include "tests/analysis/engine_helpers.h"

namespace rwin::test {
namespace {

using analysis::ConnectionResult;
using analysis::End;
using analysis::Presence;
using analysis::RoleFrom;
using analysis::Segment;

class ConnectionTest : public testing::TestWithParam<std::uint32_t> {
 protected:
  Talk talk{GetParam(), GetParam() ^ 0x55U};
};
INSTANTIATE_TEST_SUITE_P(Isn, ConnectionTest, testing::ValuesIn(kIsns));

TEST_P(ConnectionTest, RolesFromTheSyn) {
  const auto r = analyse({talk.client(0).syn(), talk.server(9).syn().ack(1)});
  ASSERT_EQ(r.size(), 1U);
  EXPECT_EQ(r[0].client, talk.client_end);
  EXPECT_EQ(r[0].role_from, RoleFrom::syn);
  EXPECT_TRUE(r[0].syn_seen);
  EXPECT_TRUE(r[0].syn_ack_seen);
}

TEST_P(ConnectionTest, RolesFromTheSynAck) {
  // A server on a high port: without the SYN-ACK the ports would say the opposite.
  talk.server_end.port = 60000;
  talk.client_end.port = 1024;
  const auto r = analyse({talk.server(0).syn().ack(1), talk.client(9).seq(1).ack(1)});
  ASSERT_EQ(r.size(), 1U);
  EXPECT_EQ(r[0].client, talk.client_end);
  EXPECT_EQ(r[0].role_from, RoleFrom::syn_ack);
  EXPECT_FALSE(r[0].syn_seen);
  EXPECT_TRUE(r[0].syn_ack_seen);
}

TEST_P(ConnectionTest, RolesFromPorts) {
  const auto r = analyse({talk.server(0).seq(1).len(10).ack(1), talk.client(9).seq(1).ack(11)});
  ASSERT_EQ(r.size(), 1U);
  EXPECT_EQ(r[0].client, talk.client_end);
  EXPECT_EQ(r[0].role_from, RoleFrom::ports);
}

TEST_P(ConnectionTest, RolesFromTheFirstPacket) {
  talk.client_end.port = talk.server_end.port;
  const auto r = analyse({talk.server(0).seq(1).len(10).ack(1), talk.client(9).seq(1).ack(11)});
  ASSERT_EQ(r.size(), 1U);
  EXPECT_EQ(r[0].client, talk.server_end);  // it sent first
  EXPECT_EQ(r[0].role_from, RoleFrom::first_packet);
}

// The download's scale, by what the two SYNs carried.
analysis::WindowScale scale(const Talk& talk, const Segment& syn, const Segment& syn_ack) {
  const auto r = analyse({syn, syn_ack, talk.client(20 * kMs).seq(1).ack(1).win(100),
                          talk.server(30 * kMs).seq(1).len(100).ack(1),
                          talk.client(31 * kMs).seq(1).ack(101).win(100)});
  EXPECT_EQ(r.size(), 1U);
  const auto* d = from_server(r.at(0));
  EXPECT_NE(d, nullptr);
  return d == nullptr ? analysis::WindowScale{} : d->scale;
}

TEST_P(ConnectionTest, ScaleNeedsTheOptionInBothSyns) {
  const auto both =
      scale(talk, talk.client(0).syn().wscale(7), talk.server(10).syn().ack(1).wscale(2));
  EXPECT_EQ(both.state, Presence::known);
  EXPECT_EQ(both.shift, 7);
  EXPECT_FALSE(both.inferred);
  const auto zero =
      scale(talk, talk.client(0).syn().wscale(0), talk.server(10).syn().ack(1).wscale(7));
  EXPECT_EQ(zero.state, Presence::known);  // known and zero is not absent
  EXPECT_EQ(zero.shift, 0);
  EXPECT_EQ(scale(talk, talk.client(0).syn(), talk.server(10).syn().ack(1).wscale(7)).state,
            Presence::absent);
  EXPECT_EQ(scale(talk, talk.client(0).syn().wscale(7), talk.server(10).syn().ack(1)).state,
            Presence::absent);
}

TEST_P(ConnectionTest, ShiftAboveFourteenReadsFourteen) {
  EXPECT_EQ(
      scale(talk, talk.client(0).syn().wscale(255), talk.server(10).syn().ack(1).wscale(2)).shift,
      14);
}

TEST_P(ConnectionTest, CutOptionsAreUnknownNotAbsent) {
  const auto s =
      scale(talk, talk.client(0).syn().options_cut(), talk.server(10).syn().ack(1).wscale(2));
  EXPECT_EQ(s.state, Presence::unknown);
  // One SYN that certainly lacks it is enough.
  const auto t = scale(talk, talk.client(0).syn().options_cut(), talk.server(10).syn().ack(1));
  EXPECT_EQ(t.state, Presence::absent);
}

TEST_P(ConnectionTest, OneSynAloneDecidesOnlyWhenItLacksTheOption) {
  const auto with =
      analyse({talk.client(0).syn().wscale(7), talk.server(30 * kMs).seq(1).len(100).ack(1),
               talk.client(31 * kMs).seq(1).ack(101).win(100)});
  ASSERT_NE(from_server(with[0]), nullptr);
  EXPECT_EQ(from_server(with[0])->scale.state, Presence::unknown);
  EXPECT_FALSE(from_server(with[0])->window_max);
  const auto without = analyse({talk.client(0).syn(), talk.server(30 * kMs).seq(1).len(100).ack(1),
                                talk.client(31 * kMs).seq(1).ack(101).win(100)});
  EXPECT_EQ(from_server(without[0])->scale.state, Presence::absent);
  EXPECT_EQ(from_server(without[0])->window_max, 100U);
}

TEST_P(ConnectionTest, TheAnsweredSynCounts) {
  const auto r =
      analyse({talk.client(0).syn().wscale(7).mss(1460), talk.client(3 * kSecond).syn().mss(536),
               talk.server(3 * kSecond + 50 * kMs).syn().ack(1),
               talk.client(3 * kSecond + 51 * kMs).seq(1).ack(1).win(100)});
  ASSERT_EQ(r.size(), 1U);
  EXPECT_EQ(r[0].client_offer.window_scale.state, Presence::absent);
  EXPECT_EQ(r[0].client_offer.mss.value, 536);
  EXPECT_EQ(r[0].client_offer.repeats, 1);
  EXPECT_FALSE(r[0].server_side_rtt_us) << "which of the two was answered?";
}

TEST_P(ConnectionTest, ALateCopyOfTheSynChangesNothing) {
  const auto r =
      analyse({talk.client(0).syn().wscale(7).id(1), talk.server(50 * kMs).syn().ack(1).wscale(7),
               talk.client(51 * kMs).syn().id(2), talk.client(52 * kMs).seq(1).ack(1).win(9)});
  ASSERT_EQ(r.size(), 1U);
  EXPECT_TRUE(r[0].client_offer.window_scale.known());
}

TEST_P(ConnectionTest, HandshakeTellsBothSides) {
  const auto r = analyse({talk.client(0).syn(), talk.server(70 * kMs).syn().ack(1),
                          talk.client(100 * kMs).seq(1).ack(1)});
  EXPECT_EQ(r[0].server_side_rtt_us, 70 * kMs);
  EXPECT_EQ(r[0].client_side_rtt_us, 30 * kMs);
  EXPECT_EQ(r[0].place, analysis::Place::middle);
}

// Data waits in a full queue from the first packet captured to the last; the FINs meet it empty.
// Seen at the sender.
std::vector<Segment> queue_until_the_end(const Talk& talk) {
  std::vector<Segment> out;
  out.reserve(50);
  for (int k = 0; k < 20; ++k)
    out.push_back(talk.server(k * 3 * kMs).seq(1 + k * 1000).len(1000).ack(1).id(k + 1));
  for (int k = 0; k < 20; ++k)
    out.push_back(talk.client((60 + k * 3) * kMs).seq(1).ack(1001 + k * 1000).id(k + 1));
  out.push_back(talk.server(200 * kMs).seq(20'001).ack(1).fin().id(30));
  return out;
}

TEST_P(ConnectionTest, TheFinTellsTheRoundTripThatAFullQueueHid) {
  auto s = queue_until_the_end(talk);
  s.push_back(talk.client(228 * kMs).seq(1).ack(20'002).fin().id(30));
  s.push_back(talk.server(228 * kMs + 50).seq(20'002).ack(2).id(31));
  const auto r = analyse(s);
  EXPECT_EQ(r[0].client_side_rtt_us, 28 * kMs);
  EXPECT_EQ(r[0].server_side_rtt_us, 50);
  EXPECT_EQ(r[0].place, analysis::Place::server);
  ASSERT_EQ(r[0].directions.size(), 1U);
  EXPECT_EQ(r[0].directions[0].rtt_base_us, 28 * kMs + 50);
  EXPECT_EQ(r[0].directions[0].rtt_method, analysis::RttMethod::seq_ack);
}

TEST_P(ConnectionTest, AFinSentAgainTellsNoRoundTrip) {
  auto s = queue_until_the_end(talk);
  s.push_back(talk.server(210 * kMs).seq(20'001).ack(1).fin().id(31));
  s.push_back(talk.client(228 * kMs).seq(1).ack(20'002).fin().id(30));
  const auto r = analyse(s);
  EXPECT_EQ(r[0].client_side_rtt_us, 60 * kMs);
}

std::vector<Segment> whole(const Talk& talk, std::int64_t t) {
  return {talk.client(t).syn().id(1),
          talk.server(t + 10).syn().ack(1).id(1),
          talk.client(t + 20).seq(1).ack(1).id(2),
          talk.server(t + 30).seq(1).len(500).ack(1).push().id(2),
          talk.client(t + 40).seq(1).ack(501).id(3),
          talk.server(t + 50).seq(501).ack(1).fin().id(3),
          talk.client(t + 60).seq(1).ack(502).fin().id(4),
          talk.server(t + 70).seq(502).ack(2).id(4)};
}

TEST_P(ConnectionTest, EndsWithFin) {
  const auto r = analyse(whole(talk, 0));
  EXPECT_EQ(r[0].end, End::fin);
  EXPECT_EQ(r[0].packets, 8U);
  ASSERT_EQ(r[0].directions.size(), 1U);
  EXPECT_EQ(r[0].directions[0].bytes, 500U);
  EXPECT_EQ(r[0].reset_by_client + r[0].reset_by_server, 0U);
}

TEST_P(ConnectionTest, EndsWithRst) {
  auto s = whole(talk, 0);
  s.resize(5);
  s.push_back(talk.client(90).seq(1).rst());
  const auto r = analyse(s);
  EXPECT_EQ(r[0].end, End::rst);
  EXPECT_EQ(r[0].reset_by_client, 1U);
  EXPECT_EQ(r[0].reset_by_server, 0U);
}

TEST_P(ConnectionTest, OpenAtTheEnd) {
  auto s = whole(talk, 0);
  s.resize(5);
  EXPECT_EQ(analyse(s)[0].end, End::open);
}

TEST_P(ConnectionTest, SamePortsUsedAgainAreAnotherConnection) {
  auto s = whole(talk, 0);
  const Talk later = [&] {
    Talk t{GetParam() + 77'777U, GetParam() + 99U};
    return t;
  }();
  for (const Segment& x : whole(later, 5 * kSecond)) s.push_back(x);
  const auto r = analyse(s);
  ASSERT_EQ(r.size(), 2U);
  for (const ConnectionResult& c : r) {
    EXPECT_EQ(c.packets, 8U);
    ASSERT_EQ(c.directions.size(), 1U);
    EXPECT_EQ(c.directions[0].bytes, 500U);
    EXPECT_EQ(c.directions[0].capture_gap_bytes, 0U);
  }
  EXPECT_EQ(r[0].id, 1U);
  EXPECT_EQ(r[1].id, 2U);
  EXPECT_EQ(r[1].start_ns - r[0].start_ns, 5'000'000'000);
}

TEST_P(ConnectionTest, UsedAgainAlthoughTheFirstNeverEnded) {
  auto s = whole(talk, 0);
  s.resize(5);
  Talk later{GetParam() + 1'000'000U, GetParam() + 5U};
  for (const Segment& x : whole(later, 5 * kSecond)) s.push_back(x);
  const auto r = analyse(s);
  ASSERT_EQ(r.size(), 2U);
  EXPECT_EQ(r[0].packets, 5U);
  EXPECT_EQ(r[1].packets, 8U);
}

TEST_P(ConnectionTest, EveryPacketTwiceIsOneConnectionWithoutRetransmissions) {
  std::vector<Segment> s;
  for (const Segment& x : whole(talk, 0)) {
    s.push_back(x);
    s.push_back(x);
    s.back().time_ns += 2'000;
    s.back().ttl = static_cast<std::uint8_t>(x.ttl - 1);  // recorded behind a router
  }
  const auto r = analyse(s);
  ASSERT_EQ(r.size(), 1U);
  EXPECT_EQ(r[0].quality.duplicates, 8U);
  EXPECT_EQ(r[0].directions[0].retransmitted_segments, 0U);
  EXPECT_EQ(r[0].directions[0].segments, 1U);
  EXPECT_EQ(r[0].client_offer.repeats, 0);
}

TEST_P(ConnectionTest, WithoutIpIdsDataTwiceIsADuplicateButEqualAcksAreNot) {
  const auto r = analyse(
      {talk.client(0).syn(), talk.server(10).syn().ack(1), talk.client(20).seq(1).ack(1).win(9),
       talk.server(1000).seq(1).len(500).ack(1), talk.server(1002).seq(1).len(500).ack(1),
       talk.server(1003).seq(1001).len(500).ack(1), talk.client(1010).seq(1).ack(501).win(9),
       talk.client(1012).seq(1).ack(501).win(9), talk.client(1014).seq(1).ack(501).win(9)});
  EXPECT_EQ(r[0].quality.duplicates, 1U);
  EXPECT_EQ(r[0].directions[0].retransmitted_segments, 0U);
  EXPECT_EQ(r[0].directions[0].acks, 4U);
}

TEST_P(ConnectionTest, AnotherIpIdIsARetransmissionHoweverSoon) {
  const auto r = analyse({talk.client(0).syn().id(1), talk.server(10).syn().ack(1).id(1),
                          talk.client(20).seq(1).ack(1).win(9).id(2),
                          talk.server(1000).seq(1).len(500).ack(1).id(7),
                          talk.server(1300).seq(1).len(500).ack(1).id(8)});
  EXPECT_EQ(r[0].quality.duplicates, 0U);
  EXPECT_EQ(r[0].directions[0].retransmitted_segments, 1U);
}

TEST_P(ConnectionTest, TheSamePacketARouterFurtherOnIsADuplicateAlsoAfterAWait) {
  Segment first = talk.server(1000).seq(1).len(500).ack(1).id(7);
  Segment behind = first;
  behind.time_ns += 20'000'000;
  behind.ttl = 63;
  Segment again =
      first;  // the same identification, but from the same place: not believed for so long
  again.time_ns += 21'000'000;
  const auto r = analyse({talk.client(0).syn().id(1), talk.server(10).syn().ack(1).id(1),
                          talk.client(20).seq(1).ack(1).win(9).id(2), first, behind});
  EXPECT_EQ(r[0].quality.duplicates, 1U);
  EXPECT_EQ(r[0].directions[0].retransmitted_segments, 0U);
  const auto s = analyse({talk.client(0).syn().id(1), talk.server(10).syn().ack(1).id(1),
                          talk.client(20).seq(1).ack(1).win(9).id(2), first, again});
  EXPECT_EQ(s[0].quality.duplicates, 0U);
  EXPECT_EQ(s[0].directions[0].retransmitted_segments, 1U);
}

TEST_P(ConnectionTest, ARepetitionAfterAMillisecondIsARetransmission) {
  const auto r = analyse(
      {talk.client(0).syn(), talk.server(10).syn().ack(1), talk.client(20).seq(1).ack(1).win(9),
       talk.server(1000).seq(1).len(500).ack(1), talk.server(41'000).seq(1).len(500).ack(1)});
  EXPECT_EQ(r[0].quality.duplicates, 0U);
  EXPECT_EQ(r[0].directions[0].retransmitted_segments, 1U);
}

TEST_P(ConnectionTest, DataInTheSynIsData) {
  analysis::Segment syn = talk.client(0).syn();
  syn.payload = 100;
  syn.fast_open = true;
  const auto r = analyse(
      {syn, talk.server(20 * kMs).syn().ack(101), talk.client(20 * kMs + 9).seq(101).ack(1)});
  ASSERT_EQ(r.size(), 1U);
  EXPECT_TRUE(r[0].fast_open);
  ASSERT_EQ(r[0].directions.size(), 1U);
  EXPECT_EQ(r[0].directions[0].bytes, 100U);
  EXPECT_EQ(r[0].directions[0].capture_gap_bytes, 0U);
}

}  // namespace
}  // namespace rwin::test
