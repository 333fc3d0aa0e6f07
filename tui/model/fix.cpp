#include "tui/model/fix.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>

#include "rules/platform.h"
#include "text/address.h"
#include "text/limit_text.h"
#include "text/text.h"
#include "tui/model/answer.h"

namespace rwin::tui {
namespace {

using analysis::DirectionResult;
using analysis::Limit;
using analysis::Presence;

class Lines {
 public:
  explicit Lines(FixView& view) : view_(view) {}
  void add(LineKind kind, std::string_view label, std::string text, bool chosen = false) {
    view_.lines.push_back({kind, std::string(label), std::move(text), chosen});
  }
  void text(std::string_view label, std::string text) {
    add(LineKind::text, label, std::move(text));
  }

 private:
  FixView& view_;
};

std::string capitalised(std::string_view word) {
  std::string out(word);
  for (char& c : out) c = c >= 'a' && c <= 'z' ? static_cast<char>(c - 'a' + 'A') : c;
  return out;
}

void add_head(Lines& lines, const Row& row, const Names& names) {
  const rules::Verdict& v = row.assessment->verdict;
  std::string side;
  if (!row.assessment->advice.empty()) {
    side = fmt::format("   {} {} is the side to change",
                       rules::word(row.assessment->advice[0].role), row.assessment->advice[0].host);
  } else if (v.limit == Limit::receiver_window || v.limit == Limit::receiver_app) {
    side = fmt::format("   at the receiver {}", host_text(row.receiver->address, names));
  }
  std::string head(limit_text(v.limit).headline);
  head += v.limit == Limit::unknown ? " the evidence does not decide" : " this transfer";
  lines.add(
      LineKind::head, "",
      fmt::format("{}   confidence {}{}", head, capitalised(rules::word(v.confidence)), side));
}

// "198.51.100.7:443 -> 192.0.2.10:51544, curl [1234] on this host"
std::string transfer_text(const Row& row) {
  std::string text =
      fmt::format("{} -> {}", endpoint_text(*row.sender), endpoint_text(*row.receiver));
  const auto& local = row.connection->local;
  if (local && !local->process.empty())
    text += fmt::format(", {} [{}] on this host", local->process, local->pid);
  return text;
}

// "held by the window for 38.1 s of 41.9 s (91 %)"
std::string held_text(const Row& row) {
  const DirectionResult& d = *row.direction;
  if (!d.busy_us || !d.blocked_us || *d.busy_us <= 0) return {};
  if (*d.blocked_us == 0) return "The window never held the sender.";
  const double share = static_cast<double>(*d.blocked_us) / static_cast<double>(*d.busy_us);
  std::string text =
      fmt::format("The window held the sender for {} of {} in which it had something to send ({}).",
                  time_text(*d.blocked_us), time_text(*d.busy_us), percent_text(share));
  const auto& local = row.connection->local;
  const bool ours =
      local && local->client == d.from_client;  // the kernel tells it of what this host sends
  if (ours && local->kernel_window_share)
    text += fmt::format(" The kernel says {}.", percent_text(*local->kernel_window_share));
  return text;
}

void add_checks(Lines& lines, const Row& row) {
  const DirectionResult& d = *row.direction;
  std::string text;
  const auto check = [&](bool seen, std::string what) {
    // The box stays with its first word.
    text += fmt::format("{}[{}]{}{}", text.empty() ? "" : "   ", seen ? 'x' : kHardBlank,
                        kHardBlank, what);
  };
  switch (d.scale.state) {
    case Presence::known:
      check(true, d.scale.inferred
                      ? fmt::format("scaling inferred from the data (shift {})", d.scale.shift)
                      : fmt::format("scaling agreed in the handshake (shift {})", d.scale.shift));
      break;
    case Presence::absent:
      check(false, "no window scaling agreed: 65 535 bytes at most");
      break;
    case Presence::unknown:
      check(false, "handshake not seen: window scale unknown");
      break;
  }
  check(d.zero_window_count > 0,
        d.zero_window_count > 0 ? fmt::format("window closed for {}", time_text(d.zero_window_us))
                                : std::string("window never closed"));
  check(d.retransmitted_segments > 0,
        d.retransmitted_segments > 0
            ? fmt::format("{} of {} segments resent", grouped(d.retransmitted_segments),
                          grouped(d.segments))
            : std::string("nothing resent"));
  lines.text("Seen", text);
}

void add_diagnosis(Lines& lines, const Row& row) {
  const rules::Verdict& v = row.assessment->verdict;
  lines.text("What happens", v.summary);
  if (const std::string text = held_text(row); !text.empty()) lines.text("", text);
  if (!v.cause.empty())
    lines.text("Cause", fmt::format("{}  (rwin --explain {})", v.cause, v.cause));
  add_checks(lines, row);
  for (const std::string& note : v.notes) lines.text("Note", note);
  std::string unproven;
  for (const std::string& word : v.unproven) unproven += (unproven.empty() ? "" : ", ") + word;
  std::replace(unproven.begin(), unproven.end(), '_', ' ');
  lines.text("Not proven", unproven.empty() ? "nothing that the advice needs" : unproven);
}

// Values in force and new ones, where this host is the one to change.
std::vector<std::string> now_lines(const Row& row, const rules::Advice& a) {
  const auto& local = row.connection->local;
  if (!local || !local->settings) return {};
  const bool sends = local->client == row.direction->from_client;
  if (a.host != address_text((sends ? row.sender : row.receiver)->address)) return {};
  return rules::now_and_new(a, *local->settings);
}

void add_advice(Lines& lines, const Row& row, std::size_t number, bool chosen,
                const rules::Assessment& assessment) {
  const rules::Advice& a = assessment.advice[number];
  const auto commands = [&](std::string_view label, const std::vector<std::string>& list) {
    for (std::size_t i = 0; i < list.size(); ++i)
      lines.add(LineKind::command, i == 0 ? label : "", list[i], chosen);
  };
  const std::string where = rules::place_of(a);
  const std::string label =
      assessment.advice.size() == 1 ? "Fix" : fmt::format("Fix {}", number + 1);
  lines.add(LineKind::text, label, (where.empty() ? "" : where + ": ") + a.title, chosen);
  for (const std::string& line : now_lines(row, a))
    lines.add(LineKind::text, "  now", line, chosen);
  commands("  look", a.look);
  commands("  change", a.change);
  commands("  persist", a.persist);
  commands("  undo", a.undo);
  if (!a.takes_effect.empty()) lines.add(LineKind::text, "  effect", a.takes_effect, chosen);
  for (const std::string& warning : a.warnings)
    lines.add(LineKind::text, "  careful", warning, chosen);
}

std::string commented(const std::string& line) {
  return line.rfind("# ", 0) == 0 ? line : "# " + line;
}

// Harmless when pasted whole: it looks, changes and persists; undo is a comment.
std::string copy_text(const rules::Advice& a) {
  std::string out = fmt::format("# {}{}\n", a.host.empty() ? "" : "on " + a.host + ": ", a.title);
  for (const std::string& line : a.look) out += line + '\n';
  for (const std::string& line : a.change) out += line + '\n';
  for (const std::string& line : a.persist) out += line + '\n';
  if (!a.undo.empty()) out += "# undo:\n";
  for (const std::string& line : a.undo) out += commented(line) + '\n';
  return out;
}

void add_expected(Lines& lines, const Row& row, const rules::Assessment& with_target, Units units) {
  const rules::Verdict& v = with_target.verdict;
  const auto& now = row.direction->goodput_bps;
  if (v.potential_bps && now && v.gain > 1.05) {
    lines.text(
        "Expected",
        fmt::format("{} -> up to {} ({:.1f} times); windows are sized when a connection starts",
                    rate_text(*now, units), rate_text(*v.potential_bps, units), v.gain));
  } else if (!with_target.advice.empty() && !v.potential_bps) {
    lines.text("Expected",
               "not known: nothing shows yet what the path can carry; set the target with + and -");
  }
}

constexpr std::array<double, 9> kSteps = {1, 1.5, 2, 2.5, 3, 4, 5, 6, 8};

}  // namespace

FixView make_fix(const Snapshot& snapshot, const Row& row, std::optional<double> target_bps,
                 std::size_t choice, Units units, const Names& names) {
  FixView view;
  Lines lines(view);
  rules::Assessment sized;
  const rules::Assessment* assessment = row.assessment;
  if (target_bps) {
    rules::Settings settings = snapshot.settings;
    settings.target_bps = target_bps;
    settings.receive_buffer_fixed = row.assessment->verdict.receive_buffer_fixed;
    sized = rules::assess(*row.connection->result, *row.direction, settings,
                          rules::Catalogue::built_in());
    assessment = &sized;
  }
  view.limit = assessment->verdict.limit;
  view.choices = assessment->advice.size();
  Row shown = row;
  shown.assessment = assessment;
  add_head(lines, shown, names);
  lines.text("Transfer", transfer_text(row));
  lines.add(LineKind::rule, "", "");
  add_diagnosis(lines, shown);
  lines.add(LineKind::rule, "", "");
  const std::optional<double> target = target_bps ? target_bps : snapshot.settings.target_bps;
  std::string target_text = "not known";
  if (target) {
    target_text = rate_text(*target, units);
  } else if (assessment->verdict.potential_bps) {
    const auto& potential = assessment->verdict.potential_bps;
    target_text = rate_text(*potential, units) + (potential == snapshot.settings.interface_bps
                                                      ? " (the interface's speed)"
                                                      : " (the best pace seen)");
  }
  for (const rules::Advice& a : assessment->advice) {
    if (!a.window_bytes) continue;
    target_text += fmt::format("   needs a window of {}", bytes_text(*a.window_bytes));
    if (a.buffer_bytes) target_text += fmt::format("   buffer {}", bytes_text(*a.buffer_bytes));
    break;
  }
  lines.add(LineKind::target, "Target rate", target_text);
  const std::size_t chosen = view.choices == 0 ? 0 : choice % view.choices;
  for (std::size_t i = 0; i < view.choices; ++i)
    add_advice(lines, row, i, i == chosen, *assessment);
  if (view.choices == 0) {
    lines.text("Fix", view.limit == Limit::receiver_window
                          ? "none: a larger window would not make it faster (see the note)"
                          : "nothing to change at the window");
  } else {
    view.copy = copy_text(assessment->advice[chosen]);
  }
  add_expected(lines, shown, *assessment, units);
  return view;
}

double first_target(const Snapshot& snapshot, const Row& row) {
  if (snapshot.settings.target_bps) return *snapshot.settings.target_bps;
  if (row.direction->capacity_bps) return *row.direction->capacity_bps;
  if (snapshot.settings.interface_bps) return *snapshot.settings.interface_bps;
  return next_target(10 * std::max(row.direction->goodput_bps.value_or(0), 1e4), true);
}

double next_target(double bps, bool up) {
  double best = up ? 400e9 : 100e3;
  for (double power = 1e5; power < 1e12; power *= 10) {
    for (const double step : kSteps) {
      const double value = step * power;
      if (value > 400e9) continue;
      if (up && value > bps * 1.001) best = std::min(best, value);
      if (!up && value < bps * 0.999) best = std::max(best, value);
    }
  }
  return best;
}

}  // namespace rwin::tui
