#include "rules/explain.h"

#include <gtest/gtest.h>

#include "rules/findings/findings.h"

namespace rwin::rules {
namespace {

TEST(Explain, EveryClassHasAPage) {
  for (const analysis::Limit limit : analysis::kAllLimits) {
    EXPECT_TRUE(explain(analysis::word(limit)).has_value()) << analysis::word(limit);
  }
}

TEST(Explain, EveryCauseHasAPage) {
  for (const Finding& finding : all_findings()) {
    if (!finding.cause.empty()) {
      EXPECT_TRUE(explain(finding.cause).has_value()) << finding.cause;
    }
  }
}

TEST(Explain, PagesAreTitledWithTheirWordAndFitATerminal) {
  for (const std::string_view code : explain_codes()) {
    const std::string_view page = explain(code).value();
    EXPECT_EQ(page.substr(0, page.find('\n')), "# " + std::string(code));
    std::string_view rest = page;
    while (!rest.empty()) {
      const std::size_t end = rest.find('\n');
      EXPECT_LE(rest.substr(0, end).size(), 80U) << code;
      rest.remove_prefix(end == std::string_view::npos ? rest.size() : end + 1);
    }
    EXPECT_NE(page.find("On the wire:"), std::string_view::npos) << code;
    EXPECT_NE(page.find("What to do:"), std::string_view::npos) << code;
  }
}

TEST(Explain, OnlyKnownWords) {
  EXPECT_FALSE(explain("receiver_window").has_value());
  EXPECT_FALSE(explain("").has_value());
  // A page without a class or a cause would never be found.
  for (const std::string_view code : explain_codes()) {
    bool known = analysis::limit_from_word(code).has_value();
    for (const Finding& finding : all_findings()) known |= finding.cause == code;
    EXPECT_TRUE(known) << code;
  }
}

}  // namespace
}  // namespace rwin::rules
