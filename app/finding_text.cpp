#include "app/finding_text.h"

#include <fmt/format.h>

#include <algorithm>

#include "app/local_text.h"
#include "text/address.h"
#include "text/limit_bar.h"
#include "text/limit_text.h"
#include "text/text.h"

namespace rwin::app {

using analysis::Limit;

namespace {

constexpr std::int64_t kStallUs = 1'000'000;  // a wait that people notice

Paint paint_of(Limit limit) {
  switch (limit) {
    case Limit::receiver_window:
      return Paint::limited;
    case Limit::receiver_app:
      return Paint::zero;
    case Limit::congestion:
      return Paint::warn;
    default:
      return Paint::strong;
  }
}

std::string painted_bar(const Style& style, const std::string& bar) {
  if (!style.color) return bar;
  std::string out;
  for (std::size_t i = 0; i < bar.size();) {
    const std::size_t end = std::min(bar.find_first_not_of(bar[i], i), bar.size());
    Paint paint = Paint::plain;
    for (const Limit limit : analysis::kAllLimits) {
      const bool coloured = limit == Limit::receiver_window || limit == Limit::receiver_app ||
                            limit == Limit::congestion;
      if (coloured && limit_text(limit).letter == bar[i]) paint = paint_of(limit);
    }
    out += painted(style, paint, std::string_view(bar).substr(i, end - i));
    i = end;
  }
  return out;
}

// The classes by time with their letters (the legend of the bar below), then the bar.
void print_time(Page& page, const Finding& f) {
  const std::string end = time_text(f.length_us);
  const std::size_t frame = 4 + 2 + end.size();  // "0 s|" and "| 42 s"
  const std::size_t cells = page.field_width() > frame ? page.field_width() - frame : 0;
  const std::string bar = limit_bar(f.direction.timeline, 0, f.length_us, cells);
  std::vector<std::string> list;
  for (const Limit limit : limits_of(f, bar)) list.push_back(limit_words(f, limit));
  page.entries("time", list, kFieldIndent);
  if (cells >= 10 && !f.direction.timeline.empty()) {
    page.raw(
        fmt::format("{:{}}0 s|{}| {}\n", "", kFieldIndent, painted_bar(page.style(), bar), end));
  }
}

void print_advice(Page& page, const Finding& f, const rules::Advice& a, bool first) {
  const std::string place = rules::place_of(a);
  page.field(first ? "fix" : "or", place.empty() ? a.title : place + ": " + a.title);
  const auto commands = [&](std::string_view label, const std::vector<std::string>& lines) {
    for (std::size_t i = 0; i < lines.size(); ++i) page.command(i == 0 ? label : "", lines[i]);
  };
  if (f.local) {
    const auto& end = f.sent_here() ? f.sender : f.receiver;
    for (const std::string& line : now_and_new(a, *f.local, end.address)) page.remark("now", line);
  }
  commands("look", a.look);
  commands("change", a.change);
  commands("persist", a.persist);
  commands("undo", a.undo);
  if (!a.takes_effect.empty()) page.remark("effect", a.takes_effect);
  for (const std::string& warning : a.warnings) page.remark("careful", warning);
}

void print_evidence(Page& page, const rules::Verdict& v, const FindingText& how) {
  for (const rules::Evidence& e : v.evidence) {
    page.remark(&e == v.evidence.data() ? "because" : "", evidence_words(e, how.units));
  }
}

void print_notes(Page& page, const rules::Verdict& v) {
  for (const std::string& note : v.notes) page.field("note", note);
}

void print_fix(Page& page, const Finding& f) {
  const auto& advice = f.assessment.advice;
  if (f.same_fix_as != 0 && !advice.empty()) {
    page.field("fix", fmt::format("the same as for {}., on {}", f.same_fix_as, advice[0].host));
    return;
  }
  for (std::size_t i = 0; i < advice.size(); ++i) print_advice(page, f, advice[i], i == 0);
}

void print_full(Page& page, const Finding& f, const FindingText& how) {
  const rules::Verdict& v = f.assessment.verdict;
  const std::string lead = fmt::format("{}. {}", f.id, limit_text(v.limit).headline);
  const std::string sure = fmt::format("confidence {}", rules::word(v.confidence));
  if (!page.heading(paint_of(v.limit), lead, arrow(f), sure)) page.field("verdict", sure);
  page.field("speed", speed_words(f, how));
  print_time(page, f);
  page.field("path", path_words(f));
  if (f.local) {
    if (const std::string text = local_text(*f.local, f.sent_here()); !text.empty())
      page.field("here", text);
  }
  page.field("cause", v.cause.empty() ? v.summary : fmt::format("{} [{}]", v.summary, v.cause));
  if (how.verbose) print_evidence(page, v, how);
  print_notes(page, v);
  print_fix(page, f);
  if (const std::string gain = gain_words(f, how); !gain.empty()) page.field("gain", gain);
  if (!v.unproven.empty()) page.field("unproven", unproven_words(v));
}

// What the user can do so that the next capture gives a verdict.
void print_no_verdict(Page& page, const Finding& f) {
  const auto [reason, todo] = no_verdict_words(f);
  if (!page.heading(Paint::strong, fmt::format("{}. {}", f.id, limit_text(Limit::unknown).headline),
                    arrow(f), reason)) {
    page.paragraph("   " + reason, kLabelIndent);
  }
  // The rules say it in their own words where they can.
  if (!todo.empty() && f.assessment.verdict.notes.empty())
    page.paragraph("   " + todo, kLabelIndent);
}

void print_brief(Page& page, const Finding& f, const FindingText& how) {
  const rules::Verdict& v = f.assessment.verdict;
  if (v.limit == Limit::unknown) {
    print_no_verdict(page, f);
  } else {
    const double share = share_of(f, v.limit);
    std::string what(limit_text(v.limit).name);
    if (share >= 0.01) what += " " + percent_text(share);
    if (!page.heading(Paint::plain, fmt::format("{}. not limited by the window:", f.id), arrow(f),
                      what)) {
      page.paragraph("   " + what, kLabelIndent);
    }
  }
  if (how.verbose || v.limit == Limit::unknown || f.direction.longest_stall_us >= kStallUs) {
    print_notes(page, v);
  }
}

}  // namespace

void print_finding(Page& page, const Finding& f, bool full, const FindingText& how) {
  if (full) {
    print_full(page, f, how);
  } else {
    print_brief(page, f, how);
  }
}

}  // namespace rwin::app
