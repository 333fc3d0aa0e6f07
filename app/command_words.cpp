// What the words of `tune`, `check` and `compare` mean.
#include <fmt/format.h>

#include <array>
#include <utility>

#include "app/command_table.h"
#include "app/option_words.h"
#include "rules/host_check.h"
#include "text/shell.h"
#include "text/text.h"

namespace rwin::app {
namespace {

constexpr std::array<std::pair<std::string_view, TuneFormat>, 7> kTuneFormats = {{
    {"text", TuneFormat::text},
    {"json", TuneFormat::json},
    {"sh", TuneFormat::sh},
    {"reg", TuneFormat::reg},
    {"ps1", TuneFormat::ps1},
    {"plist", TuneFormat::plist},
    {"sysctl.d", TuneFormat::sysctl_d},
}};

std::optional<TuneFormat> tune_format_from(std::string_view word) {
  for (const auto& [name, format] : kTuneFormats) {
    if (name == word) return format;
  }
  return std::nullopt;
}

// --rate, --rtt and --link; both of the first two or, where `needed` is false, none.
std::optional<Failure> read_line(const Words& words, LineOptions& line, bool needed,
                                 std::string_view command) {
  auto failure = first_failure(
      [&] {
        return read_value(words, OptionId::rate, "--rate", kRateForms, line.rate_bps, parse_rate);
      },
      [&] {
        return read_value(words, OptionId::rtt, "--rtt", kTimeForms, line.rtt_us, parse_time_us);
      },
      [&] {
        return read_value(words, OptionId::link, "--link", "ethernet, pppoe, ptm or atm", line.link,
                          link_from);
      });
  if (failure) return failure;
  const std::string example = fmt::format("rwin {} --rate 50M --rtt 184ms", command);
  if (needed && (!line.rate_bps || !line.rtt_us)) {
    return usage_failure(fmt::format("{} needs --rate and --rtt", command), example);
  }
  if (line.rate_bps && !line.rtt_us)
    return usage_failure("--rate without --rtt tells no window", example);
  if (line.link != rules::Link::payload && !line.rate_bps) {
    return usage_failure("--link says what --rate counts, and there is no --rate",
                         "add --rate, as --rate 25M");
  }
  return std::nullopt;
}

std::optional<Failure> no_words(const Words& words, std::string_view command) {
  if (words.rest.empty()) return std::nullopt;
  return usage_failure(fmt::format("{} does not take the word {}", command, words.rest[0]),
                       fmt::format("rwin {} --help lists the options", command));
}

// As typed; what is set elsewhere is added, since sudo reads other settings.
std::string command_line(const Words& words) {
  std::string line = "rwin";
  for (const std::string& argument : words.arguments) line += " " + shell_word(argument);
  for (const OptionSpec& spec : kTuneOptions) {
    if (!words.has(spec.id) || words.typed(spec.id)) continue;
    line += fmt::format(" {}", long_name(spec));
    if (!spec.argument.empty()) line += " " + shell_word(words[spec.id].last());
  }
  // It stands in comments of files: one line, 7-bit.
  for (char& c : line) c = c < ' ' || c > '~' ? '?' : c;
  return line;
}

void read_output(const Words& words, Options& o) {
  if (words.has(OptionId::json)) o.format = Format::json;
  if (words.has(OptionId::output)) o.output = words[OptionId::output].last();
  o.quiet = words.has(OptionId::quiet);
  o.verbose = words.has(OptionId::verbose);
  if (words.has(OptionId::rules)) o.rules_dir = words[OptionId::rules].last();
}

std::optional<Failure> read_root(const Words& words, std::string& root) {
  if (!words.has(OptionId::root)) return std::nullopt;
  root = words[OptionId::root].last();
  if (!root.empty()) return std::nullopt;
  return usage_failure("--root needs a folder", "rwin check --root DIR");
}

}  // namespace

std::variant<Options, Failure> interpret_tune(const Words& words) {
  Options o;
  o.mode = Mode::tune;
  read_output(words, o);
  TuneOptions& t = o.tune;
  t.command = command_line(words);
  t.yes = words.has(OptionId::yes);
  const bool apply = words.has(OptionId::apply);
  const bool revert = words.has(OptionId::revert);
  if (apply) t.action = TuneAction::apply;
  if (revert) t.action = TuneAction::revert;
  if (words.has(OptionId::platform)) t.platform = words[OptionId::platform].last();
  const auto failure = first_failure(
      [&] { return no_words(words, "tune"); }, [&] { return read_root(words, t.root); },
      [&]() -> std::optional<Failure> {
        if (!apply || !revert) return std::nullopt;
        return usage_failure("--apply and --revert exclude each other", "give one of them");
      },
      [&] { return read_line(words, t.line, !revert, "tune"); },
      [&]() -> std::optional<Failure> {
        if (!revert || !t.line.rate_bps) return std::nullopt;
        return usage_failure("--revert puts back what was there: it takes no --rate",
                             "rwin tune --revert");
      },
      [&] {
        return read_value(words, OptionId::format, "--format",
                          "text, json, sh, reg, ps1, plist or sysctl.d", t.format,
                          tune_format_from);
      },
      [&]() -> std::optional<Failure> {
        if (words.has(OptionId::json)) {
          if (words.has(OptionId::format) && t.format != TuneFormat::json) {
            return usage_failure("--json and another --format", "choose one");
          }
          t.format = TuneFormat::json;
        }
        if (t.format == TuneFormat::json) o.format = Format::json;
        if (t.action == TuneAction::show) {
          if (t.yes) return usage_failure("--yes answers --apply or --revert", "add one of them");
          return std::nullopt;
        }
        const std::string name = apply ? "--apply" : "--revert";
        if (!t.platform.empty()) {
          return usage_failure(name + " changes this host: it takes no --platform",
                               "leave --platform out, or " + name);
        }
        if (t.format != TuneFormat::text && t.format != TuneFormat::json) {
          return usage_failure(name + " prints text or JSON", "leave --format out");
        }
        return std::nullopt;
      });
  if (failure) return *failure;
  return o;
}

std::variant<Options, Failure> interpret_check(const Words& words) {
  Options o;
  o.mode = Mode::check;
  read_output(words, o);
  const auto failure = first_failure(
      [&] { return no_words(words, "check"); }, [&] { return read_root(words, o.check.root); },
      [&] { return read_line(words, o.check.line, false, "check"); },
      [&]() -> std::optional<Failure> {
        if (!words.has(OptionId::fail_on)) return std::nullopt;
        for (const std::string& list : words[OptionId::fail_on].values) {
          for (const std::string& word : split(list, ',')) {
            if (word != "any" && !rules::is_host_finding(word)) {
              return usage_failure(
                  fmt::format("--fail-on {}: no such finding", word),
                  fmt::format("use any or {}", fmt::join(rules::kHostFindings, ", ")));
            }
            o.fail_on.push_back(word);
          }
        }
        return std::nullopt;
      });
  if (failure) return *failure;
  return o;
}

std::variant<Options, Failure> interpret_compare(const Words& words) {
  Options o;
  o.mode = Mode::compare;
  read_output(words, o);
  o.files = words.rest;
  if (words.has(OptionId::filter)) {
    o.filter = fmt::format("({})", fmt::join(words[OptionId::filter].values, ") and ("));
  }
  const auto failure = first_failure(
      [&] {
        return read_value(words, OptionId::target_rate, "--target-rate", kRateForms, o.target_bps,
                          parse_rate);
      },
      [&] {
        return read_value(words, OptionId::top, "--top", "a whole number, 0 for all", o.top,
                          [](std::string_view text) { return parse_count(text, 0, UINT64_MAX); });
      },
      [&] {
        return read_value(words, OptionId::units, "--units", "bits or bytes", o.units, units_from);
      },
      [&]() -> std::optional<Failure> {
        if (o.files.size() == 2) return std::nullopt;
        return usage_failure(
            fmt::format("compare needs two captures, {} given", o.files.size()),
            "rwin compare BEFORE AFTER: the same transfer before and after the change");
      },
      [&]() -> std::optional<Failure> {
        if (o.files[0] != "-" || o.files[1] != "-") return std::nullopt;
        return usage_failure("standard input (-) given more than once", "it can be read once");
      },
      [&] { return read_pictures(words, o); });
  if (failure) return *failure;
  return o;
}

}  // namespace rwin::app
