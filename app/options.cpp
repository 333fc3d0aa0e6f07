// The only file that knows CLI11: arguments to words. What the words mean: option_words.cpp.
#include "app/options.h"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>

#include "app/closest.h"
#include "app/command_table.h"
#include "app/live/live_words.h"
#include "app/option_words.h"
#include "app/setting_keys.h"

namespace rwin::app {
namespace {

// `first`: a word in front that may be a command mistyped; empty: it is none.
Failure unknown_option(const std::string& given, std::span<const OptionSpec> specs,
                       std::string_view help, std::string_view first) {
  const std::string name = given.substr(0, given.find('='));
  const std::string key = name.size() < 4 ? "" : name.substr(2);
  const auto failure = [&](const std::string& hint) {
    return usage_failure(fmt::format("unknown option {}", name), hint);
  };
  const CommandSpec* command = find_command(closest_command(first));
  if (command != nullptr && find_key(command->options, key) != nullptr)
    return failure(fmt::format("did you mean rwin {}?", command->name));
  std::vector<std::string> known;
  for (const OptionSpec& spec : specs) {
    if (!spec.help.empty()) known.emplace_back(long_name(spec).substr(2));
  }
  const std::string meant = key.empty() ? "" : closest(key, known);
  return failure(meant.empty() ? fmt::format("{} lists the options", help)
                               : fmt::format("did you mean --{}?", meant));
}

std::variant<Words, Failure> parse_words(const std::vector<std::string>& arguments,
                                         std::span<const OptionSpec> specs, std::string_view help,
                                         std::string_view first = {}) {
  CLI::App parser;
  parser.set_help_flag();
  parser.allow_extras();
  Words words;
  for (const OptionSpec& spec : specs) {
    Given& given = words.options[spec.id];
    const std::string names(spec.names);
    if (spec.argument.empty()) {
      parser.add_flag(names);
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
    Given& given = words.options[spec.id];
    const CLI::Option& option = *parser.get_option(split(spec.names, ',').back());
    given.count = option.count();
    if (spec.argument.empty() && given.count > 0) {  // --json=false
      given.refused = option.results().back() == "false";
      if (given.refused) given.count = 0;
    }
  }
  bool only_words = false;
  for (const std::string& word : parser.remaining()) {
    if (word == "--" && !only_words) {
      only_words = true;
    } else if (!only_words && word.size() > 1 && word.front() == '-') {
      return unknown_option(word, specs, help, first);
    } else {
      words.rest.push_back(word);
    }
  }
  return words;
}

// With what is set elsewhere added to the words. A fault that comes from there names the place.
template <class Interpret>
std::variant<Options, Failure> interpret_with(const Words& typed, const ReadSettings& read,
                                              std::string_view command,
                                              std::span<const OptionSpec> specs,
                                              Interpret interpret) {
  if (!read) return interpret(typed);
  std::optional<std::string> file;
  if (typed.has(OptionId::config)) file = typed[OptionId::config].last();
  const SettingsRead settings = read(file);
  if (const auto* failure = std::get_if<Failure>(&settings)) return *failure;
  Words words = typed;
  add_settings(std::get<Settings>(settings), command, specs, words);
  const bool print = words.has(OptionId::print_config);
  if (print && words.rest.empty()) words.rest = {"-"};  // only what is set must be right
  auto result = interpret(words);
  if (auto* failure = std::get_if<Failure>(&result)) {
    for (const auto& [id, given] : words.options) {
      if (given.where.empty()) continue;
      Words without = words;
      without.options[id] = Given{};
      const auto again = interpret(without);
      const auto* other = std::get_if<Failure>(&again);
      if (other != nullptr && other->message == failure->message) continue;
      failure->message = fmt::format("{}: {}", given.where, failure->message);
      break;
    }
    return result;
  }
  auto& options = std::get<Options>(result);
  options.warnings = std::get<Settings>(settings).warnings;
  if (print) {
    options.mode = Mode::print_config;
    options.settings = settings_text(std::get<Settings>(settings), typed);
  }
  return result;
}

std::variant<Options, Failure> parse_command(const CommandSpec& command,
                                             const std::vector<std::string>& arguments,
                                             const ReadSettings& read) {
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
  return interpret_with(words, read, command.name, command.options, [&](const Words& all) {
    if (command.name == "run") return interpret_run(all, run.command);
    if (command.name == "tune") return interpret_tune(all);
    if (command.name == "check") return interpret_check(all);
    if (command.name == "compare") return interpret_compare(all);
    return interpret_calc(all);
  });
}

}  // namespace

std::variant<Options, Failure> parse_options(const std::vector<std::string>& arguments,
                                             const ReadSettings& read) {
  if (!arguments.empty()) {
    for (const CommandSpec& command : kCommands) {
      if (arguments[0] == command.name) return parse_command(command, arguments, read);
    }
  }
  auto words = parse_words(arguments, kOptions, "rwin --help",
                           arguments.empty() ? std::string_view() : arguments[0]);
  if (auto* failure = std::get_if<Failure>(&words)) return std::move(*failure);
  const Words& typed = std::get<Words>(words);
  // Who asks for help gets it, whatever the settings are.
  const bool settings = !typed.has(OptionId::help) && !typed.has(OptionId::version) &&
                        !typed.has(OptionId::manual) && !typed.has(OptionId::completions);
  return interpret_with(typed, settings ? read : ReadSettings(), {}, kOptions, interpret_report);
}

Format wanted_format(const std::vector<std::string>& arguments, const Settings& settings) {
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
  for (const Setting& setting : settings.all) {
    if (!setting.command.empty() || !setting.on) continue;
    if (setting.id == OptionId::json) return Format::json;
    if (setting.id == OptionId::jsonl) return Format::jsonl;
    if (setting.id == OptionId::csv) return Format::text;
  }
  return Format::text;
}

}  // namespace rwin::app
