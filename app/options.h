// What the command line asks for.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "analysis/engine.h"
#include "app/exit_code.h"
#include "app/settings.h"
#include "rules/calc.h"
#include "text/units.h"

namespace rwin::app {

enum class Mode : std::uint8_t {
  read,
  live,
  run,
  interfaces,
  calc,
  tune,
  check,
  compare,
  explain,
  manual,
  completions,
  print_config,
  help,
  version
};
enum class Format : std::uint8_t { text, json, jsonl, csv };
enum class ColorWhen : std::uint8_t { automatic, always, never };
enum class ThemeWanted : std::uint8_t { automatic, dark, light };

struct CalcOptions {
  std::optional<double> rate_bps;
  std::optional<std::int64_t> rtt_us;
  std::optional<std::uint64_t> window_bytes;
  std::optional<std::uint32_t> mtu;
  rules::Link link = rules::Link::payload;
};

// A line to be filled, for `tune` and `check`.
struct LineOptions {
  std::optional<double> rate_bps;
  std::optional<std::int64_t> rtt_us;
  rules::Link link = rules::Link::payload;
};

enum class TuneFormat : std::uint8_t { text, json, sh, reg, ps1, plist, sysctl_d };
enum class TuneAction : std::uint8_t { show, apply, revert };

struct TuneOptions {
  LineOptions line;
  std::string platform;  // empty: this host
  TuneFormat format = TuneFormat::text;
  TuneAction action = TuneAction::show;
  bool yes = false;
  std::string root;     // empty: this system
  std::string command;  // the command line as typed, for "sudo ..." and the file's header
};

struct CheckOptions {
  LineOptions line;
  std::string root;  // empty: this system
};

// Of a live capture.
struct LiveChoice {
  std::vector<std::string> interfaces;
  std::string write;               // -w
  std::uint64_t rotate_bytes = 0;  // -C
  std::uint32_t rotate_files = 0;  // -W
  int snap_length = 192;
  int buffer_bytes = 64 << 20;
  bool promiscuous = false;
  std::optional<std::uint64_t> count;
  std::optional<std::int64_t> duration_ms;
  std::string user;  // -Z
  bool sandbox = true;
  std::string metrics;               // file
  int interval_ms = 1000;            // of --jsonl and --metrics
  bool report = false;               // --report: no dashboard
  std::vector<std::string> command;  // of `rwin run`
};

struct Options {
  Mode mode = Mode::read;
  std::vector<std::string> files;
  std::string command_meant;  // where the first file's name is a slip of a command
  std::string filter;         // whole BPF expression, empty: everything
  std::optional<double> target_bps;
  std::vector<analysis::EngineOptions::AssumedScale> assume_wscale;
  Format format = Format::text;
  std::string output;      // empty: standard output
  std::string html;        // page to write as well; empty: none
  std::string svg_dir;     // folder for single pictures; empty: none
  std::uint64_t top = 20;  // 0: all
  std::uint64_t min_bytes = 0;
  unsigned jobs = 0;  // threads of the analysis; 0: as suits the machine
  Units units = Units::bits;
  ColorWhen color = ColorWhen::automatic;
  bool ascii = false;
  bool tui = false;           // the dashboard
  bool tui_by_habit = false;  // set in a file or a variable: only where there is a terminal for it
  ThemeWanted theme = ThemeWanted::automatic;
  std::string glyphs;  // "braille" "block" "ascii", empty: as the terminal can
  bool names = false;
  bool mouse = true;
  int refresh_ms = 500;
  std::uint32_t chart_points = 0;  // of every direction, for charts; 0: none
  bool chart_sequence = false;     // with sequence numbers
  bool quiet = false;
  bool verbose = false;
  std::string explain_code;
  std::string shell;                  // of --completions
  std::string settings;               // the text of --print-config
  std::vector<std::string> warnings;  // about settings, one line each
  std::vector<std::string> fail_on;
  std::string rules_dir;  // --rules; empty: the built-in rules
  std::vector<std::pair<analysis::Address, std::string>> platforms;  // --platform
  CalcOptions calc;
  TuneOptions tune;
  CheckOptions check;
  std::string_view help_of;  // the command whose help is asked for; empty: the program's
  LiveChoice live;
};

// What is set elsewhere than on the command line; `file` is that of --config.
using ReadSettings = std::function<SettingsRead(const std::optional<std::string>& file)>;

// `arguments` without the program's name. Never prints.
std::variant<Options, Failure> parse_options(const std::vector<std::string>& arguments,
                                             const ReadSettings& read = {});

// The format that the arguments, else the settings, ask for, as far as they can be understood: a
// failure of parse_options() must still be reported in it.
Format wanted_format(const std::vector<std::string>& arguments, const Settings& settings = {});

}  // namespace rwin::app
