#include "rules/platform.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <set>

#include "flows.h"
#include "rules/embedded.h"
#include "rules/template.h"

namespace rwin::rules {
namespace {

using testing::Contains;
using testing::ElementsAre;
using testing::HasSubstr;

TEST(Platforms, EveryBuiltInFileIsReadWithoutFault) {
  const Catalogue::Texts texts = Catalogue::built_in_texts();
  std::vector<std::string> errors;
  const Catalogue catalogue = Catalogue::parse({texts}, errors);
  EXPECT_THAT(errors, ElementsAre());
  EXPECT_EQ(catalogue.data().platforms.size(), texts.platforms.size());
  for (const EmbeddedText& text : platform_files()) {
    const std::string id(text.name.substr(0, text.name.rfind('.')));
    EXPECT_NE(catalogue.data().platform(id), nullptr) << text.name << " must be named by its id";
  }
}

TEST(Platforms, HaveTheNamesThatPeopleGiveThem) {
  const Catalogue& catalogue = Catalogue::built_in();
  const std::vector<std::pair<std::string, std::string>> names = {
      {"windows-11", "windows"}, {"windows-10", "windows"}, {"windows-7", "windows-vista"},
      {"macos", "macos"},        {"macos-15", "macos"},     {"macos-10.15", "macos-10.8"},
      {"ubuntu", "linux"},       {"debian", "linux"},       {"docker", "container"},
      {"pfsense", "freebsd"},    {"solaris-11", "illumos"}, {"linux-6.6", "linux-6.6"}};
  for (const auto& [alias, id] : names) {
    ASSERT_TRUE(catalogue.has_platform(alias)) << alias;
    EXPECT_EQ(catalogue.data().platform(alias)->id, id) << alias;
    EXPECT_THAT(catalogue.platform_words(), Contains(alias));
  }
  EXPECT_FALSE(catalogue.has_platform("windows-95"));
  EXPECT_FALSE(catalogue.has_platform(""));
  // Aliases stay with their file: what is like it has its own.
  EXPECT_TRUE(catalogue.data().platform("linux-6.16")->aliases.empty());
  std::set<std::string> once;
  for (const std::string& word : catalogue.platform_words())
    EXPECT_TRUE(once.insert(word).second) << word;
}

TEST(Platforms, AnAliasMeansOne) {
  const auto file = [](std::string_view name, const char* text) {
    return Catalogue::Text{name, text};
  };
  Catalogue::Texts own;
  own.platforms = {
      file("a.toml",
           "id = \"a\"\ntitle = \"A\"\naliases = [\"b\", \"ubuntu\"]\nlike = \"linux\"\n"),
      file("b.toml", "id = \"b\"\ntitle = \"B\"\naliases = [\"bee\"]\nlike = \"linux\"\n"),
      file("debian.toml", "id = \"debian\"\ntitle = \"Mine\"\nlike = \"linux\"\n")};
  std::vector<std::string> errors;
  const Catalogue catalogue = Catalogue::parse({Catalogue::built_in_texts(), own}, errors);
  EXPECT_THAT(errors, ElementsAre("a.toml:3: 'ubuntu' is a name of 'linux'"));
  EXPECT_EQ(catalogue.data().platform("b")->id, "b");  // ids come before aliases
  EXPECT_EQ(catalogue.data().platform("debian")->title, "Mine");
  EXPECT_EQ(catalogue.data().platform("bee")->id, "b");
}

TEST(Platforms, EveryPlaceholderIsResolved) {
  FixValues values;
  values.window = 1;
  values.host = "192.0.2.10";
  values.peer = values.peer_ss = "198.51.100.7";
  for (const Platform& platform : Catalogue::built_in().data().platforms) {
    for (const Fix& fix : platform.fixes) {
      std::vector<std::string> texts = {fix.title, fix.because, fix.takes_effect};
      for (const auto* list : {&fix.look, &fix.change, &fix.persist, &fix.undo, &fix.warnings}) {
        texts.insert(texts.end(), list->begin(), list->end());
      }
      for (const std::string& text : texts) {
        const std::string filled = fill(text, values);
        EXPECT_EQ(filled.find_first_of("{}"), std::string::npos) << fix.id << ": " << filled;
        EXPECT_LT(filled.size(), 400U) << fix.id << ": " << filled;
      }
    }
  }
}

TEST(Platforms, EveryChangeCanBeUndone) {
  for (const Platform& platform : Catalogue::built_in().data().platforms) {
    std::set<std::string> ids;
    for (const Fix& fix : platform.fixes) {
      EXPECT_TRUE(ids.insert(fix.id).second) << fix.id;
      const bool commands = std::any_of(fix.change.begin(), fix.change.end(),
                                        [](const auto& line) { return line.rfind("# ", 0) != 0; });
      EXPECT_FALSE(fix.look.empty()) << fix.id;
      if (commands) {
        EXPECT_FALSE(fix.undo.empty()) << fix.id;
        EXPECT_FALSE(fix.persist.empty()) << fix.id;
      }
    }
  }
}

TEST(Platforms, TheGenericFileHasEveryKind) {
  const Platform* generic = Catalogue::built_in().data().platform("generic");
  ASSERT_NE(generic, nullptr);
  for (std::size_t kind = 0; kind < kFixKinds.size(); ++kind) {
    EXPECT_NE(generic->fix(static_cast<FixKind>(kind)), nullptr) << kFixKinds[kind];
  }
}

TEST(Platforms, LikelyOnesInOrder) {
  std::vector<std::string> ids;
  for (const Platform* platform : Catalogue::built_in().data().likely) ids.push_back(platform->id);
  EXPECT_THAT(ids, ElementsAre("linux", "macos", "windows"));
}

std::vector<std::string> faults_of(std::string_view platform, std::string_view signatures = "") {
  std::vector<std::string> errors;
  Catalogue::Texts texts;
  texts.platforms.push_back({"p.toml", platform});
  if (!signatures.empty()) texts.fingerprints.push_back({"f.toml", signatures});
  Catalogue::parse({texts}, errors);
  return errors;
}

constexpr std::string_view kGood = R"(id = "x"
title = "X"
[fix.reader]
role = "application"
certainty = "sourced"
title = "Look at {host}"
takes_effect = "at once"
)";

TEST(Platforms, FaultsNameFileAndLine) {
  EXPECT_THAT(faults_of(kGood), ElementsAre());
  EXPECT_THAT(faults_of(std::string(kGood) + "look = [\"ls {widow}\"]\n"),
              Contains(HasSubstr("p.toml:8: unknown placeholder {widow}")));
  EXPECT_THAT(faults_of(std::string(kGood) + "lok = []\n"),
              Contains(HasSubstr("p.toml:8: unknown key 'lok'")));
  EXPECT_THAT(faults_of(std::string(kGood) + "[fix.magic]\n"),
              Contains(HasSubstr("p.toml:8: unknown kind of fix 'magic'")));
  EXPECT_THAT(faults_of(std::string(kGood) + "look = 3\n"),
              Contains(HasSubstr("p.toml:8: 'look' must be a list")));
  EXPECT_THAT(faults_of("id = \"x\"\nbad line\n"), Contains(HasSubstr("p.toml:2:")));
  EXPECT_THAT(faults_of("title = \"X\"\n"), Contains(HasSubstr("key 'id' is missing")));
  EXPECT_THAT(faults_of(kGood, "[[signature]]\nos = \"Y\"\nlayout = [\"mss,xyz\"]\n"),
              Contains(HasSubstr("f.toml:3: unknown option in 'mss,xyz'")));
  EXPECT_THAT(
      faults_of(kGood, "[[signature]]\nos = \"Y\"\nlayout = [\"mss\"]\nplatforms = [\"none\"]\n"),
      Contains(HasSubstr("f.toml:1: unknown platform 'none'")));
}

std::vector<std::string> faults_on_top(std::string_view platform, Catalogue* out = nullptr) {
  Catalogue::Texts own;
  own.platforms.push_back({"p.toml", platform});
  std::vector<std::string> errors;
  Catalogue catalogue = Catalogue::parse({Catalogue::built_in_texts(), own}, errors);
  if (out != nullptr) *out = std::move(catalogue);
  return errors;
}

// What a user writes into one file: a new system, how it is recognised, its commands.
constexpr std::string_view kOwn = R"(id = "myos"
title = "My system"
buffer_per_window = 3

[[signature]]
os = "MyOS 1"
layout = ["mss,ts,ws"]

[fix.buffer_fixed]
certainty = "sourced"
look = ["myctl get rcvbuf"]
change = ["myctl set rcvbuf {buffer}"]
persist = ["myctl save"]
undo = ["myctl set rcvbuf <the value from the look step>"]
)";

