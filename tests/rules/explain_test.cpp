#include "rules/explain.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <fstream>
#include <sstream>

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
    EXPECT_TRUE(std::all_of(page.begin(), page.end(), [](char c) {
      return c == '\n' || (c >= ' ' && c <= '~');
    })) << code;
    while (!rest.empty()) {
      const std::size_t end = rest.find('\n');
      EXPECT_LE(rest.substr(0, end).size(), 80U) << code;
      rest.remove_prefix(end == std::string_view::npos ? rest.size() : end + 1);
    }
    std::size_t at = 0;
    for (const std::string_view part :
         {"On the wire: ", "Picture:\n\n    ",
          "Told from its neighbours: ", "What to do: ", "What would change the verdict: "}) {
      const std::size_t found = page.find(part, at);
      EXPECT_NE(found, std::string_view::npos)
          << code << ": " << part << " missing or out of order";
      if (found != std::string_view::npos) at = found;
    }
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

// docs/explain.md: all pages in one, the classes with their causes first.
std::string document() {
  std::string text =
      "# The words of a verdict\n\n"
      "What each limit and each cause means, as `rwin --explain WORD` prints it. "
      "How they are decided: [method.md](method.md).\n\n"
      "| limit | causes |\n| --- | --- |\n";
  const auto link = [](std::string_view code) {
    return "[" + std::string(code) + "](#" + std::string(code) + ")";
  };
  for (const analysis::Limit limit : analysis::kAllLimits) {
    text += "| " + link(analysis::word(limit)) + " | ";
    std::string causes;
    for (const Finding& finding : all_findings()) {
      if (finding.cause.empty() || (finding.limits & (1U << static_cast<unsigned>(limit))) == 0)
        continue;
      causes += (causes.empty() ? "" : ", ") + link(finding.cause);
    }
    text += causes + " |\n";
  }
  for (const std::string_view code : explain_codes())
    text += "\n#" + std::string(explain(code).value());
  return text;
}

TEST(ExplainDocument, IsInTheDocs) {
  const std::string path = std::string(RWIN_SOURCE_DIR) + "/docs/explain.md";
  if (std::getenv("RWIN_UPDATE_GOLDEN") != nullptr) {
    std::ofstream(path, std::ios::binary) << document();
    return;
  }
  std::ifstream in(path, std::ios::binary);
  std::ostringstream text;
  text << in.rdbuf();
  EXPECT_EQ(text.str(), document()) << "scripts/update-golden writes it anew";
}

}  // namespace
}  // namespace rwin::rules
