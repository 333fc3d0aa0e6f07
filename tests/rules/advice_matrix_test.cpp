// The text of every platform's advice for every finding (tests/golden/advice/PLATFORM.txt), of
// every application's (applications.txt), and the table of both in docs/advice.md. With
// RWIN_UPDATE_GOLDEN set the files are written anew: read the difference.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <sstream>

#include "finding_cases.h"

namespace rwin::rules {
namespace {

using namespace test;

const std::filesystem::path kRoot = RWIN_SOURCE_DIR;

std::string read_file(const std::filesystem::path& path) {
  std::ifstream in(path, std::ios::binary);
  std::ostringstream text;
  text << in.rdbuf();
  return text.str();
}

void check_file(const std::filesystem::path& path, const std::string& text) {
  if (std::getenv("RWIN_UPDATE_GOLDEN") != nullptr) {
    std::filesystem::create_directories(path.parent_path());
    std::ofstream(path, std::ios::binary) << text;
    return;
  }
  EXPECT_EQ(read_file(path), text) << path << "; scripts/update-golden writes it anew";
}

const CatalogueData& data() { return Catalogue::built_in().data(); }

void print(std::ostream& out, std::string_view label, const std::vector<std::string>& lines) {
  for (const std::string& line : lines) out << "  " << label << " | " << line << '\n';
}

void print(std::ostream& out, const Advice& a) {
  out << "  " << a.id << " on " << a.host << ", role " << word(a.role);
  if (a.window_bytes) out << ", window " << *a.window_bytes;
  if (a.buffer_bytes) out << ", buffer " << *a.buffer_bytes;
  if (a.connections) out << ", connections " << *a.connections;
  out << '\n';
  print(out, "title  ", {a.title});
  if (!a.because.empty()) print(out, "because", {a.because});
  print(out, "look   ", a.look);
  print(out, "change ", a.change);
  print(out, "persist", a.persist);
  print(out, "undo   ", a.undo);
  print(out, "effect ", {a.takes_effect});
  print(out, "careful", a.warnings);
}

// Both ends run `platform`.
Case on_platform(Case c, const std::string& platform) {
  c.settings.platforms = {{c.connection.client.address, platform},
                          {c.connection.server.address, platform}};
  return c;
}

// Advice of the owner's own files for each finding; the same advice once.
std::string advice_of(const std::string& owner, const std::vector<NamedCase>& cases) {
  std::ostringstream out;
  std::vector<std::string> seen;
  for (const NamedCase& named : cases) {
    const Assessment a = named.value.assess();
    EXPECT_EQ(a.verdict.cause, named.cause) << owner;
    for (const Advice& advice : a.advice) {
      if (advice.id.rfind(owner + ".", 0) != 0) continue;
      out << analysis::word(a.verdict.limit) << ' ' << a.verdict.cause << '\n';
      if (has(seen, advice.id)) {
        out << "  " << advice.id << " on " << advice.host << ", as above\n";
        continue;
      }
      seen.push_back(advice.id);
      print(out, advice);
    }
  }
  return out.str();
}

TEST(AdviceMatrix, EveryPlatformForEveryFinding) {
  for (const Platform& platform : data().platforms) {
    std::vector<NamedCase> cases;
    for (NamedCase& named : finding_cases()) {
      cases.push_back({named.cause, on_platform(named.value, platform.id)});
      // A platform whose untouched window is what the case stops at is capped, not fixed.
      const Assessment a = cases.back().value.assess();
      if (a.verdict.cause != named.cause) cases.back().cause = a.verdict.cause;
    }
    check_file(kRoot / "tests/golden/advice" / (platform.id + ".txt"),
               advice_of(platform.id, cases));
  }
}

TEST(AdviceMatrix, EveryFixOfAPlatformIsReached) {
  for (const Platform& platform : data().platforms) {
    if (platform.id == "generic") continue;
    const std::string text = read_file(kRoot / "tests/golden/advice" / (platform.id + ".txt"));
    for (const Fix& fix : platform.fixes) {
      EXPECT_THAT(text, testing::HasSubstr("  " + fix.id + " on ")) << "no case reaches it";
    }
  }
}

TEST(AdviceMatrix, EveryApplicationForEveryFinding) {
  std::ostringstream all;
  for (const Application& application : data().applications) {
    std::vector<NamedCase> cases;
    for (NamedCase& named : finding_cases()) {
      Case c = named.value;
      c.connection.server.port = application.ports.front();
      if (!application.buffers.empty() && named.cause == "buffer-fixed") {
        c.direction.window_max = c.direction.flight_max = application.buffers.front().bytes;
      }
      if (named.cause == "protocol-window" && !application.flights.empty()) {
        const std::uint64_t bytes = application.flights.front().bytes;
        c.direction.flight_max = c.direction.flight_p50 = bytes;
        c.direction.window_max = 4 * bytes;
      }
      cases.push_back({c.assess().verdict.cause, c});
      // The same as an upload: the program may be at either end.
      if (c.direction.limit == Limit::receiver_window ||
          c.direction.limit == Limit::sender_buffer) {
        c.direction.from_client = true;
        cases.push_back({c.assess().verdict.cause, c});
      }
    }
    const std::string text = advice_of(application.id, cases);
    for (const Fix& fix : application.fixes) {
      EXPECT_THAT(text, testing::HasSubstr("  " + fix.id + " on ")) << "no case reaches it";
    }
    all << "== " << application.title << '\n' << text;
  }
  check_file(kRoot / "tests/golden/advice/applications.txt", all.str());
}

std::string cell(const Fix* fix) {
  if (fix == nullptr) return "";
  return fix->certainty == Certainty::memory ? "not checked" : "yes";
}

std::string words(std::string_view kind) {
  std::string text(kind);
  std::replace(text.begin(), text.end(), '_', '-');
  return text;
}

TEST(AdviceMatrix, TheTableInTheDocsIsCurrent) {
  std::ostringstream out;
  out << "# Which advice exists\n\n"
         "Written by `scripts/update-golden` from `rules/platforms` and `rules/applications`. An "
         "empty "
         "cell: the words of the generic file are printed.\n"
         "The texts themselves: `tests/golden/advice`. \"not checked\": from memory, printed with "
         "a "
         "warning.\n\n## Platforms\n\n";
  const auto head = [&](std::string_view first, std::string_view last) {
    out << "| " << first << " |";
    for (const std::string_view kind : kFixKinds) out << ' ' << words(kind) << " |";
    out << last << "\n| --- |";
    for (std::size_t i = 0; i < kFixKinds.size(); ++i) out << " --- |";
    if (!last.empty()) out << " --- | --- |";
    out << '\n';
  };
  const auto row = [&](const auto& entry) {
    out << "| `" << entry.id << "` " << entry.title << " |";
    for (std::size_t kind = 0; kind < kFixKinds.size(); ++kind) {
      out << ' ' << cell(entry.fix(static_cast<FixKind>(kind))) << " |";
    }
  };
  head("platform", " `rwin tune` | window untouched |");
  for (const Platform& platform : data().platforms) {
    row(platform);
    out << (platform.tune ? " yes |" : " |") << ' '
        << (platform.default_window > 0 ? std::to_string(platform.default_window) : "") << " |\n";
  }
  out << "\n## Programs\n\n";
  head("program", " ports | process |");
  for (const Application& application : data().applications) {
    row(application);
    for (const std::uint16_t port : application.ports) out << ' ' << port;
    out << " |";
    for (const std::string& name : application.programs) out << ' ' << name;
    out << " |\n";
  }
  check_file(kRoot / "docs/advice.md", out.str());
}

// Where more window does not help there is a way that does, or the words "nothing to change".
TEST(AdviceMatrix, NoVerdictLeavesTheReaderWithoutAWord) {
  for (const NamedCase& named : finding_cases()) {
    const Assessment a = named.value.assess();
    EXPECT_TRUE(!a.advice.empty() || mentions(a.verdict.notes, "othing to change")) << named.cause;
  }
  for (const Limit limit : {Limit::bandwidth, Limit::slow_start, Limit::sender_app}) {
    const Assessment a = class_of(limit).assess();
    EXPECT_TRUE(a.advice.empty());
    EXPECT_TRUE(mentions(a.verdict.notes, "othing to change")) << analysis::word(limit);
  }
  // A full line, seen as window-limited: the method's "when not to blame the window".
  Case full = window_limited(1'000'000, 320'000);
  full.direction.capacity_bps = 25e6;
  full.direction.capacity_from = analysis::CapacityFrom::dispersion;
  full.direction.goodput_bps = full.direction.blocked_rate_bps = 24.5e6;
  const Assessment a = full.assess();
  EXPECT_FALSE(raises(a));
  EXPECT_TRUE(mentions(a.verdict.notes, "Nothing to change: the line is full as well"));
}

}  // namespace
}  // namespace rwin::rules
