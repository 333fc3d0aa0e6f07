// What became of a change: one pair of records for each answer.
#include "rules/compare.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace rwin::rules {
namespace {

using analysis::Limit;
using analysis::Presence;
using testing::HasSubstr;

analysis::Endpoint end(std::uint8_t last, std::uint16_t port) {
  analysis::Endpoint e;
  e.address.family = 4;
  e.address.bytes = {192, 0, 2, last};
  e.port = port;
  return e;
}

// 8 Mbit/s at 100 ms, held by a window of 100 kB.
FlowRecord held(std::uint16_t port = 40'000) {
  FlowRecord r;
  r.id = 1;
  r.sender = end(7, 443);
  r.receiver = end(10, port);
  r.syn_seen = true;
  r.bytes = 10'000'000;
  r.duration_us = 10'000'000;
  r.rate_bps = 8e6;
  r.rtt_base_us = r.rtt_us = 100'000;
  r.window = 100'000;
  r.scale = {Presence::known, 3, false};
  r.sender_offer = 7;
  r.receiver_offer = 3;
  r.limit = Limit::receiver_window;
  r.cause = "buffer-capped";
  return r;
}

// The same after a change that worked.
FlowRecord freed() {
  FlowRecord r = held(40'001);
  r.rate_bps = 40e6;
  r.bytes = 50'000'000;
  r.window = 2'000'000;
  r.receiver_offer = 7;
  r.limit = Limit::bandwidth;
  r.cause = "";
  return r;
}

FlowPair one(const FlowRecord& before, const FlowRecord& after) {
  const Comparison c = compare({before}, {after});
  EXPECT_EQ(c.pairs.size(), 1U);
  return c.pairs.empty() ? FlowPair{} : c.pairs[0];
}

TEST(Compare, Worked) {
  const FlowPair p = one(held(), freed());
  EXPECT_EQ(p.outcome, ChangeOutcome::worked);
  EXPECT_EQ(p.reason, "bandwidth");
  EXPECT_EQ(p.summary,
            "The fix worked: 192.0.2.10 gets 40.0 Mbit/s instead of 8.00 Mbit/s (5.0 times). The "
            "window went from 100 000 B to 2 000 000 B; the limit is now the line itself: it is "
            "full.");
}

TEST(Compare, HelpedButStillHeld) {
  FlowRecord after = freed();
  after.limit = Limit::receiver_window;
  after.window = 500'000;
  after.wanted_window = 1'000'000;
  const FlowPair p = one(held(), after);
  EXPECT_EQ(p.outcome, ChangeOutcome::partly);
  EXPECT_THAT(p.summary, HasSubstr("1 000 000 B are wanted"));
}

TEST(Compare, FasterBecauseThePathIsShorter) {
  FlowRecord after = held(40'001);
  after.rate_bps = 16e6;
  after.rtt_base_us = after.rtt_us = 50'000;
  const FlowPair p = one(held(), after);
  EXPECT_EQ(p.outcome, ChangeOutcome::partly);
  EXPECT_EQ(p.reason, "round-trip");
  EXPECT_THAT(p.notes, testing::ElementsAre(HasSubstr("not the same path")));
}

TEST(Compare, NextLimit) {
  FlowRecord after = freed();
  after.rate_bps = 8.3e6;
  after.limit = Limit::sender_paced;
  const FlowPair p = one(held(), after);
  EXPECT_EQ(p.outcome, ChangeOutcome::next_limit);
  EXPECT_EQ(p.reason, "sender-paced");
  EXPECT_THAT(p.summary, HasSubstr("but it is no faster"));
}

// On both sides of the 10 per cent that count as a gain the next limit is the next limit.
TEST(Compare, NextLimitDoesNotHangOnAThreshold) {
  FlowRecord before = held();
  before.potential_bps = 40e6;
  FlowRecord after = freed();
  after.limit = Limit::sender_paced;
  for (const double rate : {8.7e6, 8.79e6, 8.81e6, 9.5e6, 12e6}) {
    after.rate_bps = rate;
    const FlowPair p = one(before, after);
    EXPECT_EQ(p.outcome, ChangeOutcome::next_limit) << rate;
    EXPECT_EQ(p.reason, "sender-paced") << rate;
  }
  EXPECT_THAT(one(before, after).summary,
              HasSubstr("but that opened about 40.0 Mbit/s, and it is only 1.5 times as fast"));
  // Most of what the window opened is there: the fix worked, whatever comes next.
  after.rate_bps = 30e6;
  EXPECT_EQ(one(before, after).outcome, ChangeOutcome::worked);
  // The line itself is no further limit to remove.
  after.rate_bps = 9.5e6;
  after.limit = Limit::bandwidth;
  EXPECT_EQ(one(before, after).outcome, ChangeOutcome::worked);
  // Without a known path the growth of the window says what was opened: here a third more.
  before.potential_bps.reset();
  after.limit = Limit::sender_paced;
  after.window = 133'000;
  after.rate_bps = 8.9e6;
  EXPECT_EQ(one(before, after).outcome, ChangeOutcome::next_limit);
  after.rate_bps = 10.5e6;
  EXPECT_EQ(one(before, after).outcome, ChangeOutcome::worked);
}

// A larger window over a longer way opens less: here 12 of 16 Mbit/s are there.
TEST(Compare, WhatTheWindowOpensGoesByTheRoundTrip) {
  FlowRecord after = freed();
  after.limit = Limit::congestion;
  after.window = 800'000;
  after.rate_bps = 12e6;
  EXPECT_EQ(one(held(), after).outcome, ChangeOutcome::next_limit);
  after.rtt_base_us = after.rtt_us = 400'000;
  EXPECT_EQ(one(held(), after).outcome, ChangeOutcome::worked);
}

TEST(Compare, OldConnection) {
  FlowRecord after = held();
  after.syn_seen = false;
  after.rate_bps = 8.1e6;
  EXPECT_EQ(one(held(), after).reason, "old-connection");
  EXPECT_EQ(one(held(), after).outcome, ChangeOutcome::no_change);
  // Another port: perhaps old too, which cannot be seen.
  after.receiver.port = 40'001;
  EXPECT_EQ(one(held(), after).reason, "began-earlier");
  // The same port with a handshake of its own is a new connection.
  after = held();
  EXPECT_EQ(one(held(), after).reason, "not-in-force");
}

TEST(Compare, WrongHost) {
  FlowRecord after = held(40'001);
  after.sender_offer = 10;
  const FlowPair p = one(held(), after);
  EXPECT_EQ(p.reason, "wrong-host");
  EXPECT_THAT(p.summary, HasSubstr("What did change is 192.0.2.7 (window scale 7 -> 10)"));
  EXPECT_THAT(p.summary, HasSubstr("that of 192.0.2.10, so the change belongs there"));
}

TEST(Compare, AnotherReceiverChanged) {
  FlowRecord other_before = held();
  FlowRecord other_after = freed();
  other_before.receiver = end(11, 5'000);
  other_after.receiver = end(11, 5'001);
  other_before.bytes = 1'000;
  const Comparison c = compare({held(), other_before}, {held(40'001), other_after});
  ASSERT_EQ(c.pairs.size(), 2U);
  EXPECT_EQ(c.pairs[0].reason, "wrong-host");
  EXPECT_THAT(c.pairs[0].summary, HasSubstr("The window of 192.0.2.11 did grow"));
  EXPECT_EQ(c.hosts.size(), 2U);
}

TEST(Compare, ProgramFixesItsBuffer) {
  FlowRecord after = held(40'001);
  after.cause = "buffer-fixed";
  EXPECT_EQ(one(held(), after).reason, "program-fixes");
}

TEST(Compare, NotTheWindow) {
  FlowRecord before = held();
  FlowRecord after = freed();
  before.limit = after.limit = Limit::congestion;
  after.rate_bps = 8e6;
  const FlowPair p = one(before, after);
  EXPECT_EQ(p.outcome, ChangeOutcome::no_change);
  EXPECT_EQ(p.reason, "not-the-window");
}

TEST(Compare, Hurt) {
  FlowRecord after = freed();
  after.rate_bps = 4e6;
  after.resent_share = 0.05;
  EXPECT_EQ(one(held(), after).outcome, ChangeOutcome::hurt);
  EXPECT_EQ(one(held(), after).reason, "loss");
  after.resent_share = 0;
  after.rtt_us = 400'000;
  EXPECT_EQ(one(held(), after).reason, "queue");
  after.rtt_base_us = 300'000;
  EXPECT_EQ(one(held(), after).reason, "round-trip");
  after.window = 40'000;
  EXPECT_EQ(one(held(), after).reason, "window-fell");
}

TEST(Compare, UnknownIsSaid) {
  FlowRecord after = held(40'001);
  after.limit = Limit::unknown;
  EXPECT_EQ(one(held(), after).outcome, ChangeOutcome::unclear);
  after.rate_bps.reset();
  EXPECT_EQ(one(held(), after).outcome, ChangeOutcome::unclear);
}

TEST(Compare, PairsByAddressesAndServerPort) {
  FlowRecord web = held();
  FlowRecord ssh = held(50'000);
  ssh.sender.port = 22;
  FlowRecord upload = held();
  std::swap(upload.sender, upload.receiver);
  upload.receiver_is_client = false;
  FlowRecord small = held(40'002);
  small.bytes = 5;
  const Comparison c = compare({web, small, ssh}, {freed(), upload});
  ASSERT_EQ(c.pairs.size(), 1U);
  EXPECT_EQ(c.pairs[0].before.bytes, 10'000'000U);
  EXPECT_EQ(c.pairs[0].before_count, 2U);
  EXPECT_EQ(c.only_before.size(), 1U);
  EXPECT_EQ(c.only_after.size(), 1U);
}

TEST(Compare, OtherAddressesAreSaid) {
  FlowRecord after = freed();
  after.receiver = end(99, 40'001);
  const FlowPair p = one(held(), after);
  EXPECT_EQ(p.outcome, ChangeOutcome::worked);
  EXPECT_THAT(p.summary, testing::StartsWith("Faster, over another path: "));
  EXPECT_FALSE(p.same_addresses);
  EXPECT_THAT(p.notes, testing::Contains(HasSubstr("addresses differ")));
}

TEST(Compare, NothingInCommon) {
  FlowRecord ssh = held();
  ssh.sender.port = 22;
  const Comparison c = compare({held()}, {ssh});
  EXPECT_TRUE(c.pairs.empty());
  EXPECT_EQ(c.outcome, ChangeOutcome::unclear);
  EXPECT_EQ(c.summary, "The captures have no transfer in common.");
  EXPECT_TRUE(compare({}, {}).pairs.empty());
}

}  // namespace
}  // namespace rwin::rules
