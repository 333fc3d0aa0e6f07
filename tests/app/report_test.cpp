#include "app/report.h"

#include <gtest/gtest.h>

#include <functional>
#include <nlohmann/json.hpp>
#include <regex>
#include <sstream>

#include "app/finding_list.h"
#include "app/json_fields.h"
#include "app/judge.h"
#include "tests/app/program.h"
#include "tests/app/sample_run.h"

namespace rwin::app {
namespace {

using analysis::Limit;
using nlohmann::json;
using test::sample_info;
using test::sample_judged;

// What a report writes, through a file as -o does.
std::string reported(Format format, const std::function<void(Report&)>& feed, Options options = {},
                     Style style = {}) {
  const test::Folder folder;
  options.format = format;
  Output out;
  EXPECT_FALSE(out.open(folder.path("report"), {}));
  feed(*make_report(out, options, style));
  EXPECT_FALSE(out.commit());
  return test::read_file(folder.path("report"));
}

std::string whole(Format format, std::vector<Judged> list, Options options = {}, Style style = {}) {
  return reported(
      format,
      [&](Report& report) {
        RunInfo info = sample_info();
        info.connections = list.size();
        report.begin(info);
        for (Judged& judged : list) report.connection(std::move(judged));
        report.end(info, {}, ExitCode::ok);
      },
      std::move(options), style);
}

std::vector<Judged> one() {
  std::vector<Judged> list;
  list.push_back(sample_judged());
  return list;
}

void put_in_tunnel(Judged& judged) {
  judged.connection.tunnel = analysis::Tunnel::gre;
  judged.connection.tunnel_ends = std::make_shared<const analysis::TunnelEnds>(
      analysis::TunnelEnds{test::endpoint(101, 0).address, test::endpoint(102, 0).address});
}

std::vector<std::string> keys(const json& object) {
  std::vector<std::string> out;
  for (const auto& [key, value] : object.items()) out.push_back(key);
  return out;
}

void expect_keys(const json& object, std::initializer_list<const char*> names) {
  for (const char* name : names)
    EXPECT_TRUE(object.contains(name)) << name << " not in " << object.dump();
}

TEST(JsonReport, HasEveryKeyOfTheContract) {
  const json doc = json::parse(whole(Format::json, one()));
  expect_keys(doc,
              {"schema", "tool", "source", "capture", "settings", "connections", "hosts", "error"});
  expect_keys(doc["source"], {"kind", "names", "link_types", "filter", "first_ns", "last_ns"});
  expect_keys(doc["capture"], {"packets", "tcp_packets", "cut", "malformed", "duplicates",
                               "not_used", "kernel_drops", "interface_drops"});
  expect_keys(doc["settings"], {"target_bps", "target_from"});
  const json& c = doc["connections"].at(0);
  expect_keys(c, {"id", "client", "server", "role_from", "start_ns", "end_ns", "end", "handshake",
                  "vantage", "directions"});
  expect_keys(c["client"], {"ip", "port", "os"});
  expect_keys(c["handshake"], {"syn_seen", "syn_ack_seen", "client", "server"});
  expect_keys(c["handshake"]["client"], {"mss", "window_scale", "sack", "timestamps"});
  expect_keys(c["handshake"]["client"]["window_scale"], {"state", "shift"});
  expect_keys(c["vantage"], {"place", "client_side_rtt_us", "server_side_rtt_us"});
  const json& d = c["directions"].at(0);
  expect_keys(d, {"sender",
                  "receiver",
                  "bytes",
                  "wire_bytes",
                  "duration_us",
                  "goodput_bps",
                  "segments",
                  "retransmitted_segments",
                  "retransmitted_bytes",
                  "spurious_segments",
                  "reordered_segments",
                  "capture_gap_bytes",
                  "longest_stall_us",
                  "rtt_us",
                  "window",
                  "flight_bytes",
                  "capacity_bps",
                  "capacity_from",
                  "receiver_blocked_share",
                  "shares",
                  "timeline",
                  "verdict",
                  "advice"});
  expect_keys(d["rtt_us"], {"base", "p50", "p90", "p99", "samples", "method"});
  expect_keys(d["window"],
              {"scale", "max_bytes", "p50_bytes", "min_bytes", "zero_count", "zero_us"});
  expect_keys(d["window"]["scale"], {"state", "shift", "inferred"});
  expect_keys(d["flight_bytes"], {"p50", "max"});
  EXPECT_EQ(keys(d["shares"]).size(), std::size_t{analysis::kLimitCount});
  expect_keys(d["timeline"].at(0), {"start_us", "duration_us", "class"});
  expect_keys(d["verdict"], {"limit", "cause", "confidence", "ceiling_bps", "potential_bps", "gain",
                             "next_limit", "summary", "evidence", "unproven"});
  expect_keys(d["verdict"]["evidence"].at(0), {"key", "value", "unit"});
  expect_keys(d["advice"].at(0), {"id", "host", "role", "platform", "title", "window_bytes",
                                  "buffer_bytes", "connections", "look", "change", "persist",
                                  "undo", "takes_effect", "expected_bps", "because", "warnings"});
}

TEST(JsonReport, SaysUnknownAsNullAndAbsentAsFalse) {
  const json doc = json::parse(whole(Format::json, one()));
  const json& c = doc["connections"][0];
  EXPECT_EQ(c["handshake"]["client"]["mss"], 1460);
  EXPECT_EQ(c["handshake"]["client"]["window_scale"],
            (json{{"state", "absent"}, {"shift", nullptr}}));
  EXPECT_EQ(c["handshake"]["client"]["sack"], true);
  EXPECT_EQ(c["handshake"]["client"]["timestamps"], false);
  EXPECT_EQ(c["handshake"]["server"]["mss"], nullptr);
  EXPECT_EQ(c["handshake"]["server"]["window_scale"],
            (json{{"state", "unknown"}, {"shift", nullptr}}));
  EXPECT_EQ(c["handshake"]["server"]["sack"], nullptr);
  EXPECT_EQ(c["server"]["os"], nullptr);
  const json& d = c["directions"][0];
  EXPECT_EQ(d["window"]["scale"]["shift"], nullptr);
  EXPECT_EQ(d["window"]["min_bytes"], nullptr);
  EXPECT_EQ(d["capacity_from"], nullptr);
  EXPECT_EQ(d["receiver_blocked_share"], 0.9);
  EXPECT_EQ(d["verdict"]["next_limit"], "bandwidth");
  EXPECT_EQ(doc["settings"]["target_from"], nullptr);
  EXPECT_EQ(doc["capture"]["kernel_drops"], nullptr);
  EXPECT_EQ(doc["error"], nullptr);
}

TEST(JsonReport, NamesTheEndsOfATunnel) {
  std::vector<Judged> list = one();
  EXPECT_TRUE(json::parse(whole(Format::json, one()))["connections"][0]["tunnel_ends"].is_null());
  put_in_tunnel(list[0]);
  const json c = json::parse(whole(Format::json, std::move(list)))["connections"][0];
  EXPECT_EQ(c["tunnel"], "GRE");
  EXPECT_EQ(c["tunnel_ends"], json({{"client", "192.0.2.101"}, {"server", "192.0.2.102"}}));
}

TEST(JsonReport, NumbersThatAreWholeHaveNoPoint) {
  const std::string text = whole(Format::json, one());
  EXPECT_NE(text.find("\"goodput_bps\":1000000,"), std::string::npos);
  EXPECT_NE(text.find("\"ceiling_bps\":1000600,"), std::string::npos);
}

TEST(JsonReport, IsOneDocumentWithNoConnections) {
  const json doc = json::parse(whole(Format::json, {}));
  EXPECT_EQ(doc["connections"], json::array());
  EXPECT_EQ(doc["hosts"], json::array());
}

TEST(JsonReport, FailureIsADocumentToo) {
  const Failure failure{ExitCode::usage, "bad \"filter\"", "see pcap-filter(7)", "tcp prot", 4};
  const json doc = json::parse(
      reported(Format::json, [&](Report& report) { report.failure(sample_info(), failure); }));
  EXPECT_EQ(doc["error"],
            (json{{"code", 2}, {"message", "bad \"filter\""}, {"hint", "see pcap-filter(7)"}}));
  EXPECT_EQ(doc["connections"], json::array());
}

TEST(Shares, AddUpToOne) {
  analysis::DirectionResult d;
  d.limit_us = {1, 1, 1, 7, 13, 1'000'003, 999'983, 3, 5, 11, 17};
  double sum = 0;
  for (const double share : limit_shares(d)) sum += share;
  EXPECT_NEAR(sum, 1, 1e-8);
}

TEST(Shares, OfAMomentAreItsOnlyClass) {
  analysis::DirectionResult d;
  EXPECT_EQ(limit_shares(d)[static_cast<std::size_t>(Limit::unknown)], 1);
  d.timeline = {{0, 0, Limit::handshake}};
  EXPECT_EQ(limit_shares(d)[static_cast<std::size_t>(Limit::handshake)], 1);
}

TEST(BlockedShare, IsNullWhereItCannotBeKnown) {
  analysis::DirectionResult d;
  EXPECT_EQ(receiver_blocked_share(d), std::nullopt);
  d.busy_us = 0;
  d.blocked_us = 0;
  EXPECT_EQ(receiver_blocked_share(d), std::nullopt);
  d.busy_us = 4;
  d.blocked_us = 1;
  EXPECT_EQ(receiver_blocked_share(d), 0.25);
}

TEST(JsonLines, EachLineIsAnObjectWithAnEvent) {
  std::vector<Judged> list = one();
  list.push_back(sample_judged(2));
  list[1].assessments[0].verdict.limit = Limit::unknown;
  std::istringstream lines(whole(Format::jsonl, std::move(list)));
  std::vector<std::string> events;
  for (std::string line; std::getline(lines, line);)
    events.push_back(json::parse(line).at("event"));
  EXPECT_EQ(events, (std::vector<std::string>{"start", "finding", "flow_end", "flow_end", "end"}));
}

TEST(JsonLines, FailureEndsWithAnErrorLine) {
  const Failure failure{ExitCode::failed, "cannot read x", "check the name", {}, -1};
  std::istringstream lines(
      reported(Format::jsonl, [&](Report& report) { report.failure(sample_info(), failure); }));
  std::vector<json> events;
  for (std::string line; std::getline(lines, line);) events.push_back(json::parse(line));
  ASSERT_EQ(events.size(), 2U);
  EXPECT_EQ(events[1]["event"], "error");
  EXPECT_EQ(events[1]["error"]["code"], 1);
}

TEST(CsvReport, HasARowForEachDirectionWithAllColumns) {
  std::vector<Judged> list = one();
  list[0].assessments[0].verdict.summary = "plain";
  std::istringstream lines(whole(Format::csv, std::move(list)));
  std::string header;
  std::string row;
  std::getline(lines, header);
  std::getline(lines, row);
  EXPECT_EQ(std::count(header.begin(), header.end(), ','), std::count(row.begin(), row.end(), ','));
  EXPECT_EQ(row.substr(0, 35), "1,192.0.2.10,51544,192.0.2.7,443,17");
  EXPECT_FALSE(std::getline(lines, row));
}

TEST(CsvText, QuotesAndDisarms) {
  const auto csv = [](std::string_view text) {
    std::string out;
    append_csv_text(out, text);
    return out;
  };
  EXPECT_EQ(csv("plain"), "plain");
  EXPECT_EQ(csv("a,b"), "\"a,b\"");
  EXPECT_EQ(csv("say \"x\"\n"), "\"say \"\"x\"\"\\x0a\"");
  EXPECT_EQ(csv("\t=x"), "\\x09=x");
  for (const char* formula : {"=1+1", "+1", "-1", "@x"}) {
    EXPECT_EQ(csv(formula), "\"'" + std::string(formula) + "\"");
  }
}

TEST(TextReport, TellsLimitFixAndGain) {
  // Where lines break is not the matter here.
  const std::string text = std::regex_replace(whole(Format::text, one()), std::regex("\\n *"), " ");
  for (const char* part : {"The transfer is held back by the receiver window.",
                           "192.0.2.10 gets 1 Mbit/s of a possible 25 Mbit/s",
                           "1. RECEIVER WINDOW limits 192.0.2.7:443 -> 192.0.2.10:51544",
                           "confidence high", "32 768 B window / 262 ms", "W window 9 s (90 %)",
                           "on 192.0.2.10 (linux): switch window scaling on",
                           "look     sysctl net.ipv4.tcp_window_scaling",
                           "change   sudo sysctl -w net.ipv4.tcp_window_scaling=1", "persist  ",
                           "undo     ", "1 Mbit/s -> up to 25 Mbit/s (25.0 times)",
                           "unproven  path capacity", "stood still for 2.1 s", "4 not-tcp"}) {
    EXPECT_NE(text.find(part), std::string::npos) << part << "\n" << text;
  }
}

TEST(TextReport, NamesTheEndsOfATunnelFromSenderToReceiver) {
  std::vector<Judged> list = one();  // the server sends
  put_in_tunnel(list[0]);
  const std::string text =
      std::regex_replace(whole(Format::text, std::move(list)), std::regex("\\n *"), " ");
  EXPECT_NE(text.find("inside GRE 192.0.2.102 -> 192.0.2.101, "), std::string::npos) << text;
}

TEST(TextReport, KeepsToItsWidthAndNeverBreaksACommand) {
  for (const std::size_t columns : {40U, 60U, 80U, 120U}) {
    Style style;
    style.width = columns;
    std::istringstream lines(whole(Format::text, one(), {}, style));
    bool command_whole = false;
    for (std::string line; std::getline(lines, line);) {
      const bool command = line.find("sysctl") != std::string::npos;
      command_whole |= line.find("| sudo tee /etc/sysctl.d/90-rwin.conf") != std::string::npos;
      if (!command) {
        EXPECT_LE(line.size(), columns) << line;
      }
    }
    EXPECT_TRUE(command_whole);
  }
}

TEST(TextReport, SortsBySpeedLostAndKeepsIds) {
  std::vector<Judged> list;
  for (std::uint64_t id = 1; id <= 5; ++id) {
    list.push_back(sample_judged(id));
    list.back().assessments[0].verdict.potential_bps = 1e6 * static_cast<double>(id);
  }
  Options options;
  options.top = 3;
  const std::string text = whole(Format::text, std::move(list), options);
  const auto at = [&](const char* head) { return text.find(head); };
  EXPECT_LT(at("5. RECEIVER"), at("4. RECEIVER"));
  EXPECT_LT(at("4. RECEIVER"), at("3. RECEIVER"));
  EXPECT_EQ(at("2. RECEIVER"), std::string::npos);
  EXPECT_NE(at("Not shown: 2 beyond --top 3."), std::string::npos) << text;
}

TEST(TextReport, PrintsAFixOnce) {
  std::vector<Judged> list;
  for (std::uint64_t id = 1; id <= 3; ++id) list.push_back(sample_judged(id));
  list[1].assessments[0].advice[0].window_bytes = 500'000;    // the first one's is larger
  list[2].assessments[0].advice[0].window_bytes = 2'000'000;  // needs its own
  const std::string text = whole(Format::text, std::move(list));
  const std::string change = "change   sudo sysctl";
  std::size_t count = 0;
  for (std::size_t at = text.find(change); at != std::string::npos; at = text.find(change, at + 1))
    ++count;
  EXPECT_EQ(count, 2U) << text;
  EXPECT_NE(text.find("fix       the same as for 1., on 192.0.2.10"), std::string::npos) << text;
}

TEST(TextReport, MinBytesAndEmptyConnectionsAreCounted) {
  std::vector<Judged> list = one();
  list.push_back(sample_judged(2));
  list[1].connection.directions[0].bytes = 999;
  list.push_back(sample_judged(3));
  list[2].connection.directions.clear();
  list[2].assessments.clear();
  Options options;
  options.min_bytes = 1000;
  const std::string text = whole(Format::text, std::move(list), options);
  EXPECT_NE(text.find("1 under --min-bytes, 1 connections without data"), std::string::npos)
      << text;
}

TEST(TextReport, NoVerdictSaysWhatToDo) {
  std::vector<Judged> list = one();
  list[0].assessments[0] = {};
  list[0].connection.directions[0].scale = {};
  const std::string text = whole(Format::text, std::move(list));
  EXPECT_NE(text.find("1. no verdict: 192.0.2.7:443 -> 192.0.2.10:51544"), std::string::npos)
      << text;
  EXPECT_NE(text.find("--assume-wscale 192.0.2.10=7"), std::string::npos) << text;
}

TEST(TextReport, NothingFromOutsideReachesTheTerminal) {
  RunInfo info = sample_info();
  info.names = {"\033[2Jevil\n1. RECEIVER WINDOW limits nobody"};
  info.warnings = {"\033]0;title\007"};
  const std::string text = reported(Format::text, [&](Report& report) {
    report.begin(info);
    report.end(info, {}, ExitCode::ok);
  });
  for (const char c : text)
    EXPECT_TRUE(c == '\n' || (c >= 0x20 && c < 0x7F)) << static_cast<int>(c);
}

TEST(TextReport, ColoursWhenAskedTo) {
  Style style;
  style.color = true;
  const std::string text = whole(Format::text, one(), {}, style);
  EXPECT_NE(text.find("\033[1;31m1. RECEIVER WINDOW limits\033[0m"), std::string::npos) << text;
}

// A report that shows few connections puts those in words later: the same words.
TEST(Judge, BriefVerdictsGetTheSameWords) {
  rules::Settings settings;
  settings.target_bps = 20e6;
  const auto connection = [] { return std::move(sample_judged().connection); };
  const Judged full = judge(connection(), settings);
  Judged brief = judge_briefly(connection(), settings);
  ASSERT_EQ(brief.assessments.size(), 1U);
  const rules::Verdict& verdict = brief.assessments[0].verdict;
  EXPECT_TRUE(verdict.summary.empty() && verdict.evidence.empty());
  put_in_words(brief, settings);
  const rules::Verdict& wanted = full.assessments.at(0).verdict;
  EXPECT_FALSE(wanted.summary.empty());
  EXPECT_EQ(verdict.summary, wanted.summary);
  ASSERT_EQ(verdict.evidence.size(), wanted.evidence.size());
  for (std::size_t i = 0; i < wanted.evidence.size(); ++i) {
    EXPECT_EQ(verdict.evidence[i].key, wanted.evidence[i].key);
    EXPECT_EQ(verdict.evidence[i].value, wanted.evidence[i].value);
  }
  EXPECT_EQ(verdict.limit, wanted.limit);
  EXPECT_EQ(verdict.cause, wanted.cause);
  EXPECT_EQ(brief.assessments[0].advice.size(), full.assessments[0].advice.size());
}

// Both directions of one connection, each kept: the first is moved out before the second is told.
TEST(Judge, BriefVerdictsOfBothDirections) {
  analysis::ConnectionResult both = std::move(sample_judged().connection);
  both.directions.push_back(both.directions[0]);
  both.directions[1].from_client = true;
  const Judged full = judge(analysis::ConnectionResult(both), {});
  FindingList list(20, 0);
  list.add(judge_briefly(std::move(both), {}));
  list.sort();
  const auto shown = list.shown(true);
  ASSERT_EQ(shown.size(), 2U);
  for (const FindingList::Shown& one : shown) {
    const std::size_t i = one.finding->direction.from_client ? 1 : 0;
    EXPECT_EQ(one.finding->assessment.verdict.summary, full.assessments.at(i).verdict.summary);
  }
}

}  // namespace
}  // namespace rwin::app
