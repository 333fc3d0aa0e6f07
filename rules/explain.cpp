#include "rules/explain.h"

#include "rules/embedded.h"

namespace rwin::rules {
namespace {

std::string_view code_of(const EmbeddedText& page) {
  return page.name.substr(0, page.name.rfind('.'));
}

}  // namespace

std::optional<std::string_view> explain(std::string_view code) {
  for (const EmbeddedText& page : explain_texts()) {
    if (code_of(page) == code) return page.text;
  }
  return std::nullopt;
}

std::vector<std::string_view> explain_codes() {
  std::vector<std::string_view> codes;
  for (const EmbeddedText& page : explain_texts()) codes.push_back(code_of(page));
  return codes;  // embedded in the order of their names
}

}  // namespace rwin::rules
