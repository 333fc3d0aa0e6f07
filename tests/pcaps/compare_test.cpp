// The pairs of pcaps/MANIFEST.md through the whole library: what `rwin compare` says of them.
#include "rules/compare.h"

#include <gtest/gtest.h>

#include <fstream>

#include "rules/assess.h"
#include "rules/platform.h"
#include "tests/pcaps/captures.h"

namespace rwin {
namespace {

struct Pair {
  std::string before, after, outcome, reason;
  friend void PrintTo(const Pair& p, std::ostream* out) { *out << p.before << " " << p.after; }
};

std::vector<Pair> pairs() {
  std::vector<Pair> out;
  std::ifstream in(kFolder + "MANIFEST.md");
  for (std::string line; std::getline(in, line);) {
    if (!line.starts_with("| pair |")) continue;
    const std::vector<std::string> cell = cells_of(line);
    if (cell.size() != 6) throw std::runtime_error("MANIFEST.md: a pair has five columns: " + line);
    out.push_back({cell[2], cell[3], cell[4], cell[5]});
  }
  return out;
}

std::vector<rules::FlowRecord> records(const std::string& file) {
  std::vector<rules::FlowRecord> out;
  for (const analysis::ConnectionResult& c : read(file)) {
    for (const analysis::DirectionResult& d : c.directions) {
      if (d.bytes < 10'000) continue;
      out.push_back(rules::record_of(c, d, rules::assess(c, d, {}, rules::Catalogue::built_in())));
    }
  }
  return out;
}

class ComparePcaps : public testing::TestWithParam<Pair> {};

TEST_P(ComparePcaps, SaysWhatTheManifestSays) {
  const Pair& p = GetParam();
  const rules::Comparison c = rules::compare(records(p.before), records(p.after));
  ASSERT_EQ(c.pairs.size(), 1U);
  EXPECT_EQ(rules::word(c.outcome), p.outcome) << c.summary;
  EXPECT_EQ(c.pairs[0].reason, p.reason) << c.summary;
}

INSTANTIATE_TEST_SUITE_P(Manifest, ComparePcaps, testing::ValuesIn(pairs()));

TEST(ComparePcapsManifest, HasPairs) { EXPECT_GE(pairs().size(), 4U); }

}  // namespace
}  // namespace rwin
