// What may stand behind "client >", "server >" and "transfer".
#include <array>
#include <cctype>
#include <charconv>
#include <unordered_map>

#include "tests/support/scenario_words.h"

namespace rwin::test {
namespace {

using analysis::flag::kAck;
using analysis::flag::kFin;
using analysis::flag::kPsh;
using analysis::flag::kRst;
using analysis::flag::kSyn;

std::int64_t whole(const Words& words, const std::string& text) {
  std::int64_t v = 0;
  const auto r = std::from_chars(text.data(), text.data() + text.size(), v);
  if (r.ec != std::errc{} || r.ptr != text.data() + text.size()) {
    words.fail("'" + text + "' is no whole number");
  }
  return v;
}

std::array<std::int64_t, 2> range(Words& words) {
  const std::string text = words.next("range A-B");
  const auto dash = text.find('-');
  if (dash == std::string::npos) words.fail("'" + text + "' is no range: 1449-2897");
  return {whole(words, text.substr(0, dash)), whole(words, text.substr(dash + 1))};
}

bool flag_word(Words& words, PacketSpec& p) {
  static const std::unordered_map<std::string, int> kWords = {{"syn", kSyn},
                                                              {"syn-ack", kSyn | kAck},
                                                              {"push", kPsh | kAck},
                                                              {"fin", kFin | kAck},
                                                              {"rst", kRst}};
  const auto it = kWords.find(words.peek());
  if (it == kWords.end()) return false;
  words.skip();
  p.flags = static_cast<std::uint8_t>(p.flags | it->second);
  return true;
}

bool number_word(Words& words, PacketSpec& p) {
  if (words.take("ack")) {
    p.flags = static_cast<std::uint8_t>(p.flags | kAck);
    if (words.empty() || !words.peek_is_quantity()) return true;
    const bool step = words.peek()[0] == '+';
    (step ? p.ack_step : p.ack) = words.integer(0, INT64_MAX);
  } else if (words.take("len")) {
    p.len = words.size();
    p.flags = static_cast<std::uint8_t>(p.flags | kAck);
  } else if (words.take("seq")) {
    p.seq = words.integer(-1, INT64_MAX);
  } else if (words.take("win")) {
    p.window_field = static_cast<std::uint16_t>(words.integer(0, 65535));
  } else if (words.take("window")) {
    p.window_bytes = words.size();
  } else if (words.take("probe") || words.take("keep-alive")) {
    p.probe = true;
    p.flags = static_cast<std::uint8_t>(p.flags | kAck);
  } else if (words.take("id")) {
    p.ip_id = static_cast<std::uint16_t>(words.integer(0, 65535));
  } else if (words.take("tsval")) {
    p.tsval = static_cast<std::uint32_t>(words.integer(0, 0xffffffff));
  } else if (words.take("tsecr")) {
    p.tsecr = static_cast<std::uint32_t>(words.integer(0, 0xffffffff));
  } else if (words.take("mss")) {
    if (words.take("none"))
      p.without_mss = true;
    else
      p.mss = static_cast<std::uint16_t>(words.integer(0, 65535));
  } else if (words.take("wscale")) {
    p.wscale = words.take("none") ? -1 : static_cast<int>(words.integer(0, 255));
  } else if (words.take("boxed-wscale")) {
    p.boxed_wscale = words.take("none") ? -1 : static_cast<int>(words.integer(0, 255));
  } else if (words.take("sack")) {
    p.auto_sack = false;
    if (words.take("none")) return true;
    do p.sack.push_back(range(words));
    while (!words.empty() && std::isdigit(static_cast<unsigned char>(words.peek()[0])));
  } else {
    return false;
  }
  return true;
}

bool fate_word(Words& words, PacketSpec& p) {
  if (words.take("lost")) {
    p.lost = true;
    p.lost_early = words.take("early");
  } else if (words.take("uncaptured")) {
    p.uncaptured = true;
  } else if (words.take("twice")) {
    p.twice = true;
  } else if (words.take("again")) {
    p.again = true;
  } else if (words.take("no-ts")) {
    p.with_ts = false;
  } else if (words.take("options-cut")) {
    p.options_cut = true;
  } else if (words.take("late")) {
    p.late_ns = words.time();
  } else if (words.take("stamp")) {
    p.stamp_ns = words.time();
  } else if (words.take("slow")) {
    p.slow_ns = words.time();
  } else if (words.take("x")) {
    p.count = static_cast<int>(words.integer(1, 1'000'000));
    if (words.take("every")) p.every_ns = words.time();
  } else {
    return false;
  }
  return true;
}

void drops(Words& words, TransferSpec& t) {
  if (words.take("every")) {
    t.drop_every = words.integer(2, 1'000'000);
  } else {
    do t.drop.push_back(words.integer(1, 1'000'000'000));
    while (words.take(","));
  }
  t.drop_early = words.take("early");
}

}  // namespace

void read_packet(Words& words, PacketSpec& p) {
  while (!words.empty() && words.peek() != ";" && words.peek() != "}") {
    if (!flag_word(words, p) && !number_word(words, p) && !fate_word(words, p)) words.unknown();
  }
}

void read_transfer(Words& words, TransferSpec& t) {
  t.bytes = words.size();
  while (!words.empty() && words.peek() != ";" && words.peek() != "}") {
    if (words.take("cwnd"))
      t.first_cwnd = words.integer(1, 1'000'000);
    else if (words.take("at-most"))
      t.most_in_flight = words.size();
    else if (words.take("pace"))
      t.pace = words.quantity("rate") / 8;
    else if (words.take("chunk")) {
      t.chunk = words.size();
      words.must("every");
      t.chunk_every_ns = words.time();
    } else if (words.take("idle-restart"))
      t.idle_restart = true;
    else if (words.take("drop"))
      drops(words, t);
    else if (words.take("ack-every"))
      t.ack_every = static_cast<int>(words.integer(1, 1000));
    else if (words.take("ack-delay"))
      t.ack_delay_ns = words.time();
    else if (words.take("twice"))
      t.twice = true;
    else if (words.take("push"))
      t.push = true;
    else if (words.take("doubled"))
      t.doubled = words.quantity("share");
    else if (words.take("unrecorded"))
      t.unrecorded = words.quantity("share");
    else if (words.take("late")) {
      t.late = words.quantity("share");
      t.late_ns = words.time();
    } else if (words.take("slow")) {
      t.slow = words.quantity("share");
      t.slow_ns = words.time();
    } else if (words.take("reader"))
      t.reader = words.quantity("rate") / 8;
    else if (words.take("pause")) {
      t.pause_ns = words.time();
      words.must("at");
      t.pause_at_ns = words.time();
    } else if (words.take("grow-to")) {
      t.grow_to = words.size();
      words.must("every");
      t.grow_every_ns = words.time();
    } else
      words.unknown();
  }
}

}  // namespace rwin::test
