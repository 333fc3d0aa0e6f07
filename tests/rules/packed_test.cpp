// Packed trees, and that those in the binary are the data files.
#include "rules/packed.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <sstream>

#include "rules/embedded.h"

namespace rwin::rules {
namespace {

TEST(Packed, GivesBackWhatWasPacked) {
  const std::string long_text(300, 'x');
  const std::string text = "id = \"a\"\nlist = [1, -2.5, true, \"" + long_text +
                           "\"]\nempty = []\nwhen = 2026-12-01\n" + std::string(200, '\n') +
                           "[far.below]\nnone = \"\"\n[[row]]\nx = 1\n[[row]]\n";
  std::vector<std::string> errors;
  const auto tree = read_toml("f.toml", text, errors);
  ASSERT_TRUE(tree.has_value());
  const Value again = unpack(pack(*tree), "f.toml");
  EXPECT_EQ(again, *tree);
  ASSERT_NE(again.get("far"), nullptr);
  EXPECT_GT(again.get("far")->get("below")->line, 200U);
  EXPECT_EQ(again.get("list")->items.at(3).text, long_text);
}

TEST(Packed, TheBinaryHoldsTheFiles) {
  const std::filesystem::path root = std::filesystem::path(RWIN_SOURCE_DIR) / "rules";
  const auto expect_same = [&](const std::filesystem::path& folder,
                               std::span<const EmbeddedText> files) {
    std::size_t there = 0;
    for (const auto& entry : std::filesystem::directory_iterator(root / folder))
      there += entry.path().extension() == ".toml" ? 1U : 0U;
    EXPECT_EQ(files.size(), there) << folder;
    for (const EmbeddedText& file : files) {
      std::ifstream in(root / folder / file.name);
      std::stringstream text;
      text << in.rdbuf();
      std::vector<std::string> errors;
      const std::string content = text.str();
      const auto tree = read_toml(file.name, content, errors);
      ASSERT_TRUE(tree.has_value()) << file.name;
      EXPECT_EQ(unpack(file.text, file.name), *tree) << file.name;
    }
  };
  expect_same("platforms", platform_files());
  expect_same("applications", application_files());
  expect_same("", fingerprint_files());
}

}  // namespace
}  // namespace rwin::rules
