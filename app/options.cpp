// The only file that knows CLI11: arguments to words. What the words mean: option_words.cpp.
#include "app/options.h"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>

#include "app/command_table.h"
#include "app/live/live_words.h"
#include "app/option_words.h"

namespace rwin::app {
namespace {

// Number of single-character edits between two words (dynamic programming over one row).
std::size_t edits(std::string_view a, std::string_view b) {
  std::vector<std::size_t> row(b.size() + 1);
  for (std::size_t j = 0; j < row.size(); ++j) row[j] = j;
  for (std::size_t i = 1; i <= a.size(); ++i) {
    std::size_t diagonal = row[0];
    row[0] = i;
    for (std::size_t j = 1; j <= b.size(); ++j) {
      const std::size_t above = row[j];
      row[j] = std::min({above + 1, row[j - 1] + 1, diagonal + (a[i - 1] == b[j - 1] ? 0U : 1U)});
      diagonal = above;
    }
  }
  return row.back();
}

Failure unknown_option(const std::string& given, std::span<const OptionSpec> specs,
                       std::string_view help) {
  const std::string name = given.substr(0, given.find('='));
  std::string best;
  std::size_t best_edits = SIZE_MAX;
  for (const OptionSpec& spec : specs) {
    const std::string known = split(spec.names, ',').back();
    if (spec.help.empty() || name.size() < 4) continue;
    // "--" counts as right in both: at most half of the rest may differ, two characters in all.
    const std::size_t n = edits(name, known);
    if (n < best_edits && n <= 2 && n * 2 <= std::max(name.size(), known.size()) - 2) {
      best = known;
      best_edits = n;
    }
  }
  return usage_failure(fmt::format("unknown option {}", name),
                       best.empty() ? fmt::format("{} lists the options", help)
                                    : fmt::format("did you mean {}?", best));
}

std::variant<Words, Failure> parse_words(const std::vector<std::string>& arguments,
                                         std::span<const OptionSpec> specs, std::string_view help) {
  CLI::App parser;
  parser.set_help_flag();
  parser.allow_extras();
  Words words;
  for (const OptionSpec& spec : specs) {
    Given& given = words.options[spec.id];
    const std::string names(spec.names);
    if (spec.argument.empty()) {
      parser.add_flag(names, given.count);
      continue;
    }
    CLI::Option* option = parser.add_option(names, given.values)->allow_extra_args(false);
    option->multi_option_policy(CLI::MultiOptionPolicy::TakeAll);
    if (spec.argument.front() == '[') option->expected(0, 1);
  }
  try {
    parser.parse(std::vector<std::string>(arguments.rbegin(), arguments.rend()));
  } catch (const CLI::ParseError&) {
    // With extras allowed, what is left to go wrong is an option without its argument or a flag
    // with one.
    for (const OptionSpec& spec : specs) {
      for (const std::string& name : split(spec.names, ',')) {
        if (arguments.empty() || arguments.back() != name || spec.argument.empty()) continue;
        return usage_failure(
            fmt::format("option {} needs an argument: {} {}", name, name, spec.argument),
            fmt::format("{} explains it", help));
      }
    }
    return usage_failure("the command line cannot be understood",
                         fmt::format("{} lists the options", help));
  }
  for (const OptionSpec& spec : specs) {
    if (!spec.argument.empty()) {
      words.options[spec.id].count = parser.get_option(split(spec.names, ',').back())->count();
    }
  }
  bool only_words = false;
  for (const std::string& word : parser.remaining()) {
    if (word == "--" && !only_words) {
      only_words = true;
    } else if (!only_words && word.size() > 1 && word.front() == '-') {
      return unknown_option(word, specs, help);
    } else {
      words.rest.push_back(word);
    }
  }
  return words;
}

std::variant<Options, Failure> parse_command(const CommandSpec& command,
                                             const std::vector<std::string>& arguments) {
  std::vector<std::string> rest(arguments.begin() + 1, arguments.end());
  RunWords run;
  if (command.name == "run") {
    run = split_run(rest);
    rest = run.own;
  }
  auto parsed = parse_words(rest, command.options, fmt::format("rwin {} --help", command.name));
  if (auto* failure = std::get_if<Failure>(&parsed)) return std::move(*failure);
  Words& words = std::get<Words>(parsed);
  words.arguments = arguments;
  if (words.has(OptionId::help)) {
    Options options;
    options.mode = Mode::help;
    options.help_of = command.name;
    return options;
  }
  if (command.name == "run") return interpret_run(std::move(words), std::move(run.command));
  if (command.name == "tune") return interpret_tune(words);
  if (command.name == "check") return interpret_check(words);
  if (command.name == "compare") return interpret_compare(words);
  return interpret_calc(words);
}

}  // namespace

std::variant<Options, Failure> parse_options(const std::vector<std::string>& arguments) {
  if (!arguments.empty()) {
    for (const CommandSpec& command : kCommands) {
      if (arguments[0] == command.name) return parse_command(command, arguments);
    }
  }
  auto words = parse_words(arguments, kOptions, "rwin --help");
  if (auto* failure = std::get_if<Failure>(&words)) return std::move(*failure);
  return interpret_report(std::get<Words>(words));
}

Format wanted_format(const std::vector<std::string>& arguments) {
  std::string_view previous;
  for (const std::string& argument : arguments) {
    if (argument == "--") break;
    if (argument == "--json") return Format::json;
    if (argument == "--jsonl") return Format::jsonl;
    if (argument == "--format=json" || (previous == "--format" && argument == "json")) {
      return Format::json;
    }
    const bool bundle = argument.size() > 1 && argument[0] == '-' && argument[1] != '-';
    // Flags may be bundled (-qJ); behind a letter that takes an argument the rest is that argument.
    if (bundle && argument.find('J') != std::string::npos &&
        argument.substr(0, argument.find('J')).find_first_of("irfowCWsBcZj") == std::string::npos) {
      return Format::json;
    }
    previous = argument;
  }
  return Format::text;
}

}  // namespace rwin::app
