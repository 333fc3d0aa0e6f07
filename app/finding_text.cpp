#include "app/finding_text.h"

#include <fmt/format.h>

#include <algorithm>

#include "app/local_text.h"
#include "text/address.h"
#include "text/limit_bar.h"
#include "text/limit_text.h"
#include "text/text.h"

namespace rwin::app {

using analysis::DirectionResult;
using analysis::Limit;
using analysis::Presence;

namespace {

constexpr std::uint64_t kTinyTransferBytes = 10'000;  // no speed worth a figure
constexpr std::uint64_t kBriefBytes = 100'000;
constexpr std::int64_t kBurstUs = 10'000;
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

double share_of(const Finding& f, Limit limit) {
  if (f.length_us <= 0) return 0;
  return static_cast<double>(f.direction.limit_us[static_cast<std::size_t>(limit)]) /
         static_cast<double>(f.length_us);
}

std::string arrow(const Finding& f) {
  return endpoint_text(f.sender) + " -> " + endpoint_text(f.receiver);
}

void print_speed(Page& page, const Finding& f, const FindingText& how) {
  const DirectionResult& d = f.direction;
  const std::string volume =
      fmt::format("{} in {}", volume_text(d.bytes), time_text(d.duration_us));
  // A few packets in one burst have no speed worth a figure.
  const bool meaningful =
      d.goodput_bps && (d.bytes >= kTinyTransferBytes || d.duration_us >= kBurstUs);
  std::string text = volume;
  if (meaningful) {
    text = fmt::format("{} average ({})", rate_text(*d.goodput_bps, how.units), volume);
  }
  if (f.assessment.verdict.ceiling_bps && f.limit() == Limit::receiver_window) {
    text += fmt::format("; ceiling {}", rate_text(*f.assessment.verdict.ceiling_bps, how.units));
    if (d.blocked_window && d.blocked_rtt_us) {
      text += fmt::format(" = {} window / {}", bytes_text(*d.blocked_window),
                          time_text(*d.blocked_rtt_us));
    }
  }
  page.field("speed", text);
}

std::string scale_text(const DirectionResult& d) {
  switch (d.scale.state) {
    case Presence::absent:
      return "no window scaling";
    case Presence::unknown:
      return "window scale unknown";
    case Presence::known:
      break;
  }
  return fmt::format("window scale {}{}", d.scale.shift, d.scale.inferred ? " (inferred)" : "");
}

void print_path(Page& page, const Finding& f) {
  const DirectionResult& d = f.direction;
  std::vector<std::string> parts;
  if (d.rtt_base_us) {
    std::string rtt = "RTT " + time_text(*d.rtt_base_us);
    if (d.rtt_p50_us && *d.rtt_p50_us > *d.rtt_base_us + *d.rtt_base_us / 20) {
      rtt += fmt::format(" (median {})", time_text(*d.rtt_p50_us));
    }
    parts.push_back(rtt);
  } else {
    parts.emplace_back("RTT unknown");
  }
  if (f.tunnel != analysis::Tunnel::none)
    parts.push_back(fmt::format("inside {}", analysis::name(f.tunnel)));
  if (d.window_max) {
    parts.push_back(fmt::format("largest window {}", bytes_text(*d.window_max)));
  } else if (d.window_field_max > 0) {
    parts.push_back(fmt::format("largest window field {}", grouped(d.window_field_max)));
  }
  parts.push_back(scale_text(d));
  if (d.mss > 0) parts.push_back(fmt::format("MSS {}", d.mss));
  if (d.retransmitted_segments > 0 && d.segments > 0) {
    parts.push_back(fmt::format("resent {} of {} segments", grouped(d.retransmitted_segments),
                                grouped(d.segments)));
  } else if (d.segments > 0) {
    parts.emplace_back("nothing resent");
  }
  if (d.zero_window_count > 0)
    parts.push_back(fmt::format("closed window for {}", time_text(d.zero_window_us)));
  if (d.capture_gap_bytes > 0)
    parts.push_back(fmt::format("{} never captured", volume_text(d.capture_gap_bytes)));
  page.field("path", fmt::format("{}", fmt::join(parts, ", ")));
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
  std::vector<Limit> shown;
  for (const Limit limit : analysis::kAllLimits) {
    if (share_of(f, limit) >= 0.005 || bar.find(limit_text(limit).letter) != std::string::npos)
      shown.push_back(limit);
  }
  std::stable_sort(shown.begin(), shown.end(),
                   [&](Limit a, Limit b) { return share_of(f, a) > share_of(f, b); });
  std::vector<std::string> list;
  for (const Limit limit : shown) {
    const LimitText& name = limit_text(limit);
    const std::int64_t us = f.direction.limit_us[static_cast<std::size_t>(limit)];
    list.push_back(fmt::format("{} {} {} ({})", name.letter, name.name, time_text(us),
                               percent_text(share_of(f, limit))));
  }
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

void print_gain(Page& page, const Finding& f, const FindingText& how) {
  const rules::Verdict& v = f.assessment.verdict;
  const auto& rate = f.direction.goodput_bps;
  const bool raises = std::any_of(
      f.assessment.advice.begin(), f.assessment.advice.end(),
      [](const rules::Advice& a) { return a.window_bytes || a.buffer_bytes || a.connections; });
  if (v.potential_bps && rate && v.gain > 1.05) {
    std::string text = fmt::format("{} -> up to {} ({:.1f} times)", rate_text(*rate, how.units),
                                   rate_text(*v.potential_bps, how.units), v.gain);
    if (how.target_bps) {
      text += fmt::format("; target {} is yours", rate_text(*how.target_bps, how.units));
    } else if (v.potential_bps == how.interface_bps) {
      text += "; the target is the speed of the interface";
    } else if (f.direction.capacity_bps) {
      const bool spacing = f.direction.capacity_from == analysis::CapacityFrom::dispersion;
      text +=
          fmt::format("; {} {}", spacing ? "packets came at a pace of" : "the best rate seen was",
                      rate_text(*f.direction.capacity_bps, how.units));
    }
    page.field("gain", text);
  } else if (raises && !v.potential_bps) {
    page.field("gain",
               "not known: nothing in the capture shows what the path can carry; --target-rate "
               "RATE sizes the change");
  }
}

void print_unproven(Page& page, const rules::Verdict& v) {
  if (v.unproven.empty()) return;
  std::string text;
  for (const std::string& word : v.unproven) text += (text.empty() ? "" : ", ") + word;
  std::replace(text.begin(), text.end(), '_', ' ');
  page.field("unproven", text);
}

// "rtt_base_us 184 ms": the key as in JSON, the value as people read it.
std::string evidence_text(const rules::Evidence& e, Units units) {
  if (e.unit == "bit/s") return e.key + " " + rate_text(e.value, units);
  if (e.value >= 0 && e.value < 1e15 && e.unit == "us") {
    return e.key + " " + time_text(static_cast<std::int64_t>(e.value));
  }
  if (e.value >= 0 && e.value < 1e15 && e.unit == "B") {
    return e.key + " " + bytes_text(static_cast<std::uint64_t>(e.value));
  }
  return fmt::format("{} {:.6g}{}{}", e.key, e.value, e.unit.empty() || e.unit == "1" ? "" : " ",
                     e.unit == "1" ? "" : e.unit);
}

void print_evidence(Page& page, const rules::Verdict& v, const FindingText& how) {
  for (const rules::Evidence& e : v.evidence) {
    page.remark(&e == v.evidence.data() ? "because" : "", evidence_text(e, how.units));
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
  print_speed(page, f, how);
  print_time(page, f);
  print_path(page, f);
  if (f.local) {
    if (const std::string text = local_text(*f.local, f.sent_here()); !text.empty())
      page.field("here", text);
  }
  page.field("cause", v.cause.empty() ? v.summary : fmt::format("{} [{}]", v.summary, v.cause));
  if (how.verbose) print_evidence(page, v, how);
  print_notes(page, v);
  print_fix(page, f);
  print_gain(page, f, how);
  print_unproven(page, v);
}

// What the user can do so that the next capture gives a verdict.
void print_no_verdict(Page& page, const Finding& f) {
  const DirectionResult& d = f.direction;
  std::string reason = "the evidence does not decide";
  std::string todo;
  if (!d.data_seen || !d.acks_seen) {
    reason =
        d.data_seen ? "no acknowledgements captured" : "no data captured, only acknowledgements";
    todo = "capture at a place where both directions pass";
  } else if (d.scale.state == Presence::unknown) {
    reason = "handshake not captured, scale unknown";
    todo = fmt::format(
        "start the capture before the connection, or pass --assume-wscale {}=7 (if 7 is its shift)",
        address_text(f.receiver.address));
  } else if (d.bytes < kBriefBytes) {
    reason = fmt::format("only {} moved", volume_text(d.bytes));
    todo = "capture a longer transfer";
  }
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

bool covers(const std::vector<rules::Advice>& other, const std::vector<rules::Advice>& advice) {
  return std::equal(other.begin(), other.end(), advice.begin(), advice.end(),
                    [](const rules::Advice& a, const rules::Advice& b) {
                      return a.id == b.id && a.host == b.host &&
                             a.window_bytes.value_or(0) >= b.window_bytes.value_or(0) &&
                             a.buffer_bytes.value_or(0) >= b.buffer_bytes.value_or(0) &&
                             a.connections.value_or(0) >= b.connections.value_or(0);
                    });
}

void print_finding(Page& page, const Finding& f, bool full, const FindingText& how) {
  if (full) {
    print_full(page, f, how);
  } else {
    print_brief(page, f, how);
  }
}

}  // namespace rwin::app
