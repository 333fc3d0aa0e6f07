#include "app/html/compare_html.h"

#include <fmt/format.h>

#include <algorithm>

#include "app/compare_words.h"
#include "app/html/flow_html.h"
#include "app/html/page.h"

namespace rwin::app::html {
namespace {

const Finding* drawn_of(const std::vector<Finding>& flows, const rules::FlowRecord& record) {
  const auto found = std::find_if(flows.begin(), flows.end(), [&](const Finding& f) {
    return f.id == record.id && f.direction.from_client != record.receiver_is_client;
  });
  return found == flows.end() ? nullptr : &*found;
}

// Side by side, with the same axes.
std::string both_pictures(const Finding& before, const Finding& after, const FindingText& how,
                          const std::string& id) {
  const Columns old = columns_of(before);
  const Columns now = columns_of(after);
  const Scales scales = joined(scales_of(before, old), scales_of(after, now));
  return fmt::format(
      "<div class=\"pair\">\n<section aria-label=\"before\"><h3>Before</h3>\n{}</section>\n"
      "<section aria-label=\"after\"><h3>After</h3>\n{}</section>\n</div>\n",
      pictures_html(before, old, scales, how, id + "-before"),
      pictures_html(after, now, scales, how, id + "-after"));
}

std::string pair_html(const ComparePage& page, const rules::FlowPair& pair, std::size_t place,
                      std::set<std::string, std::less<>>& codes) {
  const std::string id = fmt::format("pair-{}", place);
  std::string out = fmt::format(
      "<article id=\"{0}\" aria-labelledby=\"{0}-head\"{1}>\n<h2 id=\"{0}-head\">{2}: {3}</h2>\n"
      "{4}",
      id, pair.outcome == rules::ChangeOutcome::hurt ? " class=\"held\"" : "",
      outcome_words(pair.outcome), escaped(pair_ends(pair)),
      page.comparison.pairs.size() == 1  // of one pair it stands at the top
          ? ""
          : fmt::format("<p class=\"cause\">{}</p>\n", escaped(pair.summary)));
  out +=
      "<div class=\"scroll\"><table><thead><tr><td></td><th scope=\"col\">before</th>"
      "<th scope=\"col\">after</th><td></td></tr></thead><tbody>\n";
  for (const CompareRow& row : compare_rows(pair, page.options.units)) {
    out +=
        fmt::format("<tr><th scope=\"row\">{}</th><td>{}</td><td>{}</td><td>{}</td></tr>\n",
                    escaped(row.label), escaped(row.before), escaped(row.after), escaped(row.more));
  }
  out += "</tbody></table></div>\n";
  for (const std::string& note : pair_notes(pair))
    out += fmt::format("<p class=\"note\">{}</p>\n", escaped(note));
  std::string words;
  for (const rules::FlowRecord* record : {&pair.before, &pair.after}) {
    for (const std::string& code : {std::string(analysis::word(record->limit)), record->cause}) {
      if (!code.empty() && codes.insert(code).second)
        words += (words.empty() ? "" : ", ") + word_link(code);
    }
  }
  if (!words.empty()) out += fmt::format("<p class=\"note\">What it means: {}</p>\n", words);
  const Finding* before = drawn_of(page.before, pair.before);
  const Finding* after = drawn_of(page.after, pair.after);
  if (before != nullptr && after != nullptr) {
    const FindingText how{page.options.units, false, page.options.target_bps, std::nullopt};
    out += both_pictures(*before, *after, how, id);
  }
  return out + "</article>\n";
}

}  // namespace

std::string compare_page(const ComparePage& page_of) {
  const rules::Comparison& c = page_of.comparison;
  std::string body = fmt::format(
      "<header>\n<p class=\"source\">rwin compare: {} \u2192 {}</p>\n<h1>{}</h1>\n",
      escaped(page_of.options.files[0]), escaped(page_of.options.files[1]), escaped(c.summary));
  for (const std::string& warning : page_of.warnings)
    body += fmt::format("<p class=\"source\">warning: {}</p>\n", escaped(warning));
  body += "</header>\n<main>\n";
  std::set<std::string, std::less<>> codes;
  std::size_t shown = 0;
  for (const rules::FlowPair& pair : c.pairs) {
    if (page_of.options.top > 0 && shown >= page_of.options.top) break;
    body += pair_html(page_of, pair, ++shown, codes);
  }
  if (shown < c.pairs.size())
    body += fmt::format("<p class=\"note\">{} more pairs (--top)</p>\n", c.pairs.size() - shown);
  for (const auto& [label, flows] :
       {std::pair("only before", &c.only_before), std::pair("only after", &c.only_after)}) {
    if (!flows->empty())
      body += fmt::format("<p class=\"note\">{}: {} transfers</p>\n", label, flows->size());
  }
  body += words_section(codes) + "</main>\n";
  return page("rwin compare: " + page_of.options.files[0] + ", " + page_of.options.files[1], body);
}

}  // namespace rwin::app::html
