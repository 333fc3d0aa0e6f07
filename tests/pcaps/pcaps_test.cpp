// The captures in pcaps/ through the whole library: source, decode, analysis, rules. What each must
// give stands in pcaps/MANIFEST.md; here is no list of its own.
#include <gtest/gtest.h>

#include <cmath>
#include <filesystem>
#include <set>
#include <sstream>

#include "rules/assess.h"
#include "rules/platform.h"
#include "tests/pcaps/captures.h"

namespace rwin {
namespace {

std::set<std::string> alternatives(const std::string& text) {
  std::set<std::string> out;
  std::istringstream words(text);
  for (std::string w; words >> w;) {
    if (w != "or") out.insert(w);
  }
  return out;
}

std::string scale_words(const analysis::WindowScale& s) {
  switch (s.state) {
    case analysis::Presence::unknown:
      return "unknown";
    case analysis::Presence::absent:
      return "absent";
    case analysis::Presence::known:
      break;
  }
  return (s.inferred ? "inferred " : "known ") + std::to_string(s.shift);
}

class PcapTest : public testing::TestWithParam<Row> {};

void expect_row(const analysis::ConnectionResult& c, const Row& row) {
  static const char* const kPlaces[] = {"client", "server", "middle", "unknown"};
  EXPECT_EQ(kPlaces[static_cast<std::size_t>(c.place)], row.place);
  ASSERT_FALSE(c.directions.empty());
  const analysis::DirectionResult& d = c.directions[0];
  EXPECT_FALSE(d.from_client);
  EXPECT_EQ(analysis::word(d.limit), row.limit);
  EXPECT_EQ(scale_words(d.scale), row.scale);
  ASSERT_TRUE(d.window_max);
  EXPECT_EQ(std::to_string(*d.window_max), row.window);
  ASSERT_TRUE(d.rtt_base_us);
  const double rtt_us = 1000 * std::stod(row.rtt);
  EXPECT_NEAR(static_cast<double>(*d.rtt_base_us), rtt_us, std::max(1000.0, 0.02 * rtt_us));

  const rules::Assessment a = rules::assess(c, d, {}, rules::Catalogue::built_in());
  EXPECT_EQ(analysis::word(a.verdict.limit), row.limit);
  const auto causes = alternatives(row.cause == "-" ? "" : row.cause);
  if (causes.empty())
    EXPECT_EQ(a.verdict.cause, "");
  else
    EXPECT_EQ(causes.count(a.verdict.cause), 1U) << a.verdict.cause << " instead of " << row.cause;
}

TEST_P(PcapTest, GivesTheVerdictOfTheManifest) {
  const auto results = read(GetParam().file);
  ASSERT_EQ(results.size(), GetParam().connections);
  for (const analysis::ConnectionResult& c : results) expect_row(c, GetParam());
}

INSTANTIATE_TEST_SUITE_P(Manifest, PcapTest, testing::ValuesIn(rows()), name_of);
INSTANTIATE_TEST_SUITE_P(Several, PcapTest, testing::ValuesIn(several_rows()), name_of);

TEST(Manifest, NamesEveryCaptureAndNoOther) {
  std::set<std::string> named;
  for (const Row& r : rows()) named.insert(r.file);
  for (const Row& r : several_rows()) named.insert(r.file);
  std::set<std::string> there;
  std::uintmax_t bytes = 0;
  for (const auto& e : std::filesystem::directory_iterator(kFolder)) {
    if (e.path().extension() == ".md") continue;
    there.insert(e.path().filename().string());
    bytes += e.file_size();
  }
  EXPECT_EQ(named, there);
  EXPECT_LT(bytes, 3'000'000U) << "the folder is in every clone: keep it small";
}

}  // namespace
}  // namespace rwin