TEST(Platforms, APlatformOfTheUserAlone) {
  Catalogue catalogue = Catalogue::built_in();
  ASSERT_THAT(faults_on_top(kOwn, &catalogue), ElementsAre());
  test::Case c = test::window_limited();
  c.connection.client_offer = test::offer("mss,ts,ws", 64, 12345, 7);
  c.settings.target_bps = 25e6;
  const Assessment a = assess(c.connection, c.direction, c.settings, catalogue);
  ASSERT_FALSE(a.advice.empty());
  EXPECT_EQ(a.advice.front().id, "myos.buffer-fixed");
  EXPECT_THAT(a.advice.front().change, ElementsAre("myctl set rcvbuf 3096672"));
  EXPECT_THAT(a.advice.front().title, HasSubstr("192.0.2.10")) << "the generic words";
}

TEST(Platforms, AFileThatIsLikeItselfChangesOnlyWhatItSays) {
  Catalogue catalogue = Catalogue::built_in();
  ASSERT_THAT(faults_on_top("id = \"linux\"\nlike = \"linux\"\ntitle = \"Our Linux\"\n"
                            "default_window = 999\n",
                            &catalogue),
              ElementsAre());
  const Platform* linux_one = catalogue.data().platform("linux");
  ASSERT_NE(linux_one, nullptr);
  EXPECT_EQ(linux_one->title, "Our Linux");
  EXPECT_EQ(linux_one->default_window, 999U);
  EXPECT_EQ(linux_one->fixes.size(), Catalogue::built_in().data().platform("linux")->fixes.size());
  EXPECT_EQ(catalogue.data().platform("wsl2")->default_window, 999U) << "built on it";
  EXPECT_EQ(catalogue.data().platforms.size(), Catalogue::built_in().data().platforms.size());
}

