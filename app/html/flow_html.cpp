#include "app/html/flow_html.h"

#include <fmt/format.h>

#include <cmath>

#include "app/html/page.h"
#include "app/local_text.h"
#include "text/address.h"
#include "text/limit_text.h"

namespace rwin::app::html {
namespace {

using analysis::Limit;

// An array of numbers for the script; whole ones, null where there is none.
std::string array(const Values& values) {
  std::string out = "[";
  for (const auto& v : values) {
    if (out.size() > 1) out += ',';
    out += v ? fmt::format("{:.0f}", *v) : "null";
  }
  return out + "]";
}

// What the time cursor reads out. Numbers and words of this program only: nothing that a packet
// could have written.
std::string cursor_data(const Finding& f, const Columns& c, const Scales& s, Units units) {
  std::string series;
  const auto add = [&](std::string_view name, std::string_view unit, const Values& values) {
    if (values.empty()) return;
    series += fmt::format("{}{{\"name\":\"{}\",\"unit\":\"{}\",\"v\":{}}}",
                          series.empty() ? "" : ",", name, unit, array(values));
  };
  add("window", "B", c.window_low);
  add("in flight", "B", c.flight);
  add("round trip", "us", c.rtt_low);
  add("rate", units == Units::bits ? "bps" : "Bps", c.rate);
  add("sent", "V", c.sent_high);
  add("acknowledged", "V", c.acked);
  add("segments sent again", "n", c.resent);
  std::string limits;
  for (const analysis::TimelinePiece& p : f.direction.timeline) {
    limits += fmt::format("{}[{},{},\"{}\"]", limits.empty() ? "" : ",", p.start_us,
                          p.start_us + p.duration_us, limit_text(p.limit).name);
  }
  return fmt::format(
      "{{\"step\":{:.0f},\"columns\":{},\"length\":{:.0f},\"left\":{},\"width\":{},"
      "\"series\":[{}],\"limits\":[{}]}}",
      c.step_us, c.size(), s.length_us, number(kLeft), number(kPlot), series, limits);
}

std::string legend(const Finding& f) {
  std::string out = "<ul class=\"legend\">";
  for (const Limit limit : limits_of(f, "")) {
    const std::string words = limit_words(f, limit);
    out += fmt::format("<li><b class=\"l-{}\">{}</b>{}</li>", analysis::word(limit),
                       escaped(words.substr(0, 1)), escaped(words.substr(2)));
  }
  return out + "</ul>";
}

void add_row(std::string& list, std::string_view label, const std::string& text) {
  if (!text.empty()) list += fmt::format("<dt>{}</dt><dd>{}</dd>\n", label, escaped(text));
}

std::string step_html(std::string_view label, const std::vector<std::string>& lines,
                      const std::string& id) {
  if (lines.empty()) return {};
  std::string text;
  for (const std::string& line : lines) text += (text.empty() ? "" : "\n") + escaped(line);
  return fmt::format(
      "<div class=\"step\"><span>{0}</span><pre id=\"{1}\">{2}</pre>"
      "<button type=\"button\" hidden data-copy=\"{1}\" aria-label=\"Copy: {0}\">Copy</button>"
      "</div>\n",
      label, escaped(id), text);
}

std::string advice_html(const Finding& f, const rules::Advice& a, const std::string& id) {
  const std::string place = rules::place_of(a);
  std::string out =
      fmt::format("<h4>{}</h4>\n", escaped(place.empty() ? a.title : place + ": " + a.title));
  if (f.local) {
    const auto& end = f.sent_here() ? f.sender : f.receiver;
    for (const std::string& line : now_and_new(a, *f.local, end.address))
      out += fmt::format("<p class=\"note\">now: {}</p>\n", escaped(line));
  }
  out += step_html("look", a.look, id + "-look") + step_html("change", a.change, id + "-change") +
         step_html("persist", a.persist, id + "-persist") + step_html("undo", a.undo, id + "-undo");
  if (!a.takes_effect.empty())
    out += fmt::format("<p class=\"note\">effect: {}</p>\n", escaped(a.takes_effect));
  for (const std::string& warning : a.warnings)
    out += fmt::format("<p><strong>careful:</strong> {}</p>\n", escaped(warning));
  return out;
}

std::string fix_html(const Finding& f, const std::string& id) {
  const auto& advice = f.assessment.advice;
  if (advice.empty()) return {};
  if (f.same_fix_as != 0) {
    return fmt::format("<h3 id=\"{}-fix\">Fix</h3>\n<p>The same as for {}., on {}.</p>\n", id,
                       f.same_fix_as, escaped(advice[0].host));
  }
  std::string out = fmt::format("<h3 id=\"{}-fix\" tabindex=\"-1\">Fix</h3>\n", id);
  for (std::size_t i = 0; i < advice.size(); ++i) {
    if (i == 1) {
      out += fmt::format("<details><summary>{} more way{} to change it</summary>\n",
                         advice.size() - 1, advice.size() == 2 ? "" : "s");
    }
    out += advice_html(f, advice[i], fmt::format("{}-a{}", id, i));
  }
  return out + (advice.size() > 1 ? "</details>\n" : "");
}

std::string evidence_html(const rules::Verdict& v, Units units) {
  if (v.evidence.empty()) return {};
  std::string out = "<details><summary>Evidence</summary><table><tbody>\n";
  for (const rules::Evidence& e : v.evidence) {
    const std::string words = evidence_words(e, units);
    out += fmt::format("<tr><th scope=\"row\">{}</th><td>{}</td></tr>\n", escaped(e.key),
                       escaped(words.substr(std::min(e.key.size() + 1, words.size()))));
  }
  return out + "</tbody></table></details>\n";
}

}  // namespace

std::string flow_id(const Finding& f) {
  return fmt::format("flow-{}-{}", f.id, f.direction.from_client ? "up" : "down");
}

std::string flow_name(const Finding& f) {
  return endpoint_text(f.sender) + " \u2192 " + endpoint_text(f.receiver);
}

std::string pictures_html(const Finding& f, const Columns& c, const Scales& s,
                          const FindingText& how, std::string_view id) {
  const std::vector<Picture> pictures = pictures_of(f, c, s, how);
  if (pictures.empty()) return {};
  std::string out = fmt::format(
      "<div class=\"pictures\" id=\"{}-pictures\" tabindex=\"0\" role=\"group\" "
      "aria-label=\"Pictures over time. Left and right arrow keys move the time cursor.\">\n",
      id);
  for (const Picture& p : pictures) {
    out += fmt::format(
        "<figure><figcaption><h4>{}</h4>{}</figcaption>"
        "<div class=\"plot\" role=\"img\" aria-label=\"{}\">{}</div>",
        escaped(p.title), escaped(p.caption), escaped(p.description), p.svg);
    if (p.key == "limits") out += legend(f);
    out += "</figure>\n";
  }
  if (c.size() > 0) {
    out += fmt::format(
        "<div class=\"read\" role=\"status\">Point at a picture, or use the arrow keys, to read "
        "its "
        "values.</div>\n<script type=\"application/json\">{}</script>\n",
        cursor_data(f, c, s, how.units));
  }
  return out + "</div>\n";
}

std::string flow_html(const Finding& f, const FindingText& how,
                      std::set<std::string, std::less<>>& codes) {
  const rules::Verdict& v = f.assessment.verdict;
  const std::string id = flow_id(f);
  const bool held = v.limit == Limit::receiver_window;
  std::string out = fmt::format(
      "<article id=\"{0}\" aria-labelledby=\"{0}-head\"{1}>\n<h2 id=\"{0}-head\">{2}. {3} "
      "{4}</h2>\n",
      id, held ? " class=\"held\"" : "", f.id, escaped(limit_text(v.limit).headline),
      escaped(flow_name(f)));
  codes.emplace(analysis::word(v.limit));
  if (v.limit == Limit::unknown) {
    const auto [reason, todo] = no_verdict_words(f);
    out += fmt::format("<p class=\"cause\">{}</p>\n", escaped(reason));
    if (!todo.empty() && v.notes.empty()) out += fmt::format("<p>{}</p>\n", escaped(todo));
  } else {
    out += fmt::format("<p class=\"cause\">{}</p>\n<p><span class=\"sure\">confidence {}</span> {}",
                       escaped(v.summary), rules::word(v.confidence),
                       word_link(analysis::word(v.limit)));
    if (!v.cause.empty()) {
      codes.insert(v.cause);
      out += ", " + word_link(v.cause);
    }
    out += "</p>\n";
  }
  std::string list;
  add_row(list, "speed", speed_words(f, how));
  add_row(list, "gain", gain_words(f, how));
  add_row(list, "path", path_words(f));
  if (f.local) add_row(list, "here", local_text(*f.local, f.sent_here()));
  for (const std::string& note : v.notes) add_row(list, "note", note);
  if (!v.unproven.empty()) add_row(list, "unproven", unproven_words(v));
  out += "<dl>\n" + list + "</dl>\n" + fix_html(f, id);
  const Columns columns = columns_of(f);
  out += pictures_html(f, columns, scales_of(f, columns), how, id);
  return out + evidence_html(v, how.units) + "</article>\n";
}

}  // namespace rwin::app::html
