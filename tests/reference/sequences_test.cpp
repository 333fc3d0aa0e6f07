// All short sequences of what can happen to one direction of data: the engine equals the reference
// on each and keeps its invariants.
#include <gtest/gtest.h>

#include <cstdio>
#include <string>
#include <string_view>
#include <vector>

#include "tests/reference/compare.h"
#include "tests/support/segment_builder.h"

namespace rwin::reference {
namespace {

using analysis::Segment;
using test::kMs;

constexpr std::int64_t kMss = 1'000;
constexpr std::string_view kAlphabet = "nbraDszolPg";

// What the two hosts have said so far. The server sends the data.
struct Talk {
  test::Talk talk{0xfffff000U};  // wraps after four segments
  bool scaled = true;
  std::int64_t t = 0, step = 0;
  std::int64_t next = 1, acked = 1, window = 8 * kMss;
  std::vector<Segment> packets;
  std::uint16_t id = 1;

  void handshake() {
    packets.push_back(talk.client(0).syn().mss(1'000).wscale(3).win(8'000).id(id++));
    packets.push_back(talk.server(40 * kMs).syn().ack(1).mss(1'000).wscale(7).id(id++));
    packets.push_back(talk.client(40 * kMs + 10)
                          .seq(1)
                          .ack(1)
                          .win(static_cast<std::uint16_t>(window >> 3))
                          .id(id++));
    t = 41 * kMs;
  }
  void data(std::int64_t seq, std::int64_t length) {
    packets.push_back(
        talk.server(t).seq(seq).ack(1).len(static_cast<std::uint32_t>(length)).id(id++));
    next = std::max(next, seq + length);
  }
  void ack(std::int64_t number) {
    acked = std::max(acked, number);
    packets.push_back(
        talk.client(t).seq(1).ack(number).win(static_cast<std::uint16_t>(window >> 3)).id(id++));
  }
  void old_ack() {
    packets.push_back(talk.client(t)
                          .seq(1)
                          .ack(std::max<std::int64_t>(1, acked - kMss))
                          .win(2 * kMss >> 3)
                          .id(id++));
  }
  void play(char what) {
    t += step;
    switch (what) {
      case 'n':  // new data
        data(next, kMss);
        break;
      case 'b':  // beyond the edge
        data(next, std::max(kMss, acked + window + kMss - next));
        break;
      case 'r':  // the oldest unacknowledged segment again, or the last acknowledged one
        data(next > acked ? acked : std::max<std::int64_t>(1, acked - kMss), kMss);
        break;
      case 'a':
        ack(next);
        break;
      case 'D':  // the same ACK again
        ack(acked);
        break;
      case 's':  // the window shrinks
        window /= 2;
        ack(acked);
        break;
      case 'z':
        window = 0;
        ack(acked);
        break;
      case 'o':
        window = 16 * kMss;
        ack(acked);
        break;
      case 'l':  // an ACK that was overtaken on the way, with the window of its time
        old_ack();
        break;
      case 'P':  // a probe
        data(next - 1, 0);
        break;
      case 'g':  // a segment that was not captured, and the one after it
        data(next + kMss, kMss);
        break;
      default:
        FAIL();
    }
  }
};

// How the sequences are told: with or without the handshake, fast or slow.
struct Way {
  bool handshake;
  std::int64_t step;
};

void compare_sequence(const Way& way, const std::string& word, Compared& all) {
  Talk talk;
  talk.step = way.step;
  if (way.handshake) talk.handshake();
  for (const char c : word) talk.play(c);
  all.add(compare_connection(talk.packets, 1'000));
}

// Read after every event or at the end: the counts are the same.
void compare_readings(const Way& way, const std::string& word) {
  Talk talk;
  talk.step = way.step;
  if (way.handshake) talk.handshake();
  for (const char c : word) talk.play(c);
  const auto whole = run_engine(talk.packets, 1U << 20U);
  const auto parts = run_engine(talk.packets, 1);
  ASSERT_EQ(whole.size(), parts.size());
  for (std::size_t i = 0; i < whole.size(); ++i) {
    expect_sound(parts[i]);
    ASSERT_EQ(whole[i].directions.size(), parts[i].directions.size());
    for (std::size_t d = 0; d < whole[i].directions.size(); ++d)
      expect_same_counts(whole[i].directions[d], parts[i].directions[d]);
  }
}

const std::vector<Way> kAllWays = {
    {true, 2 * kMs}, {true, 300 * kMs}, {false, 20}, {false, 50 * kMs}};

// Every word of that length over the first `letters` letters of the alphabet.
void compare_all_words(std::size_t length, std::size_t letters = kAlphabet.size(),
                       const std::vector<Way>& ways = kAllWays) {
  Compared all;
  std::size_t words = 0;
  std::string word(length, kAlphabet[0]);
  std::vector<std::size_t> digits(length, 0);
  for (bool more = true; more;) {
    for (std::size_t i = 0; i < length; ++i) word[i] = kAlphabet[digits[i]];
    for (std::size_t w = 0; w < ways.size(); ++w) {
      compare_sequence(ways[w], word, all);
      if (length <= 4) compare_readings(ways[w], word);
      ++words;
      if (testing::Test::HasFailure()) {
        ADD_FAILURE() << "sequence " << word << ", way " << w;
        return;
      }
    }
    more = false;
    for (std::size_t i = 0; i < length && !more; ++i) {
      digits[i] = (digits[i] + 1) % letters;
      more = digits[i] != 0;
    }
  }
  std::printf("%zu sequences of %zu events, %zu segments compared\n", words, length, all.steps);
}

TEST(ReferenceSequences, OneToThreeEvents) {
  for (std::size_t n = 1; n <= 3; ++n) compare_all_words(n);
}
TEST(ReferenceSequences, FourEvents) { compare_all_words(4); }
TEST(ReferenceSequences, FiveEvents) { compare_all_words(5, kSlow ? 7 : kAlphabet.size()); }
TEST(ReferenceSequences, SixEvents) {
  compare_all_words(6, kSlow ? 5 : 8, {{true, 2 * kMs}, {false, 50 * kMs}});
}

}  // namespace
}  // namespace rwin::reference
