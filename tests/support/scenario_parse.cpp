#include <cctype>
#include <charconv>
#include <fstream>
#include <sstream>

#include "tests/support/scenario.h"
#include "tests/support/scenario_words.h"

namespace rwin::test {
namespace {

using analysis::flag::kAck;
using analysis::flag::kSyn;

bool ipv4(const std::string& text, analysis::Address& out) {
  std::istringstream in(text);
  std::string part;
  std::size_t i = 0;
  while (std::getline(in, part, '.')) {
    int v = -1;
    const auto r = std::from_chars(part.data(), part.data() + part.size(), v);
    if (r.ec != std::errc{} || r.ptr != part.data() + part.size() || v < 0 || v > 255 || i > 3)
      return false;
    out.bytes[i++] = static_cast<std::uint8_t>(v);
  }
  out.family = 4;
  return i == 4;
}

class Parser {
 public:
  Parser(const std::string& text, const std::string& name) : in_(text) { s_.file = name; }

  Scenario parse() {
    read_title();
    s_.tracks.emplace_back();
    while (next_line()) top_line();
    if (s_.views.empty()) s_.views = {View::client, View::middle, View::server};
    if (s_.hosts[0].end.port == 0 || s_.hosts[1].end.port == 0)
      fail("client and server must be described");
    if (s_.expectations.empty()) fail("nothing is expected: an 'expect' block is missing");
    return std::move(s_);
  }

 private:
  [[noreturn]] void fail(const std::string& what) const {
    throw ScenarioError(s_.place_of_line(number_) + ": " + what);
  }

  void read_title() {
    std::string line;
    ++number_;
    if (!std::getline(in_, line) || line.empty())
      fail("the first line must say what the scenario shows");
    s_.title = line[0] == '#' ? line.substr(line.find_first_not_of("# ")) : line;
  }

  // Words of the next line that has any; '#' begins a comment; braces are words of their own.
  bool next_line() {
    std::string line;
    while (std::getline(in_, line)) {
      ++number_;
      line = line.substr(0, line.find('#'));
      std::string spaced;
      for (const char c : line) {
        if (c == '{' || c == '}' || c == ';' || c == ',')
          spaced += std::string(" ") + c + " ";
        else
          spaced += c;
      }
      std::istringstream words(spaced);
      std::vector<std::string> list;
      for (std::string w; words >> w;) list.push_back(w);
      if (list.empty()) continue;
      words_ = Words(std::move(list), s_.place_of_line(number_));
      return true;
    }
    return false;
  }

  void top_line() {
    if (in_expect_ && words_.peek() != "expect") return expectation();
    if (words_.take("client") && words_.peek() != ">") return host(0);
    if (words_.take("server") && words_.peek() != ">") return host(1);
    words_.rewind();
    if (words_.take("path")) return path();
    if (words_.take("capture")) return capture();
    if (words_.take("clock")) return clock();
    if (words_.take("expect")) return expect();
    if (words_.take("track")) {
      s_.tracks.emplace_back();
      words_.done();
      return;
    }
    item_line(s_.tracks.back());
  }

  void host(std::size_t i) {
    HostSpec& h = s_.hosts[i];
    const std::string address = words_.next("address:port");
    const auto colon = address.rfind(':');
    if (colon == std::string::npos || !ipv4(address.substr(0, colon), h.end.address)) {
      words_.fail("'" + address + "' is no IPv4 address with a port");
    }
    h.end.port = port(address.substr(colon + 1));
    while (!words_.empty()) {
      if (words_.take("mss"))
        h.mss = static_cast<std::uint16_t>(words_.integer(0, 65535));
      else if (words_.take("wscale"))
        h.wscale = static_cast<std::uint8_t>(words_.integer(0, 255));
      else if (words_.take("sack"))
        h.sack = true;
      else if (words_.take("ts"))
        h.timestamps = true;
      else if (words_.take("clock"))
        h.clock_ns = words_.time();
      else if (words_.take("window"))
        h.window = words_.size();
      else if (words_.take("offload"))
        h.offload = words_.size();
      else if (words_.take("ttl"))
        h.ttl = static_cast<std::uint8_t>(words_.integer(1, 255));
      else if (words_.take("no-ip-id"))
        h.ip_ids = false;
      else
        words_.unknown();
    }
  }

  std::uint16_t port(const std::string& text) const {
    int v = 0;
    const auto r = std::from_chars(text.data(), text.data() + text.size(), v);
    if (r.ec != std::errc{} || r.ptr != text.data() + text.size() || v < 1 || v > 65535) {
      words_.fail("'" + text + "' is no port");
    }
    return static_cast<std::uint16_t>(v);
  }

