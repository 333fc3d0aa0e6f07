#include "app/html/report_html.h"

#include <fmt/format.h>

#include <algorithm>

#include "app/html/flow_html.h"
#include "app/html/page.h"
#include "app/input_words.h"
#include "text/address.h"
#include "text/limit_text.h"

namespace rwin::app::html {
namespace {

using analysis::Limit;

constexpr std::size_t kMostHosts = 20;

std::string rate_words(const Finding& f, Units units) {
  return f.direction.goodput_bps ? rate_text(*f.direction.goodput_bps, units) : "no rate";
}

// What stands behind "192.0.2.10: ", one sentence: `f` is the receiver's most costly flow.
std::string host_sentence(const Finding& f, const rules::HostSummary* host, Units units) {
  const rules::Verdict& v = f.assessment.verdict;
  if (v.limit == Limit::unknown) return "what limits it cannot be told from this capture.";
  if (v.limit != Limit::receiver_window) {
    return fmt::format("its receive window is not the limit: {} the transfer ({}).",
                       limit_text(v.limit).headline, rate_words(f, units));
  }
  std::string text = "its receive window holds the transfer";
  if (host != nullptr && host->connections > 1) {
    text = fmt::format("its receive window holds {} of {} transfers", grouped(host->window_limited),
                       grouped(host->connections));
  }
  text += ": " + rate_words(f, units);
  if (v.potential_bps && v.gain > 1.05)
    text += " of a possible " + rate_text(*v.potential_bps, units);
  if (!f.assessment.advice.empty()) {
    const rules::Advice& a = f.assessment.advice[0];
    const std::string place = rules::place_of(a);
    text += "; " + (place.empty() ? a.title : place + ": " + a.title);
  }
  if (!text.ends_with('.')) text += '.';
  return text;
}

// Receivers in the order of what they lose, a sentence each.
std::string hosts_html(const ReportPage& r) {
  std::vector<const Finding*> worst;
  for (const auto& shown : r.shown) {
    const bool known = std::any_of(worst.begin(), worst.end(), [&](const Finding* f) {
      return f->receiver.address == shown.finding->receiver.address;
    });
    if (!known) worst.push_back(shown.finding);
  }
  std::string out;
  for (std::size_t i = 0; i < worst.size() && i < kMostHosts; ++i) {
    const Finding& f = *worst[i];
    const auto host =
        std::find_if(r.hosts.begin(), r.hosts.end(),
                     [&](const rules::HostSummary& h) { return h.address == f.receiver.address; });
    out += fmt::format(
        "<li{}><a href=\"#{}\"><strong>{}</strong></a>: {}</li>\n",
        f.limit() == Limit::receiver_window ? " class=\"held\"" : "", flow_id(f),
        escaped(address_text(f.receiver.address)),
        escaped(host_sentence(f, host == r.hosts.end() ? nullptr : &*host, r.how.units)));
    if (host == r.hosts.end()) continue;
    for (const std::string& note : host->notes)
      out += fmt::format("<li><strong>{}</strong>: {}</li>\n", escaped(address_text(host->address)),
                         escaped(note));
  }
  if (worst.size() > kMostHosts)
    out += fmt::format("<li>{} more receivers</li>\n", worst.size() - kMostHosts);
  return out.empty() ? out : "<ul class=\"hosts\">\n" + out + "</ul>\n";
}

std::string list_html(const ReportPage& r) {
  if (r.shown.size() < 2) return {};
  std::string out =
      "<div class=\"scroll\"><table><caption class=\"caption\">All flows of this page</caption>"
      "<thead><tr><th scope=\"col\">flow</th><th scope=\"col\">held by</th><th scope=\"col\">rate"
      "</th><th scope=\"col\">could be</th><th scope=\"col\">moved</th></tr></thead><tbody>\n";
  for (const auto& [f, full] : r.shown) {
    const rules::Verdict& v = f->assessment.verdict;
    out += fmt::format(
        "<tr><td><a href=\"#{}\">{}. {}</a></td><td>{}</td><td class=\"n\">{}</td>"
        "<td class=\"n\">{}</td><td class=\"n\">{}</td></tr>\n",
        flow_id(*f), f->id, escaped(flow_name(*f)), limit_text(v.limit).name,
        escaped(rate_words(*f, r.how.units)),
        v.potential_bps && v.gain > 1.05 ? escaped(rate_text(*v.potential_bps, r.how.units)) : "",
        escaped(volume_text(f->direction.bytes)));
  }
  return out + "</tbody></table></div>\n";
}

}  // namespace

std::string report_page(const ReportPage& r) {
  const InputWords input = input_words(r.info);
  const std::string name = input.head[0] + input.more;
  const auto fix = std::find_if(r.shown.begin(), r.shown.end(), [](const auto& s) {
    return !s.finding->assessment.advice.empty();
  });
  std::string body;
  if (fix != r.shown.end()) {
    body += fmt::format("<a class=\"skip\" href=\"#{}-fix\">Go to the fix</a>\n",
                        flow_id(*fix->finding));
  }
  body += fmt::format("<header>\n<p class=\"source\">rwin report: {}</p>\n<h1>{}</h1>\n",
                      escaped(name), escaped(r.answer));
  body += hosts_html(r);
  const std::vector<std::string> facts(input.head.begin() + 1, input.head.end());
  body += fmt::format("<p class=\"source\">{}</p>\n",
                      escaped(fmt::format("{}", fmt::join(facts, "; "))));
  for (const std::string& note : input.notes)
    body += fmt::format("<p class=\"source\">{}</p>\n", escaped(note));
  body += "</header>\n<main>\n" + list_html(r);
  std::set<std::string, std::less<>> codes;
  for (const auto& shown : r.shown) body += flow_html(*shown.finding, r.how, codes);
  if (!r.left_out.empty()) body += fmt::format("<p class=\"note\">{}</p>\n", escaped(r.left_out));
  body += words_section(codes) + "</main>\n";
  return page("rwin: " + name, body);
}

}  // namespace rwin::app::html