TEST(Platforms, WhatAnotherPlatformGives) {
  const CatalogueData& data = Catalogue::built_in().data();
  EXPECT_EQ(data.platform("linux-6.16")->family, "linux");
  EXPECT_EQ(data.platform("windows-vista")->family, "windows");
  EXPECT_EQ(data.platform("linux-2.4")->family, "linux-2.6");
  EXPECT_EQ(data.platform("macos")->fix(FixKind::scaling_off), nullptr) << "without";
  EXPECT_NE(data.platform("macos")->fix(FixKind::reader), nullptr) << "from 10.4, two steps away";
  EXPECT_EQ(data.platform("linux-6.16")->likely, 0) << "a rank is not inherited";
}

TEST(Platforms, FaultsOfLike) {
  EXPECT_THAT(faults_on_top("id = \"a\"\ntitle = \"A\"\nlike = \"none\"\n"),
              Contains(HasSubstr("p.toml:3: 'like' must name another platform, not 'none'")));
  EXPECT_THAT(faults_on_top("id = \"a\"\ntitle = \"A\"\nlike = \"a\"\n"),
              Contains(HasSubstr("p.toml:3: 'like' must name another platform, not 'a'")));
  EXPECT_THAT(faults_on_top("id = \"linux\"\ntitle = \"A\"\nlike = \"wsl2\"\n"),
              Contains(HasSubstr("'like' must name another platform")))
      << "wsl2 is like linux";
  EXPECT_THAT(faults_on_top("id = \"a\"\ntitle = \"A\"\n[fix.buffer_fixed]\nlike = \"loss\"\n"),
              Contains(HasSubstr("p.toml:4: 'like' must name a kind of fix of this platform")));
  EXPECT_THAT(
      faults_on_top("id = \"a\"\ntitle = \"A\"\n[fix.loss]\ncertainty = \"sure\"\n"),
      Contains(HasSubstr("p.toml:4: 'certainty' must be one of: sourced, derived, memory")));
  EXPECT_THAT(faults_on_top("id = \"a\"\ntitle = \"A\"\nlikely = 100\n"),
              Contains(HasSubstr("p.toml:3: 'likely' must be a number from 0 to 99")));
}

TEST(Template, BracesMustFit) {
  EXPECT_EQ(check_template("a {window} b {peer_ss}"), "");
  EXPECT_NE(check_template("a {window"), "");
  EXPECT_NE(check_template("a } b"), "");
  EXPECT_NE(check_template("{}"), "");
}

TEST(Template, SixteenAtMostForAria2) {
  FixValues values;
  values.connections = 40;
  EXPECT_EQ(fill("-x {connections_16} -s {connections}", values), "-x 16 -s 40");
}

}  // namespace
}  // namespace rwin::rules
