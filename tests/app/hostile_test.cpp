// Hostile names (tests/support/hostile.h) through every report and screen: none steers a terminal,
// forges a line or a cell, or leaves its quotes. hostile_program_test.cpp: through the program.
#include "tests/support/hostile.h"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <sstream>

#include "app/dashboard/kept_report.h"
#include "app/live/metrics.h"
#include "app/local_text.h"
#include "tests/app/program.h"
#include "tests/app/sample_run.h"
#include "tui/model/model.h"
#include "tui/screens/screens.h"

namespace rwin::app {
namespace {

using rwin::test::forges_a_line;
using rwin::test::kHostileNames;
using rwin::test::steering;

// Every text that comes, or could come, from outside is `name`.
RunInfo hostile_info(std::string_view given) {
  const std::string name(given);
  RunInfo info = test::sample_info();
  info.names = {name};
  info.link_types = {name};
  info.filter = name;
  info.warnings = {name};
  return info;
}

rules::Advice hostile_advice(const std::string& name) {
  rules::Advice advice;
  advice.id = advice.host = advice.platform = advice.title = advice.takes_effect = advice.because =
      name;
  advice.look = advice.change = advice.persist = advice.undo = advice.warnings = {name};
  return advice;
}

Judged hostile_judged(std::string_view given) {
  const std::string name(given);
  Judged j = test::sample_judged();
  j.client_os = j.server_os = j.client_note.setting = j.server_note.setting = name;
  auto local = std::make_shared<LocalSocket>();
  local->client = true;
  local->pid = 7;
  local->process = name;
  local->settings = std::make_shared<const rules::LocalValues>(rules::LocalValues{{name, name}});
  j.local = local;
  rules::Assessment& a = j.assessments[0];
  a.verdict.cause = a.verdict.summary = name;
  a.verdict.evidence = {{given, 1, given}};  // kept as a view: the list of names outlives it
  a.verdict.unproven = a.verdict.notes = {name};
  a.advice = {hostile_advice(name)};
  return j;
}

std::vector<rules::HostSummary> hostile_hosts(std::string_view given) {
  rules::HostSummary host;
  host.address = test::endpoint(10, 0).address;
  host.connections = host.window_limited = 1;
  host.os = host.cause = given;
  host.notes = {host.os};
  host.advice = {hostile_advice(host.os)};
  return {host};
}

std::string hostile_report(Format format, std::string_view name, bool ascii = false) {
  const test::Folder folder;
  Options options;
  options.format = format;
  options.verbose = true;
  Style style;
  style.ascii = ascii;
  Output out;
  EXPECT_FALSE(out.open(folder.path("report"), {}));
  const auto report = make_report(out, options, style);
  report->begin(hostile_info(name));
  report->connection(hostile_judged(name));
  report->end(hostile_info(name), hostile_hosts(name), ExitCode::ok);
  EXPECT_FALSE(out.commit());
  return test::read_file(folder.path("report"));
}

class Hostile : public testing::TestWithParam<std::string_view> {};

TEST_P(Hostile, Text) {
  for (const bool ascii : {false, true}) {
    const std::string text = hostile_report(Format::text, GetParam(), ascii);
    EXPECT_EQ(steering(text), "") << text;
    EXPECT_FALSE(forges_a_line(text)) << text;
    EXPECT_NE(text.find("RECEIVER WINDOW"), std::string::npos);
  }
}

TEST_P(Hostile, Json) {
  const std::string text = hostile_report(Format::json, GetParam());
  EXPECT_EQ(steering(text), "") << text;
  const nlohmann::json document = nlohmann::json::parse(text);
  EXPECT_EQ(document["connections"].size(), 1U);
  const std::string name(GetParam());
  if (steering(name).find("byte") == 0) return;  // no UTF-8: it cannot come back whole
  EXPECT_EQ(document["source"]["names"][0], name);
  EXPECT_EQ(document["connections"][0]["local"]["process"], name);
}

TEST_P(Hostile, JsonLines) {
  const std::string text = hostile_report(Format::jsonl, GetParam());
  EXPECT_EQ(steering(text), "") << text;
  std::istringstream lines(text);
  for (std::string line; std::getline(lines, line);)
    EXPECT_TRUE(nlohmann::json::accept(line)) << line;
}

// The cells of one line (RFC 4180; a cell of ours never has a line feed in it).
std::vector<std::string> csv_cells(const std::string& line) {
  std::vector<std::string> cells(1);
  bool quoted = false;
  for (const char c : line) {
    if (c == '"')
      quoted = !quoted;
    else if (c == ',' && !quoted)
      cells.emplace_back();
    else
      cells.back() += c;
  }
  EXPECT_FALSE(quoted) << line;
  return cells;
}

TEST_P(Hostile, Csv) {
  const std::string text = hostile_report(Format::csv, GetParam());
  EXPECT_EQ(steering(text), "") << text;
  std::istringstream lines(text);
  std::string header, row, more;
  std::getline(lines, header);
  std::getline(lines, row);
  EXPECT_FALSE(std::getline(lines, more)) << more;
  const auto cells = csv_cells(row);
  EXPECT_EQ(cells.size(), csv_cells(header).size());
  for (const std::string& cell : cells)
    EXPECT_EQ(std::string_view("=+-@").find(cell.empty() ? 'x' : cell[0]), std::string::npos)
        << cell;
}

TEST_P(Hostile, Metrics) {
  LiveSnapshot snapshot;
  snapshot.info = hostile_info(GetParam());
  capture::InterfaceStatus interface;
  interface.name = GetParam();
  snapshot.interfaces = {interface};
  Metrics metrics;
  metrics.add(snapshot);
  const std::string text = metrics.text();
  EXPECT_EQ(steering(text), "") << text;
  EXPECT_FALSE(forges_a_line(text));
  // Each sample is a name, at most one label whose quotes hold, and a value.
  std::istringstream lines(text);
  for (std::string line; std::getline(lines, line);) {
    if (line[0] == '#') continue;
    std::size_t at = line.find_first_of("{ ");
    if (line[at] == '{') {
      at = line.find("=\"", at) + 2;
      while (line.at(at) != '"') at += line.at(at) == '\\' ? 2 : 1;
      EXPECT_EQ(line.compare(at, 3, "\"} "), 0) << line;
      at += 2;
    }
    EXPECT_EQ(line.find_first_not_of("0123456789.e+-", at + 1), std::string::npos) << line;
  }
}

// Each screen of the dashboard, as cells; and what its keys would copy.
TEST_P(Hostile, Dashboard) {
  KeptReport report;
  report.begin(hostile_info(GetParam()));
  report.connection(hostile_judged(GetParam()));
  report.end(hostile_info(GetParam()), hostile_hosts(GetParam()), ExitCode::ok);
  tui::Model model;
  model.take(report.snapshot(), 1'000'000);
  model.want_names(true);
  model.add_name(test::endpoint(10, 0).address, std::string(GetParam()));
  model.say(std::string(GetParam()));
  std::int64_t now_ms = 2'000'000;
  const auto look = [&](std::string_view where) {
    for (const auto& [width, height] : {std::pair{160, 50}, std::pair{80, 24}, std::pair{40, 12}}) {
      tui::Canvas canvas(width, height);
      tui::draw(model, {}, canvas);
      const std::string text = canvas.text();
      EXPECT_EQ(steering(text), "") << where << "\n" << text;
      EXPECT_FALSE(forges_a_line(text)) << text;
    }
  };
  look("flows");
  for (const tui::Screen screen : {tui::Screen::flow, tui::Screen::fix, tui::Screen::hosts}) {
    model.press(U'1' + static_cast<tui::Key>(screen), now_ms += 10'000);
    EXPECT_EQ(model.screen(), screen);
    model.say(std::string(GetParam()));
    look("screen");
  }
}

std::string printable_name(const testing::TestParamInfo<std::string_view>& info) {
  return "name" + std::to_string(info.index);
}
INSTANTIATE_TEST_SUITE_P(Names, Hostile, testing::ValuesIn(kHostileNames), printable_name);

}  // namespace
}  // namespace rwin::app
