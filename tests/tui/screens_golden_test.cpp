// Every screen at every size of the ladder, in braille, block and ASCII, against pictures that a
// person has looked at.
#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <sstream>

#include "demo.h"

namespace rwin::tui::test {
namespace {

struct Size {
  int width, height;
};
constexpr Size kLadder[] = {{140, 36}, {114, 30}, {100, 24}, {80, 24}, {60, 16}, {30, 8}, {24, 5}};
constexpr std::pair<Glyphs, const char*> kGlyphs[] = {
    {Glyphs::braille, "braille"}, {Glyphs::block, "block"}, {Glyphs::ascii, "ascii"}};

struct Case {
  std::string name;
  std::shared_ptr<const Snapshot> (*snapshot)();
  std::string keys;  // pressed before
};

const std::vector<Case>& cases() {
  static const std::vector<Case> kCases = {
      {"flows", demo, ""},
      {"flow", demo, "enter"},
      {"fix", demo, "3"},
      {"hosts", demo, "4"},
      {"hosts-parallel", parallel, "4"},
      {"help", demo, "?"},
      {"file-flows", demo_file, ""},
      {"file-cursor", demo_file, ", , , , , , , , , ,"},
      {"file-flow-cursor", demo_file, "enter left left left left left left left left + +"},
      {"ipv6-flows", demo_ipv6, ""},
      {"ipv6-flow", demo_ipv6, "enter"},
      {"ipv6-fix", demo_ipv6, "3"},
      {"ipv6-hosts", demo_ipv6, "4"},
      {"copied", demo, "3 y"},
      {"states", demo, "down f o space"},
      {"filter-wrong", demo, "/ p o r t : x"},
  };
  return kCases;
}

class ScreensGolden : public ::testing::TestWithParam<Case> {};

TEST_P(ScreensGolden, IsAsItWasSeen) {
  std::ostringstream all;
  for (const Size& size : kLadder) {
    for (const auto& [glyphs, word] : kGlyphs) {
      Model model = showing(GetParam().snapshot());
      picture(model, size.width, size.height, glyphs);
      press(model, GetParam().keys);
      if (GetParam().name == "copied") model.show_clipboard(true);
      const Canvas canvas = picture(model, size.width, size.height, glyphs);
      all << "=== " << size.width << "x" << size.height << " " << word << "\n" << canvas.text();
      if (glyphs == Glyphs::braille && size.width == 80)
        all << "=== 80x24 roles\n" << canvas.roles();
      if (glyphs != Glyphs::ascii) continue;
      for (const char c : canvas.text())
        ASSERT_LT(static_cast<unsigned char>(c), 0x7f) << GetParam().name;
    }
  }
  const std::string path =
      std::string(RWIN_SOURCE_DIR) + "/tests/golden/screens/" + GetParam().name + ".txt";
  if (std::getenv("RWIN_UPDATE_GOLDEN") != nullptr) {
    std::filesystem::create_directories(std::filesystem::path(path).parent_path());
    std::ofstream(path, std::ios::binary) << all.str();
    return;
  }
  std::ifstream file(path, std::ios::binary);
  std::ostringstream known;
  known << file.rdbuf();
  EXPECT_EQ(all.str(), known.str()) << "intended? scripts/update-golden, then read the diff";
}

INSTANTIATE_TEST_SUITE_P(Screens, ScreensGolden, ::testing::ValuesIn(cases()),
                         [](const auto& test) {
                           std::string name = test.param.name;
                           std::replace(name.begin(), name.end(), '-', '_');
                           return name;
                         });

TEST(ScreensGoldenFiles, EachBelongsToACase) {
  std::size_t files = 0;
  for (const auto& entry :
       std::filesystem::directory_iterator(std::string(RWIN_SOURCE_DIR) + "/tests/golden/screens"))
    files +=
        entry.path().extension() == ".txt" && entry.path().filename().string().rfind("lab-", 0) != 0
            ? 1U
            : 0U;
  EXPECT_EQ(files, cases().size());
}

}  // namespace
}  // namespace rwin::tui::test
