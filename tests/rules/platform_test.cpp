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
  std::vector<Catalogue::Text> platforms, fingerprints;
  for (const EmbeddedText& text : platform_texts()) platforms.push_back({text.name, text.text});
  for (const EmbeddedText& text : fingerprint_texts())
    fingerprints.push_back({text.name, text.text});
  std::vector<std::string> errors;
  const Catalogue catalogue = Catalogue::parse(platforms, fingerprints, errors);
  EXPECT_THAT(errors, ElementsAre());
  EXPECT_EQ(catalogue.data().platforms.size(), platforms.size());
  for (const EmbeddedText& text : platform_texts()) {
    const std::string id(text.name.substr(0, text.name.rfind('.')));
    EXPECT_NE(catalogue.data().platform(id), nullptr) << text.name << " must be named by its id";
  }
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
  std::vector<Catalogue::Text> fingerprints;
  if (!signatures.empty()) fingerprints.push_back({"f.toml", signatures});
  Catalogue::parse({{"p.toml", platform}}, fingerprints, errors);
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
