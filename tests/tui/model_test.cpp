// What is listed, in which order, and what stays where it is.
#include <gtest/gtest.h>

#include <algorithm>

#include "demo.h"
#include "tui/model/cells.h"
#include "tui/model/series.h"

namespace rwin::tui::test {
namespace {

std::vector<std::uint64_t> ids(const Model& model) {
  std::vector<std::uint64_t> out;
  for (const Row* row : model.rows()) out.push_back(row->id.connection);
  return out;
}

std::shared_ptr<Snapshot> turned(const Snapshot& from) {
  auto out = std::make_shared<Snapshot>(from);
  // Another order of what is lost: what was worst is over.
  out->connections[0].closed = true;
  return out;
}

TEST(Order, NoRowMovesWithinThreeSecondsOfAKey) {
  Model model = showing(demo());
  model.press('j', 1'010'000);
  const auto before = ids(model);
  model.take(turned(*demo()), 1'012'900);
  EXPECT_EQ(ids(model), before);
  model.take(turned(*demo()), 1'013'100);
  EXPECT_NE(ids(model), before);
}

// Whatever order the connections come in, and whatever is gone or new.
TEST(Order, RowsKeepTheirPlacesAndNewOnesComeLast) {
  Model model = showing(demo());
  model.press('o', 1'010'000);
  auto expected = ids(model);
  auto next = std::make_shared<Snapshot>(*demo());
  const std::uint64_t gone = expected[1];
  expected.erase(expected.begin() + 1);
  std::erase_if(next->connections, [&](const Connection& c) { return c.id == gone; });
  std::reverse(next->connections.begin(), next->connections.end());
  next->connections.push_back(next->connections.front());
  next->connections.back().id = 1'000;
  expected.push_back(1'000);
  model.take(next, 1'100'000);
  EXPECT_EQ(ids(model), expected);
}

TEST(Order, TheFirstRowIsTheOneTheAnswerSpeaksOf) {
  const Model model = showing(demo());
  EXPECT_EQ(model.rows()[0]->id, model.answer().worst);
  EXPECT_EQ(model.answer().limit, analysis::Limit::receiver_window);
  EXPECT_EQ(model.answer().key, "[3] fix");
}

TEST(Order, ClosedOnesComeLast) {
  const Model model = showing(demo());
  bool closed = false;
  for (const Row* row : model.rows()) {
    EXPECT_TRUE(row->closed || !closed);
    closed = row->closed;
  }
  EXPECT_TRUE(closed);
}

TEST(Pause, ThePictureStaysWhileSortAndDrillGoOn) {
  Model model = showing(demo());
  model.press(' ', 1'010'000);
  const std::string before = picture(model, 100, 30).text();
  auto later = std::make_shared<Snapshot>(*demo());
  later->connections.clear();
  later->packets += 10;
  model.take(later, 1'020'000);
  model.tick(1'010'000);
  const auto list = [](const std::string& text) { return text.substr(text.find("LIMIT")); };
  EXPECT_EQ(list(picture(model, 100, 30).text()), list(before));
  model.press('s', 1'020'000);
  EXPECT_EQ(model.sort(), SortBy::rate);
  model.press(key::kEnter, 1'020'000);
  EXPECT_EQ(model.screen(), Screen::flow);
  EXPECT_NE(model.flow(), nullptr);
}

TEST(FilterWords, FaultsAreToldAndLetEverythingPass) {
  for (const char* text : {"port:x", "state:perhaps", "limit:nonsense", "port:70000"}) {
    const Filter f = Filter::parse(text);
    EXPECT_FALSE(f.fault().empty()) << text;
    const Model model = showing(demo());
    for (const Row* row : model.rows()) EXPECT_TRUE(f.passes(*row, {}));
  }
}

TEST(FilterWords, EachNarrows) {
  const Model model = showing(demo());
  const auto count = [&](const char* text) {
    const Filter f = Filter::parse(text);
    EXPECT_TRUE(f.fault().empty()) << text << f.fault();
    return std::count_if(model.rows().begin(), model.rows().end(),
                         [&](const Row* r) { return f.passes(*r, {}); });
  };
  const auto all = static_cast<long>(model.rows().size());
  EXPECT_EQ(count(""), all);
  EXPECT_EQ(count("port:"), all);  // still being typed
  EXPECT_GE(count("limit:window"), 1);
  EXPECT_EQ(count("limit:window") + count("!limit:window"), all);
  EXPECT_EQ(count("state:open") + count("state:closed"), all);
  EXPECT_EQ(count("host:10.0."), count("10.0."));
  EXPECT_EQ(count("port:1"), 0);
  EXPECT_EQ(count("process:curl"), 0);
  EXPECT_EQ(count("limit:WINDOW state:open !state:open"), 0);
}

TEST(Hosts, ParallelStreamsAddUpAgainstTheLine) {
  Model model = showing(parallel());
  press(model, "4");
  ASSERT_EQ(model.hosts().size(), 1U);
  const HostRow& host = model.hosts()[0];
  EXPECT_EQ(host.streams, 4U);
  EXPECT_EQ(host.window_limited, 4U);
  ASSERT_TRUE(host.together_bps && host.line_bps);
  EXPECT_NEAR(*host.together_bps / *host.line_bps, 1.0, 0.05);
}

TEST(Cursor, RatesOfTheMomentAddUpToTheAverage) {
  const auto file = capture("article-rwin32k-rtt330-receiver");
  const analysis::DirectionResult& d = file->connections[0].result->directions[0];
  const std::int64_t end_us = (file->now_ns - file->first_ns) / 1000;
  double sum = 0;
  const int kParts = 200;
  for (int i = 1; i <= kParts; ++i)
    sum += moment_of(d, end_us * i / kParts - 1, end_us / kParts, end_us).rate_bps;
  EXPECT_NEAR(sum / kParts * static_cast<double>(end_us) / 8e6, static_cast<double>(d.bytes),
              0.05 * static_cast<double>(d.bytes));
}

TEST(SeriesOfColumns, KeepTheVolumeAtEveryWidth) {
  const auto file = capture("loss-receiver");
  const analysis::DirectionResult& d = file->connections[0].result->directions[0];
  std::uint64_t bytes = 0;
  for (const analysis::SamplePoint& p : d.samples.points) bytes += p.bytes;
  const std::int64_t to = static_cast<std::int64_t>(d.samples.points.size()) * d.samples.step_us;
  for (const std::size_t columns : {1U, 7U, 80U, 280U, 1000U}) {
    const Series s = cut_series(d.samples, 0, to, columns);
    double sum = 0;
    for (const Column& c : s.rate_bps)
      sum += c.value_or(0) * static_cast<double>(to) / static_cast<double>(columns) / 8e6;
    EXPECT_NEAR(sum, static_cast<double>(bytes), 1e-6 * static_cast<double>(bytes)) << columns;
  }
}

TEST(Scales, EndAtRoundFigures) {
  EXPECT_EQ(nice_end(24.9e6, false), 25e6);
  EXPECT_EQ(nice_end(26e6, false), 30e6);
  EXPECT_EQ(nice_end(1e6, false), 1e6);
  EXPECT_EQ(nice_end(262'144, true), 262'144);
  EXPECT_EQ(nice_end(262'145, true), 327'680);
  EXPECT_EQ(nice_end(0, false), 1);
}

TEST(Targets, StepsUpAndDownMeetAgain) {
  for (double rate = 1e5; rate < 300e9; rate = next_target(rate, true)) {
    const double up = next_target(rate, true);
    EXPECT_GT(up, rate);
    EXPECT_DOUBLE_EQ(next_target(up, false), rate);
  }
  EXPECT_EQ(next_target(400e9, true), 400e9);
  EXPECT_EQ(next_target(100e3, false), 100e3);
}

TEST(Targets, AHigherOneNeedsALargerWindow) {
  Model model = showing(demo());
  press(model, "3 +");
  const std::string once = model.fix().copy;
  press(model, "+ + + +");
  EXPECT_NE(model.fix().copy, once);
}

TEST(FixOfThisHost, TellsWhatTheKernelSaysAndTheValuesInForce) {
  auto live = std::make_shared<Snapshot>(*demo());
  Model model = showing(live);
  const auto id = model.row()->id.connection;
  for (Connection& c : live->connections) {
    if (c.id != id) continue;
    c.local.emplace();
    c.local->client = !c.result->directions[0].from_client;
    c.local->settings = std::make_shared<rules::LocalValues>(rules::LocalValues{
        {"net.ipv4.tcp_rmem", "4096 131072 65536"}, {"net.core.rmem_max", "212992"}});
  }
  model.take(live, 2'000'000);
  const auto lines = model.fix().lines;
  EXPECT_TRUE(std::any_of(lines.begin(), lines.end(), [](const FixLine& l) {
    return l.label == "  now" && l.text.find(" -> ") != std::string::npos;
  }));
}

TEST(Cells, AreShort) {
  EXPECT_EQ(rate_cell(24.9e6, Units::bits), "24.9");
  EXPECT_EQ(rate_cell(8e6, Units::bytes), "1.00");
  EXPECT_EQ(rate_cell(1.25e9, Units::bits), "1250");
  EXPECT_EQ(rate_cell(4000, Units::bits), "0.004");
  EXPECT_EQ(rate_cell(std::nullopt, Units::bits), "?");
  EXPECT_EQ(bytes_cell(262'144), "256 K");
  EXPECT_EQ(bytes_cell(0), "0");
  EXPECT_EQ(bytes_cell(1'572'864), "1.5 M");
  EXPECT_EQ(time_cell(82'000), "82 ms");
  EXPECT_EQ(time_cell(400), "0.4 ms");
  EXPECT_EQ(clock_cell(102), "01:42");
  EXPECT_EQ(clock_cell(3723), "1:02:03");
}

TEST(Cells, ThePortIsNeverCut) {
  EXPECT_EQ(endpoint_cell("198.51.100.7", 443, false, 30), "198.51.100.7:443");
  const std::string v6 = "2001:db8:aaaa:bbbb:cccc:dddd:eeee:ffff";
  for (std::size_t limit = 12; limit < 60; ++limit) {
    const std::string text = endpoint_cell(v6, 51544, true, limit);
    EXPECT_LE(text.size(), std::max<std::size_t>(limit, 12));
    EXPECT_EQ(text.substr(text.size() - 7), "]:51544");
  }
}

TEST(MouseHits, SelectOpenSortAndScroll) {
  Model model = showing(demo());
  picture(model, 114, 30);
  const int top = model.places.list_top;
  model.mouse({Mouse::What::click, 10, top + 2}, 5'000'000);
  EXPECT_EQ(model.selected(), 2U);
  EXPECT_EQ(model.screen(), Screen::flows);
  picture(model, 114, 30);
  model.mouse({Mouse::What::click, 10, top + 2}, 5'001'000);
  EXPECT_EQ(model.screen(), Screen::flow);
  press(model, "esc");
  picture(model, 114, 30);
  for (const Places::Head& head : model.places.heads) {
    if (head.by == SortBy::rtt)
      model.mouse({Mouse::What::click, head.to - 1, model.places.header_line}, 5'010'000);
  }
  EXPECT_EQ(model.sort(), SortBy::rtt);
  picture(model, 114, 30);
  const std::size_t at = model.selected();
  model.mouse({Mouse::What::wheel_down, 10, top}, 5'020'000);
  EXPECT_EQ(model.selected(), at + 3);
}

// A flow may be gone from one snapshot to the next, a list may be empty, a screen may be tiny:
// nothing breaks.
TEST(Edges, EveryScreenOfEverySizeWithAndWithoutFlows) {
  auto empty = std::make_shared<Snapshot>();
  empty->live = true;
  for (const char* keys : {"1", "2", "3", "4", "?", "1 ,", "2 left +", "1 x", "3 y", "4 enter"}) {
    for (const auto& [width, height] : {std::pair{1, 1},
                                        {5, 3},
                                        {29, 8},
                                        {30, 8},
                                        {31, 9},
                                        {59, 15},
                                        {60, 16},
                                        {61, 40},
                                        {300, 9},
                                        {300, 100}}) {
      Model model = showing(demo());
      picture(model, width, height);
      press(model, keys);
      picture(model, width, height);
      model.take(empty, 9'000'000);
      picture(model, width, height, Glyphs::ascii);
      model.take(demo_ipv6(), 9'010'000);
      picture(model, width, height, Glyphs::block);
    }
  }
}

}  // namespace
}  // namespace rwin::tui::test
