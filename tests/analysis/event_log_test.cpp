#include "analysis/event_log.h"

#include <gtest/gtest.h>

#include <random>
#include <vector>

#include "tests/support/seed.h"

namespace rwin::test {
namespace {

using analysis::Event;
using analysis::EventLog;
using analysis::EventPool;
namespace event = analysis::event;

std::vector<Event> drain(EventLog& log, EventPool& pool) {
  std::vector<Event> out;
  log.drain(pool, [&](const Event& e) { out.push_back(e); });
  return out;
}

void expect_same(const std::vector<Event>& got, const std::vector<Event>& want) {
  ASSERT_EQ(got.size(), want.size());
  for (std::size_t i = 0; i < got.size(); ++i) {
    SCOPED_TRACE(i);
    EXPECT_EQ(got[i].time_us, want[i].time_us);
    EXPECT_EQ(got[i].seq, want[i].seq);
    EXPECT_EQ(got[i].sample_us, want[i].sample_us);
    EXPECT_EQ(got[i].amount, want[i].amount);
    EXPECT_EQ(got[i].flags, want[i].flags);
    if (testing::Test::HasFailure()) return;
  }
}

TEST(EventLog, GivesBackWhatWentIn) {
  EventPool pool;
  EventLog log;
  const std::vector<Event> want = {
      {0, 0, 0, 64'240, event::kAck | event::kUnscaled},
      {0, 1448, 0, 1448, 0},
      {0, 1448, 1, 0, event::kProbe},
      {7, 1448 + 65'160, 0, 65'160, event::kPush},
      {1'000'000, 1448, 30'000, 502, event::kAck | event::kDuplicate | event::kSack},
      {1'000'000, 500, 0, 500, event::kRetransmission | event::kTimeout | event::kSpurious},
  };
  for (const Event& e : want) log.append(pool, e);
  EXPECT_EQ(log.size(), want.size());
  expect_same(drain(log, pool), want);
  EXPECT_EQ(log.size(), 0U);
  EXPECT_TRUE(drain(log, pool).empty());
}

TEST(EventLog, WorksAgainAfterADrain) {
  EventPool pool;
  EventLog log;
  for (int round = 0; round < 5; ++round) {
    std::vector<Event> want;
    for (int i = 0; i < 1000; ++i) {
      want.push_back({round * 5'000'000LL + i, (round * 1000LL + i) * 1448, 0, 1448, 0});
      log.append(pool, want.back());
    }
    expect_same(drain(log, pool), want);
  }
}

// 64-bit numbers, jumps of 4 GB and of hours, everything that flags can be, two logs in one pool.
TEST(EventLog, RandomEventsAcrossBlocks) {
  const std::uint64_t seed = test_seed(31);
  SCOPED_TRACE(seed_text(seed));
  std::mt19937_64 random(seed);
  EventPool pool;
  std::array<EventLog, 2> logs;
  std::array<std::vector<Event>, 2> want;
  std::array<Event, 2> now{};
  const auto upto = [&](std::uint64_t n) { return static_cast<std::int64_t>(random() % n); };
  for (int i = 0; i < 40'000; ++i) {
    const auto k = static_cast<std::size_t>(random() % 2);
    Event& e = now[k];
    e.time_us += random() % 1000 == 0 ? upto(20'000'000'000) : upto(3) == 0 ? 0 : upto(100'000);
    const std::int64_t step = random() % 500 == 0 ? upto(std::uint64_t{1} << 33) : upto(70'000);
    e.seq = std::max<std::int64_t>(0, e.seq + (random() % 4 == 0 ? -step : step));
    e.sample_us = random() % 5 == 0 ? static_cast<std::uint32_t>(upto(4'000'000)) : 0;
    e.amount = static_cast<std::uint32_t>(upto(random() % 9 == 0 ? 1 << 22 : 65'536));
    e.flags = static_cast<std::uint16_t>(upto(256));
    want[k].push_back(e);
    logs[k].append(pool, e);
  }
  for (std::size_t k = 0; k < 2; ++k) expect_same(drain(logs[k], pool), want[k]);
}

TEST(EventLog, BlocksAreUsedAgain) {
  EventPool pool;
  EventLog first;
  EventLog second;
  for (int i = 0; i < 10'000; ++i) first.append(pool, {i, i, 0, 1, 0});
  EXPECT_EQ(drain(first, pool).size(), 10'000U);
  std::vector<Event> want;
  for (int i = 0; i < 10'000; ++i) {
    want.push_back({i, 2LL * i, 3, 4, event::kAck});
    second.append(pool, want.back());
  }
  expect_same(drain(second, pool), want);
}

}  // namespace
}  // namespace rwin::test
