#include "app/run.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <csignal>
#include <cstdio>
#include <iostream>

#include "app/analyze.h"
#include "app/calc.h"
#include "app/check.h"
#include "app/command_table.h"
#include "app/compare.h"
#include "app/completion.h"
#include "app/dashboard/file_view.h"
#include "app/html/picture_report.h"
#include "app/json_fields.h"
#include "app/live/live_run.h"
#include "app/live/pick_interface.h"
#include "app/manual.h"
#include "app/page.h"
#include "app/rules_dir.h"
#include "app/tune.h"
#include "app/version.h"
#include "rules/explain.h"
#include "text/text.h"

namespace rwin::app {
namespace {

volatile std::sig_atomic_t stop_requested = 0;

extern "C" void on_interrupt(int) { stop_requested = 1; }

// The first SIGINT ends the reading, a second one the program. A closed pipe is seen as a failed
// write.
void set_signals() {
  struct sigaction interrupt {};
  interrupt.sa_handler = on_interrupt;
  interrupt.sa_flags = static_cast<int>(SA_RESETHAND);
  sigemptyset(&interrupt.sa_mask);
  sigaction(SIGINT, &interrupt, nullptr);
  std::signal(SIGPIPE, SIG_IGN);
}

bool plain_errors() {
  const Environment e = gather_environment(2);
  return e.no_color || !e.terminal || !e.utf8;
}

// "rwin: message; hint", then the text with a caret under the fault.
void print_failure(const Failure& failure) {
  const bool ascii = plain_errors();
  std::string text = "rwin: " + escape_terminal(failure.message, ascii);
  if (!failure.hint.empty() && failure.more.empty())
    text += "; " + escape_terminal(failure.hint, ascii);
  text += '\n' + failure.more;
  if (!failure.context.empty()) text += "  " + escape_terminal(failure.context, ascii) + '\n';
  if (failure.caret >= 0) {
    const auto at = std::min(static_cast<std::size_t>(failure.caret), failure.context.size());
    const std::string before =
        escape_terminal(std::string_view(failure.context).substr(0, at), ascii);
    text += "  " + std::string(width(before), ' ') + "^\n";
  }
  fmt::print(stderr, "{}", text);
}

void print_warnings(const std::vector<std::string>& warnings) {
  const bool ascii = plain_errors();
  for (const std::string& warning : warnings)
    fmt::print(stderr, "rwin: {}\n", escape_terminal(warning, ascii));
}

int number(ExitCode code) { return static_cast<int>(code); }

// Ends the output. Its failure is the program's failure.
ExitCode finish(Output& out, ExitCode code) {
  if (out.broken_pipe()) return ExitCode::ok;
  if (const auto failure = out.commit()) {
    print_failure(*failure);
    return failure->code;
  }
  return code;
}

// A failure before there was a report: the format asked for still gets its document.
ExitCode fail_early(const Failure& failure, Format format, const std::vector<std::string>& names) {
  print_failure(failure);
  Output out;
  RunInfo info;
  info.names = names;
  Options options;
  options.format = format;
  make_report(out, options, Style{})->failure(info, failure);
  return finish(out, failure.code);
}

Style style_for(const Options& options) {
  Environment environment = gather_environment(1);
  if (!options.output.empty() && options.output != "-") environment.terminal = false;
  if (!environment.terminal) environment.columns = 0;
  return decide_style(options, environment);
}

ExitCode run_read(const Options& options) {
  if (isatty(0) == 1 && std::count(options.files.begin(), options.files.end(), "-") > 0) {
    return fail_early({ExitCode::usage,
                       "standard input is a terminal, not a capture",
                       "tcpdump -w - ... | rwin -",
                       {},
                       -1},
                      options.format, options.files);
  }
  Output out;
  if (const auto failure = out.open(options.output, options.files)) {
    return fail_early(*failure, options.format, options.files);
  }
  const Environment environment = gather_environment(1);
  const bool terminal = environment.terminal && (options.output.empty() || options.output == "-");
  const auto report = make_report(out, options, style_for(options));
  const bool show_progress = !options.quiet && gather_environment(2).terminal;
  Output page;
  std::optional<PictureReport> pictures;
  if (wants_pictures(options)) {
    auto failure = page.open(options.html, options.files, false, "--html");
    if (!failure) failure = pictures.emplace(options, page).make_folder();
    if (failure) return fail_early(*failure, options.format, options.files);
  }
  const Outcome outcome =
      pictures ? analyze_with_pictures(options, *report, *pictures, stop_requested, show_progress)
               : analyze(options, *report, stop_requested, show_progress);
  if (outcome.failure) print_failure(*outcome.failure);
  // The text report has them too: once is enough for who sees both.
  const bool seen = options.format == Format::text && terminal && !outcome.failure;
  if (!options.quiet && !seen) print_warnings(outcome.warnings);
  if (outcome.failure && options.format != Format::json && options.format != Format::jsonl) {
    return outcome.code;  // nothing was written: an old file stays as it is
  }
  if (pictures && !outcome.failure) {
    if (const auto failure = pictures->commit()) {
      print_failure(*failure);
      finish(out, outcome.code);
      return failure->code;
    }
  }
  return finish(out, outcome.code);
}

ExitCode run_tui(const Options& options) {
  if (isatty(STDOUT_FILENO) != 1) {
    return fail_early({ExitCode::usage,
                       "--tui needs a terminal, and standard output is none",
                       "without --tui the report is printed",
                       {},
                       -1},
                      options.format, options.files);
  }
  const FileViewEnd end = view_files(options, stop_requested);
  if (end.failure) print_failure(*end.failure);
  if (!options.quiet) print_warnings(end.warnings);
  return end.code;
}

LiveHooks live_hooks(const Options& options) {
  return {&stop_requested,
          [&options](const Failure& failure) {
            return fail_early(failure, options.format, options.live.interfaces);
          },
          [](const Failure& failure) {
            print_failure(failure);
            return failure.code;
          },
          [](const std::string& warning) { print_warnings({warning}); }};
}

ExitCode run_calc(const Options& options) {
  Output out;
  if (const auto failure = out.open(options.output, {}))
    return fail_early(*failure, options.format, {});
  const Calculation result = calculate(options.calc);
  out.write(options.format == Format::json ? calc_json(options.calc, result)
                                           : calc_text(options.calc, result, options.units));
  return finish(out, ExitCode::ok);
}

// tune, check and compare: `answer` is asked once the output can be written.
template <class Answer>
ExitCode run_command(const Options& options, Answer answer) {
  Output out;
  if (const auto failure = out.open(options.output, options.files))
    return fail_early(*failure, options.format, options.files);
  Output page;
  if (const auto failure = page.open(options.html, options.files, false, "--html"))
    return fail_early(*failure, options.format, options.files);
  const CommandAnswer found = answer(options, style_for(options));
  if (const auto* failure = std::get_if<Failure>(&found))
    return fail_early(*failure, options.format, options.files);
  const auto& result = std::get<CommandResult>(found);
  if (!options.quiet) print_warnings(result.warnings);
  out.write(result.text);
  const ExitCode code = finish(out, result.code);
  if (options.html.empty()) return code;
  page.write(result.page);
  return finish(page, code);
}

ExitCode run_explain(const Options& options) {
  Output out;
  const Environment environment = gather_environment(1);
  Page page(decide_style(options, environment));
  if (options.explain_code.empty()) {
    for (const std::string_view code : rules::explain_codes()) page.raw(std::string(code) + "\n");
  } else {
    const auto text = rules::explain(options.explain_code);
    if (!text) {
      return fail_early({ExitCode::usage,
                         fmt::format("--explain {}: no such word", options.explain_code),
                         fmt::format("one of {}", fmt::join(rules::explain_codes(), ", ")),
                         {},
                         -1},
                        options.format, {});
    }
    // Each line of the text is a paragraph; pictures are indented and stay as they are.
    std::string_view rest = *text;
    while (!rest.empty()) {
      const std::size_t end = std::min(rest.find('\n'), rest.size());
      const std::string_view line = rest.substr(0, end);
      if (line.empty()) {
        page.blank();
      } else if (line.front() == ' ') {
        page.raw(std::string(line) + "\n");
      } else {
        page.paragraph(line);
      }
      rest.remove_prefix(std::min(end + 1, rest.size()));
    }
  }
  out.write(page.take());
  return finish(out, ExitCode::ok);
}

ExitCode run_text(std::string_view text) {
  Output out;
  out.write(text);
  return finish(out, ExitCode::ok);
}

}  // namespace

int run(const std::vector<std::string>& arguments) {
  Settings settings;
  const auto parsed = parse_options(arguments, [&settings](const std::optional<std::string>& file) {
    auto read = read_settings(surroundings(), file);
    if (const auto* found = std::get_if<Settings>(&read)) settings = *found;
    return read;
  });
  const auto* failure = std::get_if<Failure>(&parsed);
  if (failure != nullptr && arguments.empty() && isatty(0) == 1 && isatty(1) == 1 &&
      isatty(2) == 1) {
    const auto list = capture::list_interfaces();
    if (list.ok() && !list.value().empty()) {
      const auto picked = pick_interface(list.value(), std::cin, std::cerr);
      return picked ? run({"-i", *picked}) : number(ExitCode::ok);
    }
  }
  set_signals();
  const Format format = wanted_format(arguments, settings);
  if (failure != nullptr) return number(fail_early(*failure, format, {}));
  Options options = std::get<Options>(parsed);
  if (options.tui_by_habit && isatty(STDOUT_FILENO) != 1) options.tui = false;
  if (const auto wrong = use_rules_of(options.rules_dir)) {
    return number(fail_early(*wrong, format, {}));
  }
  if (!options.quiet) print_warnings(options.warnings);
  switch (options.mode) {
    case Mode::read:
      return number(options.tui ? run_tui(options) : run_read(options));
    case Mode::live:
    case Mode::run:
      return run_live(options, live_hooks(options));
    case Mode::interfaces:
      return run_interfaces(live_hooks(options));
    case Mode::calc:
      return number(run_calc(options));
    case Mode::tune:
      return number(run_command(options, tune));
    case Mode::check:
      return number(run_command(options, check));
    case Mode::compare:
      return number(run_command(options, [](const Options& o, const Style& style) {
        return compare(o, style, stop_requested, !o.quiet && gather_environment(2).terminal);
      }));
    case Mode::explain:
      return number(run_explain(options));
    case Mode::print_config:
      return number(run_text(options.settings));
    case Mode::manual:
      return number(run_text(manual_page()));
    case Mode::completions:
      return number(run_text(completions(options.shell).value_or("")));
    case Mode::help:
      return number(run_text(options.help_of.empty() ? std::string(help_text())
                                                     : command_help_text(options.help_of)));
    case Mode::version:
      return number(run_text(version_text()));
  }
  return number(ExitCode::failed);
}

}  // namespace rwin::app
