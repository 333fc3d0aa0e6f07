#include <fstream>
#include <sstream>

#include "tests/support/scenario.h"
#include "tests/support/scenario_words.h"

namespace rwin::test {
namespace {

using analysis::flag::kAck;
using analysis::flag::kSyn;

class Parser {
 public:
  Parser(const std::string& text, const std::string& name) : in_(text) { s_.file = name; }

  Scenario parse() {
    read_title();
    begin_connection();
    while (next_line()) top_line();
    if (s_.views.empty()) s_.views = {View::client, View::middle, View::server};
    end_connection();
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

  Conversation& talk() { return s_.connections.back(); }
  void begin_connection() { s_.connections.emplace_back().tracks.emplace_back(); }
  void end_connection() const {
    const auto& hosts = s_.connections.back().hosts;
    if (hosts[0].end.port == 0 || hosts[1].end.port == 0)
      fail("client and server must be described");
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
    if (words_.take("connection")) return connection();
    if (words_.take("again")) return again();
    if (words_.take("track")) {
      talk().tracks.emplace_back();
      words_.done();
      return;
    }
    item_line(talk().tracks.back());
  }

  // connection [turned]: the next one, with hosts and a way of its own.
  void connection() {
    end_connection();
    begin_connection();
    talk().turned = words_.take("turned");
    words_.done();
  }

  // again [client A:P] [server A:P]: the last connection once more, between other ends.
  void again() {
    end_connection();
    s_.connections.push_back(s_.connections.back());
    do {
      HostSpec& h = talk().hosts[side()];
      h.end = words_.endpoint();
    } while (!words_.empty());
  }

  void host(std::size_t i) {
    HostSpec& h = talk().hosts[i];
    h.end = words_.endpoint();
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

  // path 50ms [from server|client 80ms] [rate R [queue Q]]: delay of one way; the rest applies to
  // what was named last.
  void path() {
    const std::int64_t delay = words_.time();
    auto& ways = talk().ways;
    ways[0].delay_ns = ways[1].delay_ns = delay;
    std::size_t way = 1;
    while (!words_.empty()) {
      if (words_.take("from")) {
        way = side();
        if (!words_.empty() && words_.peek_is_quantity()) ways[way].delay_ns = words_.time();
      } else if (words_.take("rate")) {
        ways[way].rate_bps = words_.quantity("rate");
      } else if (words_.take("queue")) {
        ways[way].queue_bytes = words_.size();
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
    expect_connection_.reset();
    expect_host_.reset();
    while (!words_.empty()) {
      if (words_.take("from"))
        expect_from_client_ = side() == 0;
      else if (words_.take("at"))
        expect_view_ = view();
      else if (words_.take("connection"))
        expect_connection_ = connection_number();
      else if (words_.take("host"))
        expect_host_ = host_address();
      else
        words_.unknown();
    }
  }

  std::size_t connection_number() {
    const auto most = static_cast<std::int64_t>(s_.connections.size());
    return static_cast<std::size_t>(words_.integer(1, most) - 1);
  }

  // client, server (of the first connection) or an address.
  analysis::Address host_address() {
    if (words_.take("client")) return s_.connections.front().hosts[0].end.address;
    if (words_.take("server")) return s_.connections.front().hosts[1].end.address;
    return words_.address();
  }

  void expectation() {
    Expectation e;
    e.line = number_;
    e.view = expect_view_;
    e.from_client = expect_from_client_;
    e.connection = expect_connection_;
    e.host = expect_host_;
    e.figure = words_.longest(e.host ? host_figure_names() : figure_names());
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
      if (i > 0) p.at_ns = talk().ways[i == 1 ? 0 : 1].delay_ns;
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
  std::optional<std::size_t> expect_connection_;
  std::optional<analysis::Address> expect_host_;
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
