#include "demo.h"

#include <csignal>
#include <stdexcept>

#include "app/analyze.h"
#include "app/dashboard/kept_report.h"
#include "rules/platform.h"

namespace rwin::tui::test {
namespace {

constexpr std::int64_t kStartNs = 1'764'500'000'000'000'000;

// The connections of one capture. Kept: every test reads them again.
const Snapshot& read(const std::string& name) {
  static std::map<std::string, SnapshotPtr> kept;
  SnapshotPtr& known = kept[name];
  if (!known) {
    app::Options options;
    options.files = {std::string(RWIN_SOURCE_DIR) + "/pcaps/" + name + ".pcap.gz"};
    options.chart_points = 512;
    app::KeptReport report;
    volatile std::sig_atomic_t stop = 0;
    const app::Outcome outcome = app::analyze(options, report, stop, false);
    if (outcome.failure) throw std::runtime_error(outcome.failure->message);
    known = report.snapshot();
  }
  return *known;
}

// A connection that begins at `start_ns`, with another number and other ports.
Connection moved(const Connection& from, std::uint64_t id, std::int64_t start_ns, bool closed) {
  Connection c = from;
  auto result = std::make_shared<analysis::ConnectionResult>(*from.result);
  result->id = id;
  result->end_ns = start_ns + (result->end_ns - result->start_ns);
  result->start_ns = start_ns;
  result->end = closed ? analysis::End::fin : analysis::End::open;
  c.result = result;
  c.id = id;
  c.closed = closed;
  c.last_ns = result->end_ns;
  return c;
}

void reassess(Connection& c, const rules::Settings& settings) {
  auto assessments = std::make_shared<std::vector<rules::Assessment>>();
  for (const analysis::DirectionResult& d : c.result->directions)
    assessments->push_back(rules::assess(*c.result, d, settings, rules::Catalogue::built_in()));
  c.assessments = assessments;
}

analysis::Address long_address(std::uint8_t last) {
  analysis::Address a;
  a.family = 6;
  a.bytes = {0x20, 0x01, 0x0d, 0xb8, 0xaa, 0xaa, 0xbb, 0xbb,
             0xcc, 0xcc, 0xdd, 0xdd, 0xee, 0xee, 0xff, last};
  return a;
}

std::shared_ptr<Snapshot> composed() {
  struct Part {
    const char* name;
    std::int64_t ago_s;  // its last packet
    bool closed;
  };
  static constexpr Part kParts[] = {{"article-rwin32k-rtt330-receiver", 0, false},
                                    {"slow-reader-receiver", 0, false},
                                    {"loss-receiver", 0, false},
                                    {"bandwidth-receiver", 0, false},
                                    {"paced-server-receiver", 0, false},
                                    {"send-buffer-receiver", 0, false},
                                    {"no-handshake-receiver", 4, true},
                                    {"slow-program-receiver", 9, true},
                                    {"no-scaling-receiver", 14, true}};
  auto out = std::make_shared<Snapshot>();
  out->live = true;
  out->filter_can_change = true;
  out->source = "eth0";
  out->filter = "tcp port 443";
  out->first_ns = kStartNs;
  out->now_ns = kStartNs + 42'000'000'000;
  out->packets_per_second = 1284;
  out->drops = 0;
  std::uint64_t id = 0;
  for (const Part& part : kParts) {
    const Snapshot& one = read(part.name);
    out->packets += one.packets;
    for (const Connection& c : one.connections) {
      const std::int64_t length_ns = c.result->end_ns - c.result->start_ns;
      out->connections.push_back(
          moved(c, ++id, out->now_ns - part.ago_s * 1'000'000'000 - length_ns, part.closed));
    }
  }
  return out;
}

}  // namespace

std::shared_ptr<const Snapshot> demo() { return composed(); }

std::shared_ptr<const Snapshot> demo_file() {
  auto out = composed();
  out->live = false;
  out->source = "slow.pcap";
  out->filter.clear();
  out->packets_per_second.reset();
  out->drops.reset();
  return out;
}

std::shared_ptr<const Snapshot> demo_ipv6() {
  auto out = composed();
  std::uint8_t last = 0xf0;
  for (Connection& c : out->connections) {
    auto result = std::make_shared<analysis::ConnectionResult>(*c.result);
    result->client.address = long_address(0xff);
    result->server.address = long_address(--last);
    c.result = result;
    reassess(c, out->settings);
  }
  return out;
}

std::shared_ptr<const Snapshot> capture(const std::string& name) {
  return std::make_shared<Snapshot>(read(name));
}

std::shared_ptr<const Snapshot> parallel() {
  auto out = std::make_shared<Snapshot>();
  out->source = "four.pcap";
  out->first_ns = kStartNs;
  const Snapshot& one = read("article-rwin32k-rtt330-receiver");
  out->settings.target_bps = 4 * one.connections[0].result->directions[0].goodput_bps.value();
  for (std::uint64_t i = 0; i < 4; ++i) {
    Connection c = moved(one.connections[0], i + 1,
                         kStartNs + static_cast<std::int64_t>(i) * 1'000'000, false);
    auto result = std::make_shared<analysis::ConnectionResult>(*c.result);
    result->client.port = static_cast<std::uint16_t>(51544 + i);
    c.result = result;
    reassess(c, out->settings);
    out->now_ns = std::max(out->now_ns, c.last_ns);
    out->connections.push_back(std::move(c));
  }
  out->packets = 4 * one.packets;
  return out;
}

std::shared_ptr<const Snapshot> many(std::size_t count) {
  const auto few = demo();
  auto out = std::make_shared<Snapshot>(*few);
  out->connections.clear();
  for (std::size_t i = 0; i < count; ++i) {
    const Connection& from = few->connections[i % few->connections.size()];
    Connection c = from;
    auto result = std::make_shared<analysis::ConnectionResult>(*from.result);
    result->id = c.id = i + 1;
    result->client.port = static_cast<std::uint16_t>(1024 + i % 60'000);
    result->client.address.bytes[2] = static_cast<std::uint8_t>(i / 250);
    c.result = result;
    out->connections.push_back(std::move(c));
  }
  return out;
}

Model showing(SnapshotPtr snapshot) {
  Model model;
  model.take(std::move(snapshot), 1'000'000);
  return model;
}

void press(Model& model, std::string_view keys) {
  std::int64_t now_ms = 2'000'000;
  while (!keys.empty()) {
    const std::size_t end = std::min(keys.find(' '), keys.size());
    const Key k = key_of(keys.substr(0, end));
    if (k == key::kNone)
      throw std::runtime_error("no such key: " + std::string(keys.substr(0, end)));
    model.press(k, now_ms += 10'000);
    keys.remove_prefix(std::min(end + 1, keys.size()));
  }
}

Canvas picture(Model& model, int width, int height, Glyphs glyphs) {
  Canvas canvas(width, height);
  draw(model, {glyphs}, canvas);
  return canvas;
}

}  // namespace rwin::tui::test
