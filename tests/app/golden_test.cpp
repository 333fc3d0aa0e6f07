// The real program over the captures of pcaps/, against reports that a person has read
// (tests/golden/cases.txt).
#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <ostream>
#include <sstream>

#include "tests/app/program.h"

namespace rwin::app::test {
namespace {

const std::string kRoot = RWIN_SOURCE_DIR;

struct Case {
  std::string name, form;
  std::vector<std::string> arguments;
  friend std::ostream& operator<<(std::ostream& out, const Case& c) {
    return out << c.name << "." << c.form;
  }
};

std::vector<Case> read_cases() {
  std::vector<Case> cases;
  std::istringstream lines(read_file(kRoot + "/tests/golden/cases.txt"));
  for (std::string line; std::getline(lines, line);) {
    if (line.empty() || line[0] == '#') continue;
    std::istringstream words(line);
    Case c;
    words >> c.name >> c.form;
    for (std::string word; words >> word;) c.arguments.push_back(word);
    cases.push_back(std::move(c));
  }
  return cases;
}

class Golden : public ::testing::TestWithParam<Case> {};

TEST_P(Golden, ReportIsAsItWasRead) {
  const Case& c = GetParam();
  RunWith with;
  with.folder = kRoot;
  const Ran ran = run_program(c.arguments, with);
  EXPECT_EQ(ran.code, 0) << ran.err;
  std::string text = ran.out;
  // Indented, so that a change shows as the lines that changed; the version changes with every
  // release.
  if (c.form == "json") {
    auto doc = nlohmann::ordered_json::parse(text);
    doc["tool"]["version"] = "";
    text = doc.dump(1) + "\n";
  }
  const std::string path = kRoot + "/tests/golden/" + c.name + "." + c.form;
  if (std::getenv("RWIN_UPDATE_GOLDEN") != nullptr) {
    std::ofstream(path, std::ios::binary) << text;
    return;
  }
  EXPECT_EQ(text, read_file(path)) << "intended? scripts/update-golden, then read the diff";
}

std::string case_name(const ::testing::TestParamInfo<Case>& info) {
  std::string name = info.param.name + "_" + info.param.form;
  std::replace(name.begin(), name.end(), '-', '_');
  return name;
}

INSTANTIATE_TEST_SUITE_P(Reports, Golden, ::testing::ValuesIn(read_cases()), case_name);

TEST(GoldenFiles, EachBelongsToACase) {
  std::size_t files = 0;
  for (const auto& entry : std::filesystem::directory_iterator(kRoot + "/tests/golden")) {
    files += entry.is_regular_file() && entry.path().filename() != "cases.txt" ? 1U : 0U;
  }
  EXPECT_EQ(files, read_cases().size());
}

}  // namespace
}  // namespace rwin::app::test
