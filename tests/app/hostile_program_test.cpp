// Hostile names (tests/support/hostile.h) given to the program: as files, as values of options, in
// the settings of a host and inside of captures.
#include <gtest/gtest.h>

#include <filesystem>
#include <nlohmann/json.hpp>
#include <optional>
#include <span>
#include <tuple>

#include "app/command_table.h"
#include "tests/app/program.h"
#include "tests/support/hostile.h"
#include "tests/support/slow.h"

namespace rwin::app {
namespace {

using rwin::test::Bytes;
using rwin::test::cat;
using rwin::test::forges_a_line;
using rwin::test::kHostileNames;
using rwin::test::kMostHostile;
using rwin::test::le16;
using rwin::test::le32;
using rwin::test::steering;

// All of them; where each start of the program is slow, every fourth.
std::vector<std::string_view> names_to_start_with() {
  std::vector<std::string_view> names;
  for (std::size_t i = 0; i < kHostileNames.size(); ++i) {
    if (!rwin::test::kSlow || i % 4 == 0) names.push_back(kHostileNames[i]);
  }
  return names;
}

void expect_harmless(const test::Ran& ran, std::string_view name) {
  EXPECT_EQ(steering(ran.out), "") << ran.out;
  EXPECT_EQ(steering(ran.err), "") << ran.err;
  EXPECT_FALSE(forges_a_line(ran.out) || forges_a_line(ran.err)) << ran.out << ran.err;
  EXPECT_LT(ran.code, 128) << name;
}

// The program itself, on files of these names: good ones, damaged ones, and ones that are not
// there.
TEST(HostileProgram, FileNames) {
  const auto capture = test::window_limited_download(20).bytes();
  for (const std::string_view name : names_to_start_with()) {
    if (name.find('/') != std::string_view::npos) continue;
    const test::Folder folder;
    const std::string good = folder.file(name, capture);
    const std::string bad = folder.file(std::string(name) + " bad", "no capture");
    const std::string gone = folder.path(std::string(name) + " gone");
    for (const std::string& file : {good, bad, gone}) {
      expect_harmless(test::run_program({"-v", file}), name);
      const test::Ran ran = test::run_program({"-J", file});
      expect_harmless(ran, name);
      EXPECT_TRUE(nlohmann::json::accept(ran.out)) << ran.out;
    }
    expect_harmless(test::run_program({"compare", good, gone}), name);
    expect_harmless(test::run_program({"--rules", gone, good}), name);
  }
}

// As the value of every option of every command.
TEST(HostileProgram, OptionValues) {
  const test::Folder folder;
  const std::string file = folder.file("a.pcap", test::window_limited_download(5).bytes());
  const test::RunWith here{.folder = folder.path("")};
  const std::string name(kMostHostile);
  [[maybe_unused]] int walked = 0;
  const auto walk = [&](const std::vector<std::string>& command,
                        std::span<const OptionSpec> options) {
    for (const OptionSpec& option : options) {
      if (option.argument.empty() || (rwin::test::kSlow && ++walked % 4 != 0)) continue;
      SCOPED_TRACE(option.names);
      for (const std::string& value : {name, "192.0.2.1=" + name}) {
        std::vector<std::string> words = command;
        words.push_back(std::string(long_name(option)) + "=" + value);
        expect_harmless(test::run_program(words, here), name);
        words.push_back(file);
        expect_harmless(test::run_program(words, here), name);
      }
    }
  };
  walk({}, kOptions);
  walk({"tune"}, kTuneOptions);
  walk({"check"}, kCheckOptions);
  walk({"calc"}, kCalcOptions);
  walk({"compare", file}, kCompareOptions);
}

// What a shell makes of the first word of `text`; nothing where more than quotes is at work.
std::optional<std::string> shell_value(std::string_view text) {
  std::string value;
  bool quoted = false;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    if (c == '\'') {
      quoted = !quoted;
    } else if (!quoted && c == '\\' && i + 1 < text.size()) {
      value += text[++i];
    } else if (!quoted && std::string_view(" \t;&|<>()$`\"*?[]#~!{}").find(c) != text.npos) {
      return std::nullopt;
    } else {
      value += c;
    }
  }
  if (quoted) return std::nullopt;
  return value;
}

// Lines to be copied into a shell: the name of an interface, the words of a command.
TEST(HostileProgram, ShellLines) {
  const test::RunWith nobody{.unprivileged = true};
  int found = 0;
  for (const std::string_view name : names_to_start_with()) {
    for (const auto& [call, words] :
         {std::pair<std::string, std::vector<std::string>>{"sudo rwin -i ", {"-i"}},
          {"sudo rwin run -- cat ", {"run", "--", "cat"}}}) {
      std::vector<std::string> all = words;
      all.emplace_back(name);
      const test::Ran ran = test::run_program(all, nobody);
      expect_harmless(ran, name);
      const std::size_t at = ran.err.find(call);
      if (at == std::string::npos) continue;
      const std::size_t start = at + call.size();
      const auto value =
          shell_value(std::string_view(ran.err).substr(start, ran.err.find('\n', start) - start));
      ASSERT_TRUE(value) << ran.err;
      // With what steers made visible it is another name, and still one word.
      if (steering(name).empty() && name.find('\n') == std::string_view::npos) {
        EXPECT_EQ(*value, name);
      }
      ++found;
    }
  }
  if (found == 0) GTEST_SKIP() << "this user may capture";
  EXPECT_EQ(found, 2 * static_cast<int>(names_to_start_with().size()));
}

// What a pcapng file says of itself and of addresses: comments, machine, program, interfaces,
// names.
Bytes pcapng(const Bytes& pcap, const std::string& name) {
  const auto padded = [](Bytes bytes) {
    bytes.resize((bytes.size() + 3) / 4 * 4);
    return bytes;
  };
  const Bytes text(name.begin(), name.end());
  const auto option = [&](std::uint32_t code) {
    return cat({le16(code), le16(static_cast<std::uint32_t>(text.size())), padded(text)});
  };
  const auto block = [](std::uint32_t type, const Bytes& body) {
    const auto length = static_cast<std::uint32_t>(body.size() + 12);
    return cat({le32(type), le32(length), body, le32(length)});
  };
  Bytes all = cat({block(0x0a0d0d0a, cat({le32(0x1a2b3c4d), le16(1), le16(0), Bytes(8, 0xff),
                                          option(1), option(2), option(3), option(4), le32(0)})),
                   block(1, cat({le16(1), le16(0), le32(0), option(1), option(2), option(3),
                                 option(12), option(15), le32(0)}))});
  const Bytes record = cat({Bytes{10, 0, 0, 1}, text, Bytes{0}});
  all = cat({all, block(4, cat({le16(1), le16(static_cast<std::uint32_t>(record.size())),
                                padded(record), le32(0), option(2), le32(0)}))});
  for (std::size_t at = 24; at + 16 <= pcap.size();) {
    const auto word = [&](std::size_t k) {
      return std::uint32_t{pcap[at + k]} | std::uint32_t{pcap[at + k + 1]} << 8 |
             std::uint32_t{pcap[at + k + 2]} << 16 | std::uint32_t{pcap[at + k + 3]} << 24;
    };
    const std::uint64_t us = std::uint64_t{word(0)} * 1'000'000 + word(4);
    const auto data = pcap.begin() + static_cast<std::ptrdiff_t>(at + 16);
    const Bytes packet(data, data + word(8));
    all = cat({all, block(6, cat({le32(0), le32(static_cast<std::uint32_t>(us >> 32)),
                                  le32(static_cast<std::uint32_t>(us)), le32(word(8)),
                                  le32(word(12)), padded(packet), option(1), le32(0)}))});
    at += 16 + word(8);
  }
  return cat({all, block(0x0bad, cat({le32(7), padded(text)}))});
}

TEST(HostileProgram, WhatAFileSaysOfItself) {
  const Bytes plain = test::window_limited_download(20).bytes();
  const test::Folder folder;
  const test::Ran want = test::run_program({"-J", folder.file("a", pcapng(plain, ""))});
  ASSERT_EQ(nlohmann::json::parse(want.out)["connections"].size(), 1U);
  for (const std::string_view name : names_to_start_with()) {
    const std::string file = folder.file("a", pcapng(plain, std::string(name)));
    EXPECT_EQ(test::run_program({"-J", file}).out, want.out) << name;
    expect_harmless(test::run_program({"-v", file}), name);
  }
}

// A host's settings, the files they stand in, and rules of somebody else.
TEST(HostileProgram, SettingsAndRules) {
  for (const std::string_view name : names_to_start_with()) {
    if (name.find('/') != std::string_view::npos) continue;
    const test::Folder folder;
    for (const char* part : {"proc/sys/net/ipv4", "etc/sysctl.d", "rules/platforms"})
      std::filesystem::create_directories(folder.path(part));
    const std::string value = std::string(name) + "\n";
    for (const char* knob :
         {"tcp_rmem", "tcp_wmem", "tcp_window_scaling", "tcp_congestion_control"})
      std::ignore = folder.file("proc/sys/net/ipv4/" + std::string(knob), value);
    std::ignore = folder.file("etc/sysctl.d/" + std::string(name) + ".conf",
                              "net.ipv4.tcp_rmem = " + value + "net.core.rmem_max = 1\n");
    std::ignore = folder.file("rules/platforms/" + std::string(name) + ".toml", "id = [\"" + value);
    const std::string root = "--root=" + folder.path("");
    for (const std::vector<std::string>& words :
         {std::vector<std::string>{"check", root, "-v"},
          {"check", root, "--json"},
          {"tune", root, "--rate=1G", "--rtt=100ms"},
          {"tune", root, "--rate=1G", "--rtt=100ms", "--json"},
          {"check", root, "--rules=" + folder.path("rules")}}) {
      SCOPED_TRACE(words[0]);
      expect_harmless(test::run_program(words), name);
    }
  }
}

}  // namespace
}  // namespace rwin::app
