// The values of this host beside the new ones, and what is said while a transfer still runs.
#include "rules/local_values.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "flows.h"

namespace rwin::rules {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;
using namespace test;

Advice changing(std::vector<std::string> lines) {
  Advice advice;
  advice.change = std::move(lines);
  return advice;
}

TEST(LocalValues, StandBesideTheNewOnes) {
  const Advice advice = changing({"sudo sysctl -w net.ipv4.tcp_rmem=\"4096 131072 20971520\"",
                                  "sudo sysctl -w net.ipv4.tcp_moderate_rcvbuf=1",
                                  "sudo sysctl -w net.core.rmem_max=20971520   # for SO_RCVBUF",
                                  "# sysctl -w net.ipv4.tcp_sack=1", "sudo modprobe tcp_bbr",
                                  "sudo sysctl -w net.ipv4.tcp_window_scaling=1"});
  EXPECT_THAT(now_and_new(advice, {{"net.ipv4.tcp_rmem", "4096\t131072\t6291456"},
                                   {"net.ipv4.tcp_moderate_rcvbuf", "1"},
                                   {"net.core.rmem_max", "212992"},
                                   {"net.ipv4.tcp_sack", "0"}}),
              ElementsAre("net.ipv4.tcp_rmem: 4096 131072 6291456 -> 4096 131072 20971520",
                          "net.ipv4.tcp_moderate_rcvbuf is 1 already",
                          "net.core.rmem_max: 212992 -> 20971520"));
}

TEST(LocalValues, NothingIsSaidOfWhatIsNotAnAssignment) {
  EXPECT_THAT(now_and_new(changing({"sudo sysctl -w", "sudo sysctl -w x", "sudo sysctl -w =1",
                                    "sudo sysctl -w x=", "sudo sysctl -w x=\"\""}),
                          {{"x", "1"}, {"", "1"}}),
              IsEmpty());
}

// Every advice for Linux that sets a sysctl is understood.
TEST(LocalValues, OfARealAdvice) {
  Case c = window_limited(262'144);
  c.direction.window_first = 65'536;
  c.direction.window_max_at_us = 4'000'000;
  c.settings.target_bps = 25e6;
  const Assessment a = c.assess();
  ASSERT_FALSE(a.advice.empty());
  EXPECT_THAT(now_and_new(a.advice[0], {{"net.ipv4.tcp_rmem", "4096\t131072\t262144"}}),
              testing::Contains(HasSubstr("net.ipv4.tcp_rmem: 4096 131072 262144 -> 4096")));
}

TEST(RunningTransfer, HasNotEndedYet) {
  Case c = download();
  c.direction.limit = Limit::slow_start;
  c.connection.end = analysis::End::open;
  const Verdict running = c.assess().verdict;
  EXPECT_THAT(running.summary, HasSubstr("has not reached full speed yet"));
  EXPECT_THAT(running.notes, Not(testing::Contains(HasSubstr("was over"))));
  c.connection.end = analysis::End::fin;
  const Verdict over = c.assess().verdict;
  EXPECT_THAT(over.summary, HasSubstr("ended while it was still speeding up"));
  EXPECT_THAT(over.notes, testing::Contains(HasSubstr("was over")));
}

// The kernel of this host knows what packets only hint at.
TEST(ReceiveBufferFixed, DecidesBetweenProgramAndSystem) {
  Case c = window_limited();  // flat from the start: looks like a program's own value
  EXPECT_EQ(c.assess().verdict.cause, "buffer-fixed");
  c.settings.receive_buffer_fixed = false;
  const Assessment system = c.assess();
  EXPECT_EQ(system.verdict.cause, "buffer-capped");
  EXPECT_THAT(system.verdict.unproven, Not(testing::Contains("buffer_owner")));
  ASSERT_EQ(system.advice.size(), 1U);
  EXPECT_THAT(system.advice[0].change, testing::Contains(HasSubstr("tcp_rmem")));
  c.direction.window_first = 16'384;  // it grew: looks like the system's
  c.direction.window_max_at_us = 4'000'000;
  c.settings.receive_buffer_fixed = true;
  const Assessment program = c.assess();
  EXPECT_EQ(program.verdict.cause, "buffer-fixed");
  EXPECT_THAT(program.verdict.unproven, Not(testing::Contains("buffer_owner")));
}

// The interface's speed is the target only where neither the user nor the path tells one.
TEST(InterfaceSpeed, IsTheLastTargetOfAll) {
  Case c = window_limited();
  c.direction.capacity_bps.reset();
  c.direction.capacity_from = analysis::CapacityFrom::none;
  c.settings.interface_bps = 1e9;
  Verdict v = c.assess().verdict;
  EXPECT_EQ(v.potential_bps, 1e9);
  EXPECT_THAT(v.unproven, testing::Contains("path_capacity"));
  c.direction.capacity_bps = 25e6;
  c.direction.capacity_from = analysis::CapacityFrom::dispersion;
  EXPECT_EQ(c.assess().verdict.potential_bps, 25e6);
  c.settings.target_bps = 10e6;
  EXPECT_EQ(c.assess().verdict.potential_bps, 10e6);
}

}  // namespace
}  // namespace rwin::rules
