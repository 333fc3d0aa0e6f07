// Pictures and pages: paths that keep extremes, one well-formed document, nothing from outside that
// is more than text.
#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <vector>

#include "app/html/flow_html.h"
#include "app/html/page.h"
#include "app/html/pictures.h"
#include "app/html/report_html.h"
#include "rules/explain.h"
#include "tests/app/sample_run.h"
#include "tests/support/hostile.h"

namespace rwin::app::test {
namespace {

using namespace html;

// Every element that is opened is closed, in order; attributes are quoted. The message, or nothing.
std::string fault_of(std::string_view document) {
  std::vector<std::string> open;
  for (std::size_t at = document.find('<'); at != std::string_view::npos;
       at = document.find('<', at)) {
    const std::size_t end = document.find('>', at);
    if (end == std::string_view::npos) return "a tag without end";
    const std::string_view tag = document.substr(at + 1, end - at - 1);
    at = end + 1;
    if (tag.empty() || tag.front() == '!') continue;
    if (std::count(tag.begin(), tag.end(), '"') % 2 != 0) return "quote in " + std::string(tag);
    const bool closes = tag.front() == '/';
    const std::string name(
        tag.substr(closes ? 1 : 0, tag.find_first_of(" \n", 1) - (closes ? 1 : 0)));
    if (closes) {
      if (open.empty() || open.back() != name) return "</" + name + "> closes nothing";
      open.pop_back();
    } else if (tag.back() != '/' && name != "meta") {
      open.push_back(name);
      if (name == "script" || name == "style") {  // no tags inside
        at = document.find("</" + name, at);
        if (at == std::string_view::npos) return name + " without end";
      }
    }
  }
  return open.empty() ? "" : open.back() + " stays open";
}

std::size_t count_of(std::string_view text, std::string_view part) {
  std::size_t n = 0;
  for (std::size_t at = text.find(part); at != std::string_view::npos; at = text.find(part, at + 1))
    ++n;
  return n;
}

// Names that steer, and what tries to be more than text in a page.
std::vector<std::string> hostile() {
  std::vector<std::string> all = {"\"><img src=x onerror=alert(1)>", "' onmouseover='alert(1)",
                                  "</title></style></script></pre>", "<!-- a & b &lt; c",
                                  std::string(rwin::test::kMostHostile)};
  for (const std::string_view name : rwin::test::kHostileNames) all.emplace_back(name);
  return all;
}

// 100 steps of 10 ms: a window of 32 KiB that closes once, flight up to it, one slow round trip.
Judged judged_with_chart() {
  Judged j = sample_judged();
  analysis::DirectionResult& d = j.connection.directions[0];
  d.samples.step_us = 100'000;
  for (std::uint64_t i = 0; i < 100; ++i) {
    analysis::SamplePoint p;
    p.window_low = i == 50 ? 0 : 32'768;
    p.window_high = 32'768;
    p.flight_high = 30'000;
    p.rtt_low_us = 250'000;
    p.rtt_high_us = i == 70 ? 900'000 : 260'000;
    p.bytes = 12'500;
    p.resent = i == 30 ? 2 : 0;
    d.samples.points.push_back(p);
    analysis::SequencePoint q;
    q.sent_low = i * 12'500;
    q.sent_high = (i + 1) * 12'500;
    q.acked = i * 12'500;
    q.edge_low = q.edge_high = i * 12'500 + 32'768;
    if (i == 30) {
      q.again_low = 100'000;
      q.again_high = 102'920;
    }
    d.samples.sequence.push_back(q);
  }
  return j;
}

std::string page_of(Judged judged, const RunInfo& info) {
  FindingList list(20, 0);
  list.add(std::move(judged));
  list.sort();
  const auto shown = list.shown(false);
  return report_page({info, {}, shown, list.answer(info, Units::bits), list.left_out(), {}});
}

TEST(Html, EscapesWhatIsNotText) {
  EXPECT_EQ(escaped("a<b>&\"'"), "a&lt;b&gt;&amp;&quot;&#39;");
  EXPECT_EQ(escaped("\x1b[1m"), "\\x1b[1m");
  EXPECT_EQ(escaped("caf\xc3\xa9"), "caf\xc3\xa9");
  for (const std::string& text : hostile()) {
    for (const char c : escaped(text))
      EXPECT_TRUE(c != '<' && c != '>' && c != '"' && c != '\'' && (c >= ' ' || c < 0)) << text;
  }
}

TEST(Html, NumbersAreShort) {
  EXPECT_EQ(number(12), "12");
  EXPECT_EQ(number(0.04), "0");
  EXPECT_EQ(number(-0.04), "0");
  EXPECT_EQ(number(1234567.89), "1234567.9");
}

TEST(Html, TimeStepsAreRoundAndFew) {
  for (double length = 10; length < 1e11; length *= 1.7) {
    const double step = time_step(length);
    EXPECT_LE(length / step, 7);
    EXPECT_GT(length / step, 2.7);
    double lead = step;
    while (lead >= 10) lead /= 10;
    EXPECT_TRUE(lead == 1 || lead == 2 || lead == 5) << step;
  }
}

// 10 columns of 1 us over 740 units, values 0 to 100 over 50 units.
TEST(Html, PathsKeepExtremesAndGaps) {
  const Plot plot(10, 100, 50);
  EXPECT_EQ(step_path(plot, 1, {100, 100, 100}), "M123 10H271");
  EXPECT_EQ(step_path(plot, 1, {100, 50, 50}), "M123 10H197V35H271");
  // The dip of one column is there, down and up.
  EXPECT_EQ(step_path(plot, 1, {100, 100, 100}, {100, 0, 100}), "M123 10H197V60V10H271");
  EXPECT_EQ(step_path(plot, 1, {100, std::nullopt, 50}), "M123 10H123M271 35H271");
  EXPECT_EQ(step_path(plot, 1, {}), "");
  EXPECT_EQ(area_path(plot, 1, {std::nullopt, 100, 100, 50}), "M160 60V10H308V35H382V60Z");
  EXPECT_EQ(bar_path(plot, 1, {0, std::nullopt}, {100, 50}, 2), "M123 60V10M197 36V34");
  // Above the top it stays inside the picture.
  EXPECT_EQ(step_path(plot, 1, {500}), "M123 10H123");
}

TEST(Html, PicturesShowWhatWasMeasured) {
  FindingList list(20, 0);
  list.add(judged_with_chart());
  list.sort();
  const Finding& f = *list.shown(false).at(0).finding;
  const Columns c = columns_of(f);
  ASSERT_EQ(c.size(), 100U);
  EXPECT_EQ(c.window_low[50], 0);
  EXPECT_EQ(c.rtt_high[70], 900'000);
  const Scales s = scales_of(f, c);
  EXPECT_EQ(s.length_us, 10'000'000);
  EXPECT_GE(s.rtt_us, 900'000);
  EXPECT_GE(s.bytes, 32'768);
  const auto pictures = pictures_of(f, c, s, {});
  std::vector<std::string_view> keys;
  for (const Picture& p : pictures) {
    keys.push_back(p.key);
    EXPECT_EQ(fault_of(p.svg), "") << p.key;
    EXPECT_FALSE(p.description.empty());
    const std::string file = svg_file(p, rwin::test::kMostHostile);
    EXPECT_EQ(fault_of(file), "") << p.key;
    EXPECT_EQ(file.find("<script"), std::string::npos);
    EXPECT_EQ(file.substr(0, 40), "<svg xmlns=\"http://www.w3.org/2000/svg\" ");
  }
  EXPECT_EQ(keys, (std::vector<std::string_view>{"limits", "window", "rtt", "rate", "sequence"}));
  // The closed window reaches the floor, the ceiling is drawn, what was sent again is marked.
  EXPECT_NE(pictures[1].description.find("from 0 B to 32 KiB"), std::string::npos);
  EXPECT_NE(pictures[1].svg.find("V180V"), std::string::npos);
  EXPECT_NE(pictures[3].svg.find("class=\"ceiling\""), std::string::npos);
  EXPECT_NE(pictures[4].description.find("2 segments sent again"), std::string::npos);
  EXPECT_EQ(count_of(pictures[4].svg, "<path class=\"again\""), 2U);
  EXPECT_EQ(count_of(pictures[0].svg, "<rect class=\"l-"), 2U);
}

TEST(Html, PageIsOneWholeDocument) {
  const std::string page = page_of(judged_with_chart(), sample_info());
  EXPECT_EQ(fault_of(page), "");
  EXPECT_EQ(page.substr(0, 15), "<!DOCTYPE html>");
  EXPECT_EQ(count_of(page, "<h1>"), 1U);
  // Nothing from elsewhere; links lead to places in it.
  for (const char* part : {" src=", "url(", "@import", "<link", "<iframe", "href=\"http"})
    EXPECT_EQ(page.find(part), std::string::npos) << part;
  EXPECT_EQ(count_of(page, "href=\""), count_of(page, "href=\"#"));
  for (std::size_t at = page.find("href=\"#"); at != std::string::npos;
       at = page.find("href=\"#", at + 1)) {
    const std::string id = page.substr(at + 7, page.find('"', at + 7) - at - 7);
    EXPECT_EQ(count_of(page, "id=\"" + id + "\""), 1U) << id;
  }
  EXPECT_NE(page.find("held back by the receiver window"), std::string::npos);
  EXPECT_NE(page.find("<strong>192.0.2.10</strong></a>: its receive window holds the transfer: "
                      "1 Mbit/s of a possible 25 Mbit/s; "),
            std::string::npos);
  EXPECT_NE(page.find("sudo sysctl -w net.ipv4.tcp_window_scaling=1</pre>"), std::string::npos);
  EXPECT_EQ(count_of(page, "data-copy="), 4U);
  EXPECT_EQ(count_of(page, "<details id=\"word-"), 2U);  // its limit and its cause
}

TEST(Html, NothingFromOutsideIsMoreThanText) {
  const std::string plain = page_of(judged_with_chart(), sample_info());
  for (const std::string& text : hostile()) {
    RunInfo info = sample_info();
    info.names = {text};
    info.filter = text;
    info.warnings = {text};
    Judged judged = judged_with_chart();
    rules::Verdict& v = judged.assessments[0].verdict;
    v.summary = v.cause = text;
    v.notes = v.unproven = {text};
    v.evidence[0].key = text;
    rules::Advice& a = judged.assessments[0].advice[0];
    a.host = a.platform = a.title = a.takes_effect = text;
    a.look = a.change = a.persist = a.undo = a.warnings = {text};
    const std::string page = page_of(std::move(judged), info);
    EXPECT_EQ(fault_of(page), "") << text;
    EXPECT_EQ(rwin::test::steering(page), "") << text;
    EXPECT_FALSE(rwin::test::forges_a_line(page)) << text;
    for (const char* part : {"<script", "<img", "</title", "</style", "</script", " onerror=\"",
                             " onmouseover=\"", "\x1b", "\xff"})
      EXPECT_EQ(count_of(page, part), count_of(plain, part)) << part << " of " << text;
  }
}

TEST(Html, WithoutAnythingToTell) {
  RunInfo info = sample_info();
  FindingList list(20, 0);
  list.sort();
  const std::string page = report_page(
      {info, {}, list.shown(false), list.answer(info, Units::bits), list.left_out(), {}});
  EXPECT_EQ(fault_of(page), "");
  EXPECT_NE(page.find("nothing to diagnose"), std::string::npos);
  // A direction without charts (none were asked for).
  const std::string bare = page_of(sample_judged(), info);
  EXPECT_EQ(fault_of(bare), "");
  EXPECT_EQ(count_of(bare, "<svg"), 1U);
}

TEST(Html, ExplainsEveryWord) {
  std::set<std::string, std::less<>> codes;
  for (const std::string_view code : rules::explain_codes()) codes.emplace(code);
  const std::string section = words_section(codes);
  EXPECT_EQ(fault_of(section), "");
  EXPECT_EQ(count_of(section, "<details id=\"word-"), codes.size());
  EXPECT_EQ(count_of(section, "<pre>"), codes.size());  // a picture each, also with blank lines
  EXPECT_EQ(count_of(section, "<strong>What would change the verdict.</strong>"), codes.size());
  EXPECT_EQ(words_section({}), "");
}

}  // namespace
}  // namespace rwin::app::test
