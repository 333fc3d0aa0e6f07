#include "app/html/page.h"

#include <fmt/format.h>

#include <algorithm>

#include "app/html/style.h"
#include "app/html/svg.h"
#include "app/version.h"
#include "rules/explain.h"

namespace rwin::app::html {
namespace {

// Paragraphs, and pictures (indented lines) as they are.
std::string explanation(std::string_view text) {
  std::string out;
  text.remove_prefix(std::min(text.find("\n\n"), text.size()));  // its title
  while (!text.empty()) {
    text.remove_prefix(std::min(text.find_first_not_of('\n'), text.size()));
    const std::size_t end = std::min(text.find("\n\n"), text.size());
    const std::string_view part = text.substr(0, end);
    text.remove_prefix(end);
    if (part.empty() || part == "Picture:") continue;
    if (part.front() == ' ') {
      // A picture may hold blank lines of its own.
      constexpr std::string_view kEnd = "</pre>";
      if (out.ends_with(kEnd)) {
        out.resize(out.size() - kEnd.size());
        out += "\n\n" + escaped(part) + std::string(kEnd);
      } else {
        out += "<pre>" + escaped(part) + std::string(kEnd);
      }
      continue;
    }
    const std::size_t colon = part.find(": ");
    const bool labelled = colon < 40 && part.substr(0, colon).find('\n') == std::string_view::npos;
    out += labelled ? fmt::format("<p><strong>{}.</strong> {}</p>", escaped(part.substr(0, colon)),
                                  escaped(part.substr(colon + 2)))
                    : fmt::format("<p>{}</p>", escaped(part));
  }
  return out;
}

}  // namespace

std::string word_id(std::string_view code) { return "word-" + std::string(code); }

std::string word_link(std::string_view code) {
  if (!rules::explain(code)) return escaped(code);
  return fmt::format("<a href=\"#{0}\">{1}</a>", escaped(word_id(code)), escaped(code));
}

std::string words_section(const std::set<std::string, std::less<>>& codes) {
  std::string out;
  for (const std::string& code : codes) {
    const auto text = rules::explain(code);
    if (!text) continue;
    out += fmt::format("<details id=\"{}\"><summary><strong>{}</strong></summary>{}</details>\n",
                       escaped(word_id(code)), escaped(code), explanation(*text));
  }
  if (out.empty()) return out;
  return "<section aria-labelledby=\"words\"><h2 id=\"words\">What the words mean</h2>\n" + out +
         "</section>\n";
}

std::string page(std::string_view title, std::string_view body) {
  return fmt::format(
      "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"
      "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n"
      "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; style-src "
      "'unsafe-inline'; script-src 'sha256-{}'; base-uri 'none'; form-action 'none'\">\n"
      "<meta name=\"generator\" content=\"rwin {}\">\n<title>{}</title>\n<style>{}{}</style>\n"
      "</head>\n<body>\n{}<script>{}</script>\n</body>\n</html>\n",
      kScriptHash, kVersion, escaped(title), picture_style(), page_style(), body, page_script());
}

}  // namespace rwin::app::html
