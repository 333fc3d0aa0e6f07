#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "flows.h"
#include "rules/calc.h"

namespace rwin::rules {
namespace {

using testing::HasSubstr;
using namespace test;
using analysis::CapacityFrom;

TEST(Verdict, TheArticlesDownload) {
  Case c = window_limited();
  c.settings.target_bps = 25e6;
  const Verdict v = c.assess().verdict;
  EXPECT_EQ(v.limit, Limit::receiver_window);
  EXPECT_EQ(v.confidence, Confidence::high);
  EXPECT_NEAR(v.ceiling_bps.value(), 32'768 * 8 / 0.33, 1);
  EXPECT_DOUBLE_EQ(v.potential_bps.value(), 25e6);
  EXPECT_NEAR(v.gain, 25e6 / (0.9 * 32'768 * 8 / 0.33), 0.01);
  EXPECT_EQ(
      v.summary,
      "The receiver 192.0.2.10 offers a window of 32 768 B; with 330 ms round trip that allows "
      "0.79 Mbit/s at most, and the sender 198.51.100.7 got 0.71 Mbit/s.");
  EXPECT_TRUE(has(v.unproven, "path_capacity"));
  bool ceiling = false;
  for (const Evidence& evidence : v.evidence) {
    EXPECT_TRUE(std::isfinite(evidence.value)) << evidence.key;
    ceiling |= evidence.key == "ceiling_bps" && evidence.unit == "bit/s";
  }
  EXPECT_TRUE(ceiling);
}

TEST(Verdict, WithoutAnyCapacityFourTimesTheWindow) {
  const Case c = window_limited(33'304);
  const Assessment a = c.assess();
  EXPECT_EQ(a.advice.front().window_bytes, round_window(4 * 33'304, 1460));
  EXPECT_FALSE(a.advice.front().expected_bps.has_value());
  EXPECT_FALSE(a.verdict.potential_bps.has_value());
  EXPECT_EQ(a.verdict.gain, 1.0);
  EXPECT_TRUE(has(a.verdict.unproven, "path_capacity"));
}

TEST(Verdict, CapacityIsTheTargetWhereItIsProven) {
  Case c = window_limited();
  c.direction.capacity_bps = 23e6;
  c.direction.capacity_from = CapacityFrom::dispersion;
  const Assessment a = c.assess();
  EXPECT_DOUBLE_EQ(a.verdict.potential_bps.value(), 23e6);
  EXPECT_FALSE(has(a.verdict.unproven, "path_capacity"));
  EXPECT_EQ(a.advice.front().window_bytes, round_window(needed_window(23e6, 330'000), 1460));
  EXPECT_DOUBLE_EQ(a.advice.front().expected_bps.value(), 23e6);
}

TEST(Verdict, TargetAboveTheProvenCapacityIsNotPromised) {
  Case c = window_limited();
  c.direction.capacity_bps = 10e6;
  c.direction.capacity_from = CapacityFrom::dispersion;
  c.settings.target_bps = 25e6;
  const Assessment a = c.assess();
  EXPECT_DOUBLE_EQ(a.verdict.potential_bps.value(), 10e6);
  EXPECT_DOUBLE_EQ(a.advice.front().expected_bps.value(), 10e6);
}

TEST(Verdict, FullLineWithAFullWindowIsNoReasonToRaise) {
  Case c = window_limited(92'000, 28'000);
  c.direction.capacity_bps = 1.05 * *c.direction.blocked_rate_bps;
  c.direction.capacity_from = CapacityFrom::dispersion;
  const Assessment a = c.assess();
  EXPECT_FALSE(raises(a));
  EXPECT_TRUE(a.advice.empty());
  EXPECT_TRUE(mentions(a.verdict.notes, "Nothing to change: the line is full as well"));
  EXPECT_EQ(a.verdict.gain, 1.0);
  c.direction.capacity_bps = 1.2 * *c.direction.blocked_rate_bps;
  EXPECT_TRUE(raises(c.assess()));
}

TEST(Verdict, ADeliveryRateAloneIsNoUpperBound) {
  Case c = window_limited();
  c.direction.capacity_bps = 1.02 * *c.direction.blocked_rate_bps;  // what the window let through
  c.direction.capacity_from = CapacityFrom::delivery_rate;
  EXPECT_TRUE(raises(c.assess()));
  EXPECT_TRUE(has(c.assess().verdict.unproven, "path_capacity"));
  // With a queue on top the line is full.
  c.direction.rtt_base_us = 100'000;
  EXPECT_FALSE(raises(c.assess()));
}

TEST(Verdict, CapacityBelowTheRateIsNotBelieved) {
  Case c = window_limited();
  c.direction.capacity_bps = 0.5 * *c.direction.blocked_rate_bps;
  c.direction.capacity_from = CapacityFrom::dispersion;
  const Assessment a = c.assess();
  EXPECT_TRUE(raises(a));
  EXPECT_TRUE(has(a.verdict.unproven, "path_capacity"));
  c.direction.capacity_bps = 1e15;
  EXPECT_FALSE(c.assess().verdict.potential_bps.has_value());
}

TEST(Verdict, TargetReachedByThePresentWindow) {
  Case c = window_limited();
  c.settings.target_bps = 0.8e6;
  const Assessment a = c.assess();
  EXPECT_FALSE(raises(a));
  EXPECT_TRUE(mentions(a.verdict.notes, "the present window is enough for 0.80 Mbit/s"));
}

TEST(Verdict, TheUsersFarthestServerSizesTheWindow) {
  Case c = window_limited(32'768, 28'000);
  c.settings.target_bps = 25e6;
  c.settings.rtt_us = 330'000;
  EXPECT_EQ(c.assess().advice.front().window_bytes, 1'032'224U);
}

TEST(Verdict, RateAboveWindowOverRoundTripIsAContradiction) {
  Case c = window_limited();
  c.direction.blocked_rate_bps = 1.3 * 32'768 * 8 / 0.33;
  Assessment a = c.assess();
  EXPECT_EQ(a.verdict.confidence, Confidence::low);
  EXPECT_TRUE(has(a.verdict.unproven, "self_check"));
  EXPECT_TRUE(raises(a)) << "measured badly, but perhaps right";
  c.direction.blocked_rate_bps = 1.6 * 32'768 * 8 / 0.33;
  a = c.assess();
  EXPECT_EQ(a.verdict.limit, Limit::receiver_window);
  EXPECT_FALSE(raises(a)) << "impossible: the verdict is void";
  c.direction.blocked_rate_bps = 1.05 * 32'768 * 8 / 0.33;
  EXPECT_EQ(c.assess().verdict.confidence, Confidence::high);
}

TEST(Verdict, InferredScaleIsNeverSure) {
  Case c = window_limited();
  c.direction.scale.inferred = true;
  c.connection.syn_seen = false;
  c.connection.client_offer = {};
  const Assessment a = c.assess();
  EXPECT_EQ(a.verdict.confidence, Confidence::medium);
  EXPECT_TRUE(has(a.verdict.unproven, "window_scale"));
  EXPECT_TRUE(raises(a));
}

TEST(Verdict, UnknownScaleGivesNoWindowVerdict) {
  Case c = window_limited();
  c.direction.scale = {Presence::unknown, 0, false};
  c.connection.syn_seen = false;
  const Assessment a = c.assess();
  EXPECT_EQ(a.verdict.limit, Limit::unknown);
  EXPECT_TRUE(a.advice.empty());
  EXPECT_TRUE(mentions(a.verdict.notes, "handshake was not captured"));
}

TEST(Verdict, OnlyWindowVerdictsSetWindowBytes) {
  for (const Limit limit : analysis::kAllLimits) {
    Case c = window_limited();
    c.direction.limit = limit;
    c.direction.retransmitted_segments = 20;
    c.settings.target_bps = 25e6;
    EXPECT_EQ(raises(c.assess()), limit == Limit::receiver_window) << analysis::word(limit);
  }
}

TEST(Verdict, EveryWindowVerdictWithSomethingToGainRaises) {
  for (const HandshakeSide& client : {linux_offer(), windows_offer(), macos_offer(), tiger_offer(),
                                      HandshakeSide{}, offer("mss", 255, 5760, -1)}) {
    for (const std::uint64_t window : {1'000U, 17'520U, 32'768U, 65'535U, 500'000U}) {
      for (const Presence scale : {Presence::known, Presence::absent}) {
        Case c = window_limited(window);
        c.connection.client_offer = client;
        c.direction.scale.state = scale;
        c.settings.target_bps = 50e6;
        EXPECT_TRUE(raises(c.assess())) << window;
        c.settings.target_bps.reset();
        EXPECT_TRUE(raises(c.assess())) << window;
      }
    }
  }
}

TEST(Verdict, NeverABraceInTheText) {
  for (const Limit limit : analysis::kAllLimits) {
    Case c = window_limited();
    c.direction.limit = limit;
    c.settings.target_bps = 25e6;
    const Assessment a = c.assess();
    EXPECT_FALSE(a.verdict.summary.empty());
    EXPECT_EQ(a.verdict.summary.find_first_of("{}\n"), std::string::npos);
    for (const Advice& advice : a.advice) {
      EXPECT_FALSE(advice.title.empty());
      EXPECT_FALSE(advice.takes_effect.empty());
      for (const auto* list :
           {&advice.look, &advice.change, &advice.persist, &advice.undo, &advice.warnings}) {
        for (const std::string& line : *list) {
          EXPECT_EQ(line.find_first_of("{}\n"), std::string::npos) << advice.id << ": " << line;
        }
      }
    }
  }
}

TEST(Verdict, ABlockedShareBesideAnotherLimitIsTold) {
  Case c = window_limited();
  c.direction.limit = Limit::bandwidth;
  c.direction.blocked_us = 4'000'000;
  EXPECT_TRUE(mentions(c.assess().verdict.notes, "held the sender for 40 % of its busy time"));
}

TEST(Verdict, CaptureAtTheSenderSeesLittlePassWhileBlocked) {
  Case c = window_limited();
  c.direction.goodput_bps = 0.95 * 32'768 * 8 / 0.33;
  c.direction.blocked_rate_bps = 0.4 * 32'768 * 8 / 0.33;
  c.direction.capacity_bps = 0.99 * 32'768 * 8 / 0.33;
  c.direction.capacity_from = CapacityFrom::dispersion;
  EXPECT_FALSE(raises(c.assess()));
}

TEST(Verdict, AFasterPhaseBesideTheBlockedOneIsNoContradiction) {
  Case c = window_limited();
  c.direction.goodput_bps = 3 * 32'768 * 8 / 0.33;
  c.direction.limit_us[static_cast<std::size_t>(Limit::receiver_window)] = 6'000'000;
  c.direction.limit_us[static_cast<std::size_t>(Limit::bandwidth)] = 4'000'000;
  EXPECT_EQ(c.assess().verdict.confidence, Confidence::high);
  c.direction.limit_us[static_cast<std::size_t>(Limit::bandwidth)] = 400'000;
  EXPECT_EQ(c.assess().verdict.confidence, Confidence::low);
}

TEST(Verdict, NextLimit) {
  Case c = window_limited();
  c.direction.next_limit = Limit::slow_start;
  EXPECT_FALSE(c.assess().verdict.next_limit.has_value());
  c.direction.next_limit = Limit::congestion;
  EXPECT_EQ(c.assess().verdict.next_limit, Limit::congestion);
  c.direction.capacity_bps = 25e6;
  c.direction.capacity_from = CapacityFrom::dispersion;
  EXPECT_EQ(c.assess().verdict.next_limit, Limit::bandwidth);
}

TEST(Verdict, NoCeilingFromAClosedWindowOrAPassingBlock) {
  Case c = window_limited();
  c.direction.limit = Limit::receiver_app;
  c.direction.blocked_window = 0;
  EXPECT_FALSE(c.assess().verdict.ceiling_bps.has_value());
  c = window_limited();
  c.direction.limit = Limit::sender_buffer;
  c.direction.blocked_us = 10'000;  // 0.1 %
  EXPECT_FALSE(c.assess().verdict.ceiling_bps.has_value());
  c.direction.blocked_us = 2'000'000;
  EXPECT_TRUE(c.assess().verdict.ceiling_bps.has_value());
}

TEST(Verdict, EmptyResultsAreHarmless) {
  for (const Limit limit : analysis::kAllLimits) {
    Case c;
    c.direction.limit = limit;
    const Assessment a = c.assess();
    EXPECT_FALSE(a.verdict.summary.empty());
    EXPECT_TRUE(std::isfinite(a.verdict.gain));
  }
}

TEST(Words, ForOutput) {
  EXPECT_EQ(word(Confidence::medium), "medium");
  EXPECT_EQ(word(Role::middlebox), "middlebox");
}

}  // namespace
}  // namespace rwin::rules
