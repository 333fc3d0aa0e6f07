// `rwin tune` for this host: what it needs, applied with --apply, put back with --revert.
#include <fmt/format.h>

#include "app/host_facts.h"
#include "app/page.h"
#include "app/tune.h"
#include "text/text.h"

#if defined(__linux__)

#include <unistd.h>

#include <algorithm>
#include <cstdio>

#include "capture/host/change.h"

namespace rwin::app {
namespace {

using capture::Assignment;
using capture::HostChange;
using rules::HostPlan;
using rules::KnobState;

Failure from(const capture::Error& error, const TuneOptions& t) {
  Failure failure{ExitCode::failed, error.message, error.hint, {}, -1};
  if (error.code == capture::ErrorCode::missing_privilege) {
    failure.code = ExitCode::privilege;
    failure.hint = "sudo " + t.command;
  }
  if (failure.hint.empty()) failure.hint = "nothing was changed";
  return failure;
}

// The plan as a table: key, now -> wanted, state.
void print_knobs(Page& page, const HostPlan& host) {
  for (const rules::KnobPlan& knob : host.knobs) {
    const std::string now = knob.now.empty() ? "(not shown here)" : knob.now;
    std::string line = fmt::format("   {:<31} {}", knob.key, now);
    if (knob.wanted != knob.now) line += " -> " + knob.wanted;
    line += fmt::format("   {}", rules::word(knob.state));
    page.raw(escape_terminal(line, page.style().ascii) + "\n");
  }
}

std::string host_text(const HostPlan& host, const TuneOptions& t, const Style& style,
                      bool interrupted) {
  const rules::TunePlan& plan = host.plan;
  Page page(style);
  page.heading(Paint::strong, "rwin tune", "  this host", plan.title);
  page.field("line", fmt::format("{} of payload, round trip {}",
                                 rate_text(plan.need.payload_bps, Units::bits),
                                 time_text(plan.need.rtt_us)));
  page.field("window",
             fmt::format("{} needed; rounded up to {}, which takes a buffer of {} ({:.0f} % of a "
                         "buffer becomes window here)",
                         bytes_text(plan.need.exact_bytes), bytes_text(plan.window),
                         bytes_text(plan.buffer), host.share * 100));
  page.blank();
  print_knobs(page, host);
  page.blank();
  for (const std::string& note : host.notes) page.field("note", note);
  if (interrupted)
    page.field("note",
               "an earlier change was interrupted: --apply and --revert first put back what "
               "was there before it");
  if (plan.connections)
    page.field("parallel", fmt::format("one connection cannot fill the line: {} side by side",
                                       *plan.connections));
  page.field("gain",
             fmt::format("new connections reach up to {} at {}",
                         rate_text(plan.expected_bps, Units::bits), time_text(plan.need.rtt_us)));
  page.field("unproven",
             "that the line carries the rate, and that no program fixes its own buffer");
  if (t.action == TuneAction::show) {
    page.field("next",
               host.changes()
                   ? fmt::format("nothing was changed; 'sudo {} --apply' does it and keeps it "
                                 "in {}",
                                 t.command, capture::kDropIn)
                   : "there is nothing to change");
  }
  return page.take();
}

// Yes only for y or yes. The question goes to standard error: standard output is data.
bool answered_yes(std::string_view question) {
  fmt::print(stderr, "{} [y/N] ", question);
  std::string answer;
  for (int c = std::getchar(); c != EOF && c != '\n'; c = std::getchar())
    if (answer.size() < 8) answer += static_cast<char>(c);
  return answer == "y" || answer == "Y" || answer == "yes";
}

std::optional<Failure> ask(const TuneOptions& t, std::string_view question,
                           const std::string& what) {
  if (t.yes) return std::nullopt;
  if (isatty(0) == 0) {
    return Failure{ExitCode::usage,
                   "this changes the host and asks first, but standard input is no terminal",
                   "add --yes",
                   {},
                   -1};
  }
  fmt::print(stderr, "{}", what);
  if (answered_yes(question)) return std::nullopt;
  return Failure{ExitCode::failed, "not confirmed", "nothing was changed", {}, -1};
}

std::string title_of(const TuneOptions& t) { return "Written by: " + t.command; }

// Locked, and what an interrupted change left is put right.
std::optional<Failure> begin(HostChange& change, const TuneOptions& t, bool& recovered) {
  if (const auto error = change.lock()) return from(*error, t);
  recovered = change.interrupted();
  if (const auto error = change.recover()) return from(*error, t);
  return std::nullopt;
}

// What a file says, on one line.
std::string shown(const std::string& text) { return escape_terminal(text, true); }

std::string recovered_line(bool recovered) {
  return recovered ? "An earlier change was interrupted: what was there before it is back.\n" : "";
}

CommandAnswer apply(const Options& options, const Style& style, HostPlan host,
                    rules::LineNeed need) {
  const TuneOptions& t = options.tune;
  const bool json = t.format == TuneFormat::json;
  HostChange change(t.root);
  if (host.changes()) {
    if (auto no = ask(t, "Change this host?", host_text(host, t, style, change.interrupted())))
      return *no;
  }
  bool recovered = false;
  // Without anything to do no privilege is needed.
  if (host.changes() || change.interrupted()) {
    if (auto failure = begin(change, t, recovered)) return *failure;
  }
  if (recovered) {  // the values are others now
    auto facts = gather_host(t.root, false);
    if (auto* failure = std::get_if<Failure>(&facts)) return *failure;
    host =
        rules::plan_for_host(rules::Catalogue::built_in(), std::get<rules::HostFacts>(facts), need);
  }
  std::vector<Assignment> values;
  for (const rules::KnobPlan& knob : host.knobs)
    if (knob.state == KnobState::set) values.push_back({knob.key, knob.wanted});
  if (values.empty()) {
    if (json) return CommandResult{tune_json(host.plan, &host, "unchanged")};
    return CommandResult{recovered_line(recovered) + host_text(host, t, style, false) +
                         "There is nothing to change.\n"};
  }
  if (const auto error = change.apply(values, title_of(t))) return from(*error, t);
  if (json) return CommandResult{tune_json(host.plan, &host, "applied")};
  std::string text = recovered_line(recovered) + host_text(host, t, style, false) + "\n";
  text += fmt::format(
      "Changed and read back: {} of {} values. They are kept in {}{}.\n"
      "New connections use them. Put everything back: sudo rwin tune --revert\n",
      values.size(), host.knobs.size(), t.root, capture::kDropIn);
  return CommandResult{text};
}

std::string reverted_json(const std::vector<Assignment>& values, std::string_view done) {
  rules::TunePlan plan;
  HostPlan host;
  for (const Assignment& a : values) {
    plan.sysctl.push_back({a.key, a.value});
    host.knobs.push_back({a.key, a.value, a.value, KnobState::set});
  }
  return tune_json(plan, &host, std::string(done));
}

CommandAnswer revert(const Options& options) {
  const TuneOptions& t = options.tune;
  const bool json = t.format == TuneFormat::json;
  HostChange change(t.root);
  auto kept = change.kept();
  if (!kept.ok()) return from(kept.error(), t);
  const bool nothing = kept.value().set.empty() && kept.value().was.empty();
  if (nothing && !change.interrupted()) {
    if (json) return CommandResult{reverted_json({}, "unchanged")};
    return CommandResult{
        fmt::format("There is nothing to put back: no {}{}.\n", t.root, capture::kDropIn)};
  }
  std::string what;
  for (const Assignment& a : kept.value().was)
    what += "   " + shown(a.key) + " -> " + shown(a.value) + "\n";
  if (change.interrupted()) what = "   what was there before the interrupted change\n" + what;
  if (auto no = ask(t, "Put this back?", what)) return *no;
  bool recovered = false;
  if (auto failure = begin(change, t, recovered)) return *failure;
  kept = change.kept();
  if (!kept.ok()) return from(kept.error(), t);
  const capture::Kept before = kept.value();
  std::string text = recovered_line(recovered);
  if (!before.set.empty() || !before.was.empty()) {
    if (const auto error = change.revert()) return from(*error, t);
    for (const Assignment& a : before.was)
      text += "   " + shown(a.key) + " = " + shown(a.value) + "\n";
    text += fmt::format("Put back and read back: {} values. {}{} is gone.\n", before.was.size(),
                        t.root, capture::kDropIn);
  }
  for (const Assignment& a : before.set) {
    const bool known = std::any_of(before.was.begin(), before.was.end(),
                                   [&](const Assignment& w) { return w.key == a.key; });
    if (!known)
      text += fmt::format(
          "   {}: its old value was not in the file; it stays until the next start\n", a.key);
  }
  if (json) return CommandResult{reverted_json(before.was, "reverted")};
  return CommandResult{text};
}

}  // namespace

CommandAnswer tune_host(const Options& options, const Style& style) {
  const TuneOptions& t = options.tune;
  if (t.action == TuneAction::revert) return revert(options);
  auto facts = gather_host(t.root, false);
  if (auto* failure = std::get_if<Failure>(&facts)) return *failure;
  const auto& known = std::get<rules::HostFacts>(facts);
  const rules::LineNeed need = rules::line_need({*t.line.rate_bps, *t.line.rtt_us, t.line.link});
  HostPlan host = rules::plan_for_host(rules::Catalogue::built_in(), known, need);
  if (t.action == TuneAction::apply) return apply(options, style, std::move(host), need);
  if (t.format == TuneFormat::text)
    return CommandResult{host_text(host, t, style, known.interrupted)};
  if (t.format == TuneFormat::json) return CommandResult{tune_json(host.plan, &host, "")};
  auto file = tune_file(host.plan, t.format, t.command);
  if (auto* failure = std::get_if<Failure>(&file)) return *failure;
  return CommandResult{std::get<std::string>(file)};
}

}  // namespace rwin::app

#else

namespace rwin::app {

CommandAnswer tune_host(const Options&, const Style&) {
  return Failure{ExitCode::failed,
                 "this host can be tuned on Linux only",
                 "rwin tune --platform NAME prints the settings",
                 {},
                 -1};
}

}  // namespace rwin::app

#endif
