// The emulated link on a clock of the test: times, queue, loss, order, what a middlebox does.
#include "link.h"

#include <gtest/gtest.h>

#include <vector>

namespace rwin::netlab {
namespace {

constexpr int64_t kMs = 1000000;

// A TCP segment over IPv4, without link header. Scale below 0: no option; a SYN has one.
Frame segment(size_t payload, uint16_t window, int scale = -1) {
  const bool syn = scale >= 0;
  const size_t head = syn ? 24 : 20, total = 20 + head + payload;
  Frame f(total, 0);
  f[0] = 0x45;
  f[2] = static_cast<uint8_t>(total >> 8);
  f[3] = static_cast<uint8_t>(total & 0xff);
  f[9] = 6;
  f[12] = 10, f[16] = 10, f[19] = 1;
  f[32] = static_cast<uint8_t>(head / 4 << 4);
  f[33] = syn ? 2 : 16;
  f[34] = static_cast<uint8_t>(window >> 8);
  f[35] = static_cast<uint8_t>(window & 0xff);
  if (syn) f[40] = 3, f[41] = 3, f[42] = static_cast<uint8_t>(scale), f[43] = 1;
  return f;
}

int window_of(const Frame& f) { return f[34] << 8 | f[35]; }

// The one's complement sum over pseudo header and segment is 0xffff when the checksum is right (RFC
// 1071).
bool checksum_holds(const Frame& f) {
  uint32_t sum = 6 + static_cast<uint32_t>(f.size() - 20);
  for (size_t i = 12; i < f.size(); i += 2) {
    sum += static_cast<uint32_t>(f[i] << 8 | (i + 1 < f.size() ? f[i + 1] : 0));
  }
  while (sum >> 16 != 0) sum = (sum & 0xffff) + (sum >> 16);
  return sum == 0xffff;
}

void pass_all(Link& link, int64_t until) {
  while (link.next_middle() <= until) {
    link.pass_middle([](int64_t, const Frame&) {});
  }
}

TEST(Link, DelayAndLineTimeAddUp) {
  LinkRules rules;
  rules.rate = 8e6;  // 1 byte a microsecond
  rules.delay_ms = 20;
  Link link(rules, 1, 0);
  link.arrive(0, segment(960, 100));
  link.arrive(0, segment(960, 100));
  EXPECT_EQ(link.next_middle(), 10 * kMs);
  pass_all(link, 10 * kMs);
  Frame f;
  EXPECT_FALSE(link.depart(20 * kMs + 999999, f));
  EXPECT_TRUE(link.depart(21 * kMs, f));
  EXPECT_EQ(link.next_event(), 22 * kMs);
  EXPECT_TRUE(link.depart(22 * kMs, f));
  EXPECT_EQ(link.next_event(), Link::kNever);
  EXPECT_DOUBLE_EQ(link.carried(12 * kMs), 2000);
}

TEST(Link, DropsWhatTheQueueCannotHold) {
  LinkRules rules;
  rules.rate = 8e6;
  rules.queue = 2500;
  Link link(rules, 1, 0);
  for (int i = 0; i < 5; ++i) link.arrive(0, segment(960, 100));
  pass_all(link, 1000 * kMs);
  // Backlog before the third is 2000, and 2000 + 1000 > 2500.
  EXPECT_EQ(link.counts.drop_queue, 3U);
}

TEST(Link, ObserverSeesPacketsBeforeLossInOrder) {
  LinkRules rules;
  rules.loss = 1;
  Link link(rules, 1, 0);
  for (int i = 0; i < 3; ++i) link.arrive(i * kMs, segment(100, 100));
  std::vector<int64_t> times;
  while (link.next_middle() != Link::kNever) {
    link.pass_middle([&](int64_t t, const Frame&) { times.push_back(t); });
  }
  EXPECT_EQ(times, (std::vector<int64_t>{5 * kMs, 6 * kMs, 7 * kMs}));
  EXPECT_EQ(link.counts.drop_loss, 3U);
  EXPECT_EQ(link.next_event(), Link::kNever);
}

TEST(Link, LossIsTheSameForTheSameSeed) {
  auto lost = [](uint64_t seed) {
    LinkRules rules;
    rules.loss = 0.1;
    Link link(rules, seed, 0);
    std::vector<uint64_t> after;
    for (int i = 0; i < 2000; ++i) {
      link.arrive(i * kMs, segment(100, 100));
      pass_all(link, i * kMs + 5 * kMs);
      after.push_back(link.counts.drop_loss);
    }
    return after;
  };
  EXPECT_EQ(lost(7), lost(7));
  EXPECT_NE(lost(7), lost(8));
  EXPECT_NEAR(static_cast<double>(lost(7).back()), 200, 45);
}

TEST(Link, ReorderedPacketsComeLater) {
  LinkRules rules;
  rules.rate = 1e9;
  rules.reorder = 1;
  rules.reorder_ms = 5;
  Link link(rules, 1, 0);
  link.arrive(0, segment(1, 1));
  pass_all(link, 5 * kMs);
  link.rules.reorder = 0;
  link.arrive(kMs, segment(2, 2));
  pass_all(link, 6 * kMs);
  Frame f;
  ASSERT_TRUE(link.depart(100 * kMs, f));
  EXPECT_EQ(window_of(f), 2);
  ASSERT_TRUE(link.depart(100 * kMs, f));
  EXPECT_EQ(window_of(f), 1);
}

TEST(Link, LosesTheFirstSyns) {
  LinkRules rules;
  rules.drop_syn = 1;
  Link link(rules, 1, 0);
  link.arrive(0, segment(10, 1));
  link.arrive(0, segment(0, 1, 7));
  link.arrive(0, segment(0, 1, 7));
  pass_all(link, 100 * kMs);
  EXPECT_EQ(link.counts.drop_loss, 1U);
}

TEST(Link, AnotherProtocolDoesNotPass) {
  Link link(LinkRules{}, 1, 0);
  Frame udp = segment(10, 1);
  udp[9] = 17;
  link.arrive(0, udp);
  pass_all(link, 100 * kMs);
  EXPECT_EQ(link.counts.other_protocol, 1U);
  EXPECT_EQ(link.next_event(), Link::kNever);
}

TEST(Rewriter, StripsTheScaleOption) {
  Frame f = segment(0, 5000, 7);
  Rewrite rules;
  rules.strip_scale = 1;
  EXPECT_TRUE(Rewriter().apply(rules, *find_tcp(f, 0), f));
  EXPECT_EQ((Frame{f.begin() + 40, f.end()}), (Frame{1, 1, 1, 1}));
  EXPECT_TRUE(checksum_holds(f));
}

TEST(Rewriter, ZeroesTheShift) {
  Frame f = segment(0, 5000, 7);
  Rewrite rules;
  rules.zero_scale = 1;
  EXPECT_TRUE(Rewriter().apply(rules, *find_tcp(f, 0), f));
  EXPECT_EQ((Frame{f.begin() + 40, f.end()}), (Frame{3, 3, 0, 1}));
  EXPECT_TRUE(checksum_holds(f));
}

TEST(Rewriter, ClampsScaledWindowsInBytes) {
  Rewrite rules;
  rules.clamp_window = 40000;
  Rewriter rewriter;
  Frame syn = segment(0, 64240, 7);
  EXPECT_TRUE(rewriter.apply(rules, *find_tcp(syn, 0), syn));
  EXPECT_EQ(window_of(syn), 40000);  // never scaled
  Frame large = segment(1, 502);
  EXPECT_TRUE(rewriter.apply(rules, *find_tcp(large, 0), large));
  EXPECT_EQ(window_of(large), 40000 / 128);
  EXPECT_TRUE(checksum_holds(large));
  Frame small = segment(1, 300);
  EXPECT_FALSE(rewriter.apply(rules, *find_tcp(small, 0), small));
}

TEST(FindTcp, RefusesWhatIsCut) {
  Frame f = segment(10, 1);
  EXPECT_TRUE(find_tcp(f, 0));
  for (size_t size = 0; size < f.size(); ++size) {
    EXPECT_FALSE(find_tcp(Frame(f.begin(), f.begin() + static_cast<long>(size)), 0)) << size;
  }
}

}  // namespace
}  // namespace rwin::netlab