  // path 50ms [from server|client 80ms] [rate R [queue Q]]: delay of one way; the rest applies to
  // what was named last.
  void path() {
    const std::int64_t delay = words_.time();
    s_.ways[0].delay_ns = s_.ways[1].delay_ns = delay;
    std::size_t way = 1;
    while (!words_.empty()) {
      if (words_.take("from")) {
        way = side();
        if (!words_.empty() && words_.peek_is_quantity()) s_.ways[way].delay_ns = words_.time();
      } else if (words_.take("rate")) {
        s_.ways[way].rate_bps = words_.quantity("rate");
      } else if (words_.take("queue")) {
        s_.ways[way].queue_bytes = words_.size();
      } else {
        words_.unknown();
      }
    }
  }

  std::size_t side() {
    if (words_.take("client")) return 0;
    if (words_.take("server")) return 1;
    words_.fail("'client' or 'server' is expected");
  }

  View view() {
    if (words_.take("client")) return View::client;
    if (words_.take("middle")) return View::middle;
    if (words_.take("server")) return View::server;
    words_.fail("a place is expected: client, middle or server");
  }

  void capture() {
    words_.must("at");
    while (!words_.empty()) {
      if (words_.take(",")) continue;
      if (words_.take("from"))
        s_.recorded_from_ns = words_.time();
      else
        s_.views.push_back(view());
    }
  }

  // clock -80ms at 1.5s: the recording host's clock is set then.
  void clock() {
    s_.clock_step_ns = words_.time();
    words_.must("at");
    s_.clock_step_at_ns = words_.time();
    words_.done();
  }

  void expect() {
    in_expect_ = true;
    expect_view_.reset();
    expect_from_client_.reset();
    while (!words_.empty()) {
      if (words_.take("from"))
        expect_from_client_ = side() == 0;
      else if (words_.take("at"))
        expect_view_ = view();
      else
        words_.unknown();
    }
  }

  void expectation() {
    Expectation e;
    e.line = number_;
    e.view = expect_view_;
    e.from_client = expect_from_client_;
    e.figure = words_.longest(figure_names());
    if (e.figure.empty())
      words_.fail("'" + words_.rest() + "' begins with no figure that can be expected");
    e.words = words_.all();
    if (e.words.empty()) words_.fail("what must '" + e.figure + "' be?");
    s_.expectations.push_back(std::move(e));
  }

  // One or more items on a line, divided by ';'.
  void item_line(std::vector<Item>& into) {
    do {
      into.push_back(item());
    } while (words_.take(";") && !words_.empty());
    words_.done();
  }

  Item item() {
    Item it;
    const std::string& first = words_.peek();
    if (!first.empty() && (first[0] == '+' || first[0] == '@')) {
      const std::string when = words_.next("time");
      it.absolute = when[0] == '@';
      it.at_ns = words_.as_time(when.substr(1));
    }
    if (words_.take("repeat")) {
      repeat(it);
    } else if (words_.take("handshake")) {
      handshake(it);
    } else if (words_.take("transfer")) {
      it.kind = Item::Kind::transfer;
      it.transfer.line = number_;
      it.transfer.side = static_cast<int>(side());
      read_transfer(words_, it.transfer);
    } else {
      it.packet.line = number_;
      it.packet.side = static_cast<int>(side());
      words_.must(">");
      read_packet(words_, it.packet);
    }
    return it;
  }

  // repeat 40 [every 100ms] { items }
  void repeat(Item& it) {
    it.kind = Item::Kind::repeat;
    it.times = static_cast<int>(words_.integer(0, 1'000'000));
    if (words_.take("every")) it.every_ns = words_.time();
    words_.must("{");
    for (;;) {
      while (words_.empty()) {
        if (!next_line()) fail("'}' is missing");
      }
      if (words_.take("}")) break;
      it.items.push_back(item());
      if (!words_.empty() && words_.peek() != "}") words_.must(";");
    }
  }

  // SYN, SYN-ACK and ACK, each as soon as the one before arrives.
  void handshake(Item& it) {
    it.kind = Item::Kind::repeat;
    for (int i = 0; i < 3; ++i) {
      Item p;
      p.packet.line = number_;
      p.packet.side = i == 1 ? 1 : 0;
      p.packet.flags = i == 0 ? kSyn : i == 1 ? (kSyn | kAck) : kAck;
      if (i > 0) p.at_ns = s_.ways[i == 1 ? 0 : 1].delay_ns;
      it.items.push_back(p);
    }
  }

  std::istringstream in_;
  Scenario s_;
  Words words_;
  int number_ = 0;
  bool in_expect_ = false;
  std::optional<View> expect_view_;
  std::optional<bool> expect_from_client_;
};

}  // namespace

Scenario parse_scenario(const std::string& text, const std::string& name) {
  return Parser(text, name).parse();
}

Scenario load_scenario(const std::string& path) {
  std::ifstream in(path);
  if (!in) throw ScenarioError(path + ":0: cannot be read");
  std::ostringstream text;
  text << in.rdbuf();
  return parse_scenario(text.str(), path);
}

}  // namespace rwin::test
