#include "app/option_words.h"

#include <fmt/format.h>

#include <algorithm>

#include "app/closest.h"
#include "app/completion.h"
#include "app/live/live_words.h"
#include "rules/explain.h"
#include "text/address.h"
#include "text/text.h"

namespace rwin::app {

Failure usage_failure(std::string message, std::string hint) {
  return {ExitCode::usage, std::move(message), std::move(hint), {}, -1};
}

std::vector<std::string> split(std::string_view text, char separator) {
  std::vector<std::string> parts;
  while (true) {
    const std::size_t end = std::min(text.find(separator), text.size());
    parts.emplace_back(text.substr(0, end));
    if (end == text.size()) return parts;
    text.remove_prefix(end + 1);
  }
}

std::optional<Units> units_from(std::string_view word) {
  if (word == "bits") return Units::bits;
  if (word == "bytes") return Units::bytes;
  return std::nullopt;
}

std::optional<ThemeWanted> theme_from(std::string_view word) {
  if (word == "auto") return ThemeWanted::automatic;
  if (word == "dark") return ThemeWanted::dark;
  if (word == "light") return ThemeWanted::light;
  return std::nullopt;
}

std::optional<std::string> glyph_set_from(std::string_view word) {
  if (word != "braille" && word != "block" && word != "ascii") return std::nullopt;
  return std::string(word);
}

std::optional<rules::Link> link_from(std::string_view word) {
  if (word == "ethernet") return rules::Link::ethernet;
  if (word == "pppoe") return rules::Link::pppoe;
  if (word == "ptm") return rules::Link::ptm;
  if (word == "atm") return rules::Link::atm;
  return std::nullopt;
}

namespace {

std::optional<ColorWhen> color_from(std::string_view word) {
  if (word == "auto") return ColorWhen::automatic;
  if (word == "always") return ColorWhen::always;
  if (word == "never") return ColorWhen::never;
  return std::nullopt;
}

std::optional<Failure> read_assumed_scales(const Words& words, Options& options) {
  for (const std::string& text : words[OptionId::assume_wscale].values) {
    const std::size_t equals = text.rfind('=');
    const auto address =
        parse_address(std::string_view(text).substr(0, std::min(equals, text.size())));
    const auto shift = equals == std::string::npos
                           ? std::nullopt
                           : parse_count(std::string_view(text).substr(equals + 1), 0, 14);
    if (!address || !shift) {
      return usage_failure(fmt::format("--assume-wscale {}: not understood", text),
                           "use ADDRESS=SHIFT with a shift from 0 to 14, as in 203.0.113.77=7");
    }
    options.assume_wscale.push_back({*address, static_cast<std::uint8_t>(*shift)});
  }
  return std::nullopt;
}

std::optional<Failure> read_platforms(const Words& words, Options& options) {
  for (const std::string& text : words[OptionId::platform].values) {
    const std::size_t equals = std::min(text.rfind('='), text.size());
    const auto address = parse_address(std::string_view(text).substr(0, equals));
    if (!address || equals + 1 >= text.size()) {
      return usage_failure(fmt::format("--platform {}: not understood", text),
                           "use ADDRESS=PLATFORM, as in 192.0.2.10=container");
    }
    options.platforms.emplace_back(*address, text.substr(equals + 1));
  }
  return std::nullopt;
}

std::optional<Failure> read_fail_on(const Words& words, Options& options) {
  for (const std::string& list : words[OptionId::fail_on].values) {
    for (const std::string& word : split(list, ',')) {
      if (!analysis::limit_from_word(word) && !rules::explain(word)) {
        return usage_failure(fmt::format("--fail-on {}: no such limit or cause", word),
                             "rwin --explain lists them");
      }
      options.fail_on.push_back(word);
    }
  }
  return std::nullopt;
}

std::optional<Failure> read_format(const Words& words, Options& options) {
  int formats = 0;
  const auto take = [&](OptionId id, Format format) {
    if (!words.has(id)) return;
    options.format = format;
    ++formats;
  };
  take(OptionId::csv, Format::csv);
  take(OptionId::jsonl, Format::jsonl);
  take(OptionId::json, Format::json);
  if (formats > 1) return usage_failure("more than one of --json, --jsonl and --csv", "choose one");
  return std::nullopt;
}

// What only the dashboard has.
std::optional<Failure> read_dashboard(const Words& words, Options& options) {
  options.tui = words.has(OptionId::tui);
  options.tui_by_habit = options.tui && !words.typed(OptionId::tui);
  options.names = words.has(OptionId::names) && !words.has(OptionId::numeric);
  options.mouse = !words.has(OptionId::no_mouse);
  if (options.tui && (options.format != Format::text || !options.output.empty()))
    return usage_failure("--tui shows on the terminal, and there is another output",
                         "leave one of them out");
  if (auto failure = read_value(words, OptionId::theme, "--theme", "auto, dark or light",
                                options.theme, theme_from))
    return failure;
  if (auto failure = read_value(words, OptionId::glyphs, "--glyphs", "braille, block or ascii",
                                options.glyphs, glyph_set_from))
    return failure;
  return read_value(words, OptionId::refresh, "--refresh", "milliseconds from 100 to 10000",
                    options.refresh_ms, [](std::string_view text) -> std::optional<int> {
                      const auto ms = parse_count(text, 100, 10'000);
                      if (!ms) return std::nullopt;
                      return static_cast<int>(*ms);
                    });
}

// Files and filter: words are files, or with -r filter words.
std::optional<Failure> read_input(const Words& words, Options& options) {
  if (words.has(OptionId::interface)) return read_live(words, options);
  if (auto wrong = refuse_live_options(words)) return wrong;
  options.files = words[OptionId::read].values;
  std::vector<std::string> parts = words[OptionId::filter].values;
  if (options.files.empty()) {
    options.files = words.rest;
    if (!words.rest.empty()) options.command_meant = closest_command(words.rest[0]);
  } else if (!words.rest.empty()) {
    parts.push_back(fmt::format("{}", fmt::join(words.rest, " ")));
  }
  if (parts.size() == 1) {
    options.filter = parts[0];
  } else if (parts.size() > 1) {
    options.filter = fmt::format("({})", fmt::join(parts, ") and ("));
  }
  if (options.files.empty())
    return usage_failure("no capture to read",
                         "rwin FILE, rwin - for standard input, or sudo rwin -i any; rwin --help");
  if (std::count(options.files.begin(), options.files.end(), "-") > 1) {
    return usage_failure("standard input (-) given more than once", "it can be read once");
  }
  return std::nullopt;
}

}  // namespace

std::optional<Failure> read_pictures(const Words& words, Options& options) {
  if (words.has(OptionId::html)) options.html = words[OptionId::html].last();
  if (words.has(OptionId::svg)) options.svg_dir = words[OptionId::svg].last();
  if (options.html == "-" || (words.has(OptionId::html) && options.html.empty()))
    return usage_failure("--html writes a file beside the report", "give it a file name");
  if (!options.html.empty() && options.html == options.output)
    return usage_failure("--html and --output name the same file", "choose another name");
  if (words.has(OptionId::svg) && options.svg_dir.empty())
    return usage_failure("--svg writes pictures into a folder", "rwin FILE --svg DIR");
  if (options.mode == Mode::live && !(options.html + options.svg_dir).empty())
    return usage_failure("--html and --svg are drawn from files",
                         "save the packets with -w FILE, then rwin FILE --html PAGE");
  if (options.tui && options.mode == Mode::read && !(options.html + options.svg_dir).empty())
    return usage_failure("--tui shows on the terminal, and --html and --svg write a report",
                         "leave one of them out");
  return std::nullopt;
}

std::variant<Options, Failure> interpret_report(const Words& words) {
  Options o;
  o.quiet = words.has(OptionId::quiet);
  o.verbose = words.has(OptionId::verbose);
  o.ascii = words.has(OptionId::ascii);
  if (words.has(OptionId::output)) o.output = words[OptionId::output].last();
  if (words.has(OptionId::rules)) o.rules_dir = words[OptionId::rules].last();
  if (words.has(OptionId::manual)) o.mode = Mode::manual;
  if (words.has(OptionId::completions)) {
    o.mode = Mode::completions;
    o.shell = words[OptionId::completions].last();
    if (!completions(o.shell)) {
      return usage_failure(fmt::format("--completions {}: no such shell", o.shell),
                           "use bash, zsh or fish");
    }
  }
  if (words.has(OptionId::help)) o.mode = Mode::help;
  if (words.has(OptionId::version)) o.mode = Mode::version;
  if (words.has(OptionId::list_interfaces)) o.mode = Mode::interfaces;
  if (o.mode != Mode::read) return o;
  const auto count = [](std::string_view text) { return parse_count(text, 0, UINT64_MAX); };
  const auto jobs = [](std::string_view text) { return parse_count(text, 1, 1024); };
  const auto size = [](std::string_view text) {
    return text == "0" ? std::optional<std::uint64_t>(0) : parse_size(text);
  };
  const auto failure = first_failure(
      [&] { return read_format(words, o); },
      [&] {
        return read_value(words, OptionId::top, "--top", "a whole number, 0 for all", o.top, count);
      },
      [&] {
        return read_value(words, OptionId::jobs, "--jobs", "a whole number from 1", o.jobs, jobs);
      },
      [&] {
        return read_value(words, OptionId::min_bytes, "--min-bytes", kSizeForms, o.min_bytes, size);
      },
      [&] {
        return read_value(words, OptionId::target_rate, "--target-rate", kRateForms, o.target_bps,
                          parse_rate);
      },
      [&] {
        return read_value(words, OptionId::units, "--units", "bits or bytes", o.units, units_from);
      },
      [&] {
        return read_value(words, OptionId::color, "--color", "auto, always or never", o.color,
                          color_from);
      },
      [&] { return read_dashboard(words, o); }, [&] { return read_assumed_scales(words, o); },
      [&] { return read_platforms(words, o); }, [&] { return read_fail_on(words, o); });
  if (failure) return *failure;
  if (words.has(OptionId::explain)) {
    o.mode = Mode::explain;
    if (!words[OptionId::explain].values.empty()) o.explain_code = words[OptionId::explain].last();
    return o;
  }
  if (const auto wrong = read_input(words, o)) return *wrong;
  if (const auto wrong = read_pictures(words, o)) return *wrong;
  return o;
}

std::variant<Options, Failure> interpret_run(Words words, std::vector<std::string> command) {
  if (command.empty())
    return usage_failure("run: there is no command", "sudo rwin run -- curl -O URL");
  Given& interface = words.options[OptionId::interface];
  if (interface.count == 0) {  // the way to the server is not known beforehand
    interface.values = {"any"};
    interface.count = 1;
  }
  auto read = interpret_report(words);
  if (auto* options = std::get_if<Options>(&read)) {
    if (options->mode != Mode::live)
      return usage_failure("run takes the options of a live capture only", "rwin run --help");
    options->mode = Mode::run;
    options->live.command = std::move(command);
  }
  return read;
}

std::variant<Options, Failure> interpret_calc(const Words& words) {
  Options o;
  o.mode = Mode::calc;
  if (words.has(OptionId::json)) o.format = Format::json;
  if (words.has(OptionId::output)) o.output = words[OptionId::output].last();
  CalcOptions& c = o.calc;
  const auto mtu = [](std::string_view text) { return parse_count(text, 68, 65535); };
  if (!words.rest.empty()) {
    return usage_failure(fmt::format("calc does not take the word {}", words.rest[0]),
                         "rwin calc --rate 25M --rtt 330ms");
  }
  const auto failure = first_failure(
      [&] {
        return read_value(words, OptionId::rate, "--rate", kRateForms, c.rate_bps, parse_rate);
      },
      [&] {
        return read_value(words, OptionId::rtt, "--rtt", kTimeForms, c.rtt_us, parse_time_us);
      },
      [&] {
        return read_value(words, OptionId::window, "--window", kSizeForms, c.window_bytes,
                          parse_size);
      },
      [&] {
        return read_value(words, OptionId::mtu, "--mtu", "bytes from 68 to 65535, as 1492", c.mtu,
                          mtu);
      },
      [&] {
        return read_value(words, OptionId::link, "--link", "ethernet, pppoe, ptm or atm", c.link,
                          link_from);
      },
      [&] {
        return read_value(words, OptionId::units, "--units", "bits or bytes", o.units, units_from);
      });
  if (failure) return *failure;
  const int given = (c.rate_bps ? 1 : 0) + (c.rtt_us ? 1 : 0) + (c.window_bytes ? 1 : 0);
  if (given < 2 && !c.mtu && !(c.rate_bps && c.link != rules::Link::payload)) {
    return usage_failure("calc needs two of --rate, --rtt and --window, or --mtu",
                         "rwin calc --rate 25M --rtt 330ms");
  }
  if (c.link != rules::Link::payload && !c.rate_bps) {
    return usage_failure("--link says what --rate counts, and there is no --rate",
                         "add --rate, as --rate 25M");
  }
  return o;
}

}  // namespace rwin::app
