// The scenario reader itself: a faulty file is told by file and line, a played one shows what its
// text says.
#include <gtest/gtest.h>

#include <cmath>

#include "tests/support/scenario.h"
#include "tests/support/segment_builder.h"

namespace rwin::test {
namespace {

const std::string kHead =
    "A title\n"
    "client 192.0.2.10:51544 mss 1460 wscale 7 sack ts\n"
    "server 198.51.100.7:443 mss 1460 wscale 8 sack ts window 1MB\n"
    "path 50ms\n";

std::string error_of(const std::string& text) {
  try {
    const Scenario s = parse_scenario(text, "x.txt");
    unmet(s, View::client, 0, {analysis::ConnectionResult{}, {}});
  } catch (const ScenarioError& e) {
    return e.what();
  }
  return "no error";
}

TEST(ScenarioReader, NamesFileAndLineOfAFault) {
  EXPECT_EQ(error_of(kHead + "sender > syn\nexpect\n  limit bandwidth\n"),
            "x.txt:5: 'client' or 'server' is expected");
  EXPECT_EQ(error_of(kHead + "client > sin\nexpect\n"), "x.txt:5: 'sin' is not understood here");
  EXPECT_EQ(error_of(kHead + "+5 client > syn\nexpect\n"), "x.txt:5: '5' is no time: 20ms");
  EXPECT_EQ(error_of(kHead + "\nrepeat 3 every 1ms {\n client > ack\n"), "x.txt:7: '}' is missing");
  EXPECT_EQ(error_of(kHead + "client > len 12x\nexpect\n"), "x.txt:5: '12x' is no size");
  EXPECT_EQ(error_of(kHead + "client > win 65536\nexpect\n"), "x.txt:5: '65536' is out of range");
  EXPECT_EQ(error_of(kHead + "client > ack sack 12\nexpect\n"),
            "x.txt:5: '12' is no range: 1449-2897");
  EXPECT_EQ(error_of("T\nclient 192.0.2:5 mss 1460\n"),
            "x.txt:2: '192.0.2:5' is no IPv4 address with a port");
  EXPECT_EQ(error_of("T\nclient 192.0.2.1:70000\n"), "x.txt:2: '70000' is no port");
  EXPECT_EQ(error_of(kHead + "handshake\n"),
            "x.txt:5: nothing is expected: an 'expect' block is missing");
  EXPECT_EQ(error_of(kHead + "expect\n  windw max 3\n"),
            "x.txt:6: 'windw max 3' begins with no figure that can be expected");
  EXPECT_EQ(error_of(kHead + "expect\n  window max\n"), "x.txt:6: what must 'window max' be?");
  EXPECT_EQ(error_of(kHead + "expect\n  window max wide\n"), "x.txt:6: a number is expected");
  EXPECT_EQ(error_of(kHead + "expect\n  window max 3 4\n"), "x.txt:6: '4' is no tolerance: +-3%");
  EXPECT_EQ(error_of(kHead + "expect\n  blocked share as simulated +-0.1\n"),
            "x.txt:6: there is no transfer to take the share from");
  EXPECT_EQ(error_of("\nclient\n"), "x.txt:1: the first line must say what the scenario shows");
}

TEST(ScenarioReader, Quantities) {
  EXPECT_EQ(quantity("1.5ms"), 1.5e6);
  EXPECT_EQ(quantity("20us"), 20e3);
  EXPECT_EQ(quantity("25Mbit/s"), 25e6);
  EXPECT_EQ(quantity("300kB/s"), 2.4e6);
  EXPECT_EQ(quantity("64KiB"), 65536);
  EXPECT_EQ(quantity("-5ms"), -5e6);
  EXPECT_NEAR(*quantity("3%"), 0.03, 1e-12);
  EXPECT_FALSE(quantity("3 apples"));
  EXPECT_FALSE(quantity("x"));
  EXPECT_FALSE(quantity("5parsec"));
}

std::vector<analysis::Segment> at(const std::string& body, View view, std::uint32_t isn = 0) {
  return play(parse_scenario(kHead + body + "\nexpect\n  directions 1\n", "x.txt"), view, isn);
}

double ms(const std::vector<analysis::Segment>& s, std::size_t i) {
  return static_cast<double>(s[i].time_ns - s[0].time_ns) / 1e6;
}

TEST(ScenarioReader, ShowsTheHandshakeFromEveryPlace) {
  for (const std::uint32_t isn : kIsns) {
    const auto c = at("handshake", View::client, isn);
    const auto m = at("handshake", View::middle, isn);
    const auto s = at("handshake", View::server, isn);
    ASSERT_EQ(c.size(), 3U);
    ASSERT_EQ(m.size(), 3U);
    ASSERT_EQ(s.size(), 3U);
    EXPECT_EQ(ms(c, 1), 100);
    EXPECT_EQ(ms(c, 2), 100);
    EXPECT_EQ(ms(m, 1), 50);
    EXPECT_EQ(ms(m, 2), 100);
    EXPECT_EQ(ms(s, 1), 0);
    EXPECT_EQ(ms(s, 2), 100);
    EXPECT_EQ(c[1].ack, c[0].seq + 1);
    EXPECT_EQ(c[2].ack, c[1].seq + 1);
    EXPECT_EQ(c[2].seq, c[0].seq + 1);
    EXPECT_EQ(c[1].window, 65535);  // of a SYN: never scaled
    EXPECT_EQ(c[1].window_scale.value, 8);
    EXPECT_EQ(c[2].tsecr, c[1].tsval);
    EXPECT_EQ(c[1].tsecr, c[0].tsval);
  }
}

TEST(ScenarioReader, FillsInWhatHostsKnow) {
  const auto c = at(
      "handshake\nserver > len 1448 x 2 every 1ms\n+51ms client > ack\n+60ms server > len 100 push",
      View::client);
  ASSERT_EQ(c.size(), 7U);
  EXPECT_EQ(c[4].seq, c[3].seq + 1448);
  EXPECT_EQ(c[5].ack, c[4].seq + 1448);
  EXPECT_EQ(c[5].tsecr, c[3].tsval);  // of the first that the ACK answers (RFC 7323 4.3)
  EXPECT_EQ(c[6].tsecr, c[5].tsval);
  EXPECT_EQ(c[3].window, 1'000'000 >> 8);
  EXPECT_TRUE(c[6].has(analysis::flag::kPsh));
}

TEST(ScenarioReader, LossesAreSeenBeforeThePlaceOfLossOnly) {
  const std::string body =
      "handshake\n+60ms server > len 1448 lost\nserver > len 1448\n+60ms client > ack\n+60ms "
      "server > "
      "again len 1448";
  const auto s = at(body, View::server);
  const auto m = at(body, View::middle);
  const auto c = at(body, View::client);
  EXPECT_EQ(s.size(), 7U);
  EXPECT_EQ(m.size(), 7U);
  ASSERT_EQ(c.size(), 6U);
  EXPECT_EQ(s[5].sack_count, 1);  // the hole is told
  EXPECT_EQ(s[5].sack[0].left, s[4].seq);
  EXPECT_EQ(s[6].seq, s[3].seq);
}

TEST(ScenarioReader, RepeatsNestAndKeepTheirPace) {
  const auto s =
      at("handshake\nrepeat 3 every 100ms { repeat 2 { server > len 10; +1ms client > ack } }",
         View::server);
  ASSERT_EQ(s.size(), 3U + 12U);
  double last = -1;
  int data = 0;
  for (std::size_t i = 0; i < s.size(); ++i) {
    if (s[i].payload == 0) continue;
    if (data++ % 2 == 0) {
      EXPECT_TRUE(last < 0 || std::abs(ms(s, i) - last - 100) < 1e-6);
      last = ms(s, i);
    }
  }
  EXPECT_EQ(data, 6);
}

TEST(ScenarioReader, RecordingFaults) {
  const auto s =
      at("handshake\n+60ms server > len 10 twice\nserver > len 10 uncaptured\nserver > len 10 late "
         "3ms\nserver > len 10",
         View::server);
  ASSERT_EQ(s.size(), 3U + 4U);
  EXPECT_EQ(s[3].seq, s[4].seq - 30);  // "late" went behind the next one, "twice" came 2 us later
  EXPECT_EQ(s[3].ip_id, s[5].ip_id);
}

// The transfer's TCP obeys its own rules, whatever the limits: that makes it a witness.
TEST(Simulation, DeliversEverythingAndStaysUnderTheWindow) {
  const std::vector<std::string> ways = {"",
                                         " drop every 50",
                                         " drop 1,2,3,40",
                                         " at-most 64KiB",
                                         " pace 10Mbit/s",
                                         " chunk 30000 every 200ms",
                                         " reader 800kB/s",
                                         " pause 2s at 500ms"};
  for (const std::string& way : ways) {
    SCOPED_TRACE(way);
    const std::string body = "handshake\ntransfer client 1500000" + way;
    const auto s = at(body, View::client, 5);
    std::uint32_t highest = 0;
    std::int64_t edge = 0;
    std::uint32_t acked = 0;
    const std::uint32_t first = s[0].seq + 1;
    for (const auto& p : s) {
      if (p.has(analysis::flag::kSyn) && p.source == s[0].source) continue;
      if (p.source == s[0].source) {
        highest = std::max(highest, p.seq + p.payload - first);
        EXPECT_TRUE(p.payload == 0 || p.seq + p.payload - first <= edge);
      } else {
        acked = std::max(acked, p.ack - first);
        const int shift = p.has(analysis::flag::kSyn) ? 0 : 8;
        edge = std::max(
            edge, static_cast<std::int64_t>(p.ack - first) + (std::int64_t{p.window} << shift));
      }
    }
    EXPECT_EQ(highest, 1'500'000U);
    EXPECT_EQ(acked, 1'500'000U);
  }
}

}  // namespace
}  // namespace rwin::test
