#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "app/live/live_words.h"
#include "tests/app/parsed_options.h"

namespace rwin::app {
namespace {

TEST(LiveOptions, InterfaceAndFilterWords) {
  const Options o = good({"-i", "eth0", "-i", "lo", "-f", "port 443", "host", "10.0.0.1"});
  EXPECT_EQ(o.mode, Mode::live);
  EXPECT_THAT(o.live.interfaces, testing::ElementsAre("eth0", "lo"));
  EXPECT_EQ(o.filter, "(port 443) and (host 10.0.0.1)");
  EXPECT_EQ(o.live.snap_length, 192);
  EXPECT_FALSE(o.live.promiscuous);
  EXPECT_TRUE(o.live.sandbox);
}

TEST(LiveOptions, Values) {
  const Options o = good({"-i",
                          "any",
                          "-w",
                          "x.pcap",
                          "-C",
                          "10",
                          "-W",
                          "3",
                          "-s",
                          "256",
                          "-c",
                          "100",
                          "--promiscuous",
                          "-Z",
                          "daemon",
                          "--no-sandbox",
                          "--metrics",
                          "m.prom",
                          "--interval",
                          "500ms",
                          "--report"});
  EXPECT_EQ(o.live.write, "x.pcap");
  EXPECT_EQ(o.live.rotate_bytes, 10'000'000U);
  EXPECT_EQ(o.live.rotate_files, 3U);
  EXPECT_EQ(o.live.snap_length, 256);
  EXPECT_EQ(o.live.count, 100U);
  EXPECT_EQ(good({"-i", "any", "-B", "1Mi"}).live.buffer_bytes, 1 << 20);
  EXPECT_TRUE(o.live.promiscuous);
  EXPECT_EQ(o.live.user, "daemon");
  EXPECT_FALSE(o.live.sandbox);
  EXPECT_EQ(o.live.metrics, "m.prom");
  EXPECT_EQ(o.live.interval_ms, 500);
  EXPECT_TRUE(o.live.report);
  EXPECT_EQ(good({"-i", "any", "-w", "x", "-C", "64Ki"}).live.rotate_bytes, 65'536U);
}

TEST(LiveOptions, Durations) {
  const auto ms = [](const std::string& text) {
    return good({"-i", "any", "--duration", text}).live.duration_ms.value_or(-1);
  };
  EXPECT_EQ(ms("30"), 30'000);
  EXPECT_EQ(ms("0.5"), 500);
  EXPECT_EQ(ms("500ms"), 500);
  EXPECT_EQ(ms("2s"), 2'000);
  EXPECT_EQ(ms("5m"), 300'000);
  EXPECT_EQ(ms("2h"), 7'200'000);
  for (const char* text : {"", "m", "0", "-1", "5 m", "1d", "1msm"}) {
    EXPECT_EQ(bad({"-i", "any", "--duration", text}),
              std::string("--duration ") + text + ": not understood");
  }
}

TEST(LiveOptions, WhatDoesNotGoTogether) {
  EXPECT_EQ(bad({"-i", "eth0", "-r", "a.pcap"}), "-i and -r together");
  EXPECT_EQ(bad({"-i", "eth0", "-C", "1"}), "-C without -w");
  EXPECT_EQ(bad({"-i", "eth0", "-w", "x", "-W", "2"}), "-W without -C");
  EXPECT_EQ(bad({"-i", "eth0", "-s", "127"}), "--snaplen 127: not understood");
  EXPECT_EQ(bad({"-i", "eth0", "-p", "--promiscuous"}),
            "--promiscuous and --no-promiscuous together");
  EXPECT_EQ(bad({"-i", "eth0", "-w", "-"}),
            "-w cannot write to standard output: the report goes there");
  EXPECT_EQ(bad({"a.pcap", "-w", "x"}), "-w is of a live capture, and there is no -i");
  EXPECT_EQ(bad({"a.pcap", "--duration", "3"}),
            "--duration is of a live capture, and there is no -i");
}

TEST(LiveOptions, RunTakesTheRestAsItIs) {
  const Options o = good({"run", "--", "curl", "-O", "--json", "URL"});
  EXPECT_EQ(o.mode, Mode::run);
  EXPECT_THAT(o.live.command, testing::ElementsAre("curl", "-O", "--json", "URL"));
  EXPECT_THAT(o.live.interfaces, testing::ElementsAre("any"));
  EXPECT_EQ(o.format, Format::text);
  // Without "--" the first word that is no option begins the command.
  const Options p = good({"run", "-i", "lo", "-J", "-o", "r.json", "curl", "-i", "URL"});
  EXPECT_THAT(p.live.command, testing::ElementsAre("curl", "-i", "URL"));
  EXPECT_THAT(p.live.interfaces, testing::ElementsAre("lo"));
  EXPECT_EQ(p.format, Format::json);
  EXPECT_EQ(p.output, "r.json");
  EXPECT_EQ(good({"run", "--help"}).mode, Mode::help);
  EXPECT_EQ(good({"run", "--help"}).help_of, "run");
  EXPECT_EQ(good({"run", "--", "ls", "--help"}).mode, Mode::run);
  EXPECT_EQ(bad({"run"}), "run: there is no command");
  EXPECT_EQ(bad({"run", "-J"}), "run: there is no command");
  EXPECT_EQ(bad({"run", "-r", "x", "ls"}), "-i and -r together");
}

}  // namespace
}  // namespace rwin::app
