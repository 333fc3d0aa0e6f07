// Every option, once: the parser, --help and whatever documents the command line read these tables.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <string_view>

namespace rwin::app {

enum class OptionId : std::uint8_t {
  interface,
  read,
  tui,
  filter,
  json,
  jsonl,
  csv,
  output,
  top,
  min_bytes,
  units,
  color,
  theme,
  glyphs,
  names,
  numeric,
  no_mouse,
  refresh,
  ascii,
  target_rate,
  assume_wscale,
  explain,
  fail_on,
  quiet,
  verbose,
  help,
  version,
  rate,
  rtt,
  window,
  mtu,
  link,
  format,
  apply,
  revert,
  yes,
  root,
  write,
  rotate_size,
  rotate_files,
  snaplen,
  count,
  duration,
  promiscuous,
  no_promiscuous,
  list_interfaces,
  user,
  no_sandbox,
  report,
  metrics,
  interval,
  buffer,
  rules,
  platform,
  jobs,
  manual,
  completions,
};

enum class OptionGroup : std::uint8_t { source, live, output, diagnosis, general, command };
std::string_view group_title(OptionGroup group);

struct OptionSpec {
  OptionId id;
  std::string_view names;     // "-r,--read"
  std::string_view argument;  // "FILE"; empty: a flag; in brackets: may be left out
  OptionGroup group;
  std::string_view help;         // one line; empty: not shown
  std::string_view values = {};  // the words that the argument may be, blanks between; else empty
};

// "--read" and "-r"; the latter empty where there is none.
constexpr std::string_view long_name(const OptionSpec& spec) {
  return spec.names.substr(spec.names.find("--"));
}
constexpr std::string_view short_name(const OptionSpec& spec) {
  return spec.names.substr(0, spec.names.find("--") == 0 ? 0 : 2);
}

inline constexpr std::array<OptionSpec, 47> kOptions = {{
    {OptionId::interface, "-i,--interface", "IF", OptionGroup::source,
     "watch this interface (any: all); may be repeated; further words are then a filter"},
    {OptionId::read, "-r,--read", "FILE", OptionGroup::source,
     "capture to read, - for standard input; may be repeated; further words are then a filter"},
    {OptionId::filter, "-f,--filter", "EXPR", OptionGroup::source,
     "only packets that match (pcap-filter(7))"},
    {OptionId::write, "-w,--write", "FILE", OptionGroup::live, "save the packets seen"},
    {OptionId::rotate_size, "-C,--rotate-size", "SIZE", OptionGroup::live,
     "start a new -w file after SIZE million bytes (or 64Ki, 10M, ...)"},
    {OptionId::rotate_files, "-W,--rotate-files", "N", OptionGroup::live,
     "with -C: keep the last N files"},
    {OptionId::snaplen, "-s,--snaplen", "N", OptionGroup::live,
     "bytes kept of each packet (192; at least 128)"},
    {OptionId::buffer, "-B,--buffer", "SIZE", OptionGroup::live,
     "memory for packets not yet read, each interface (64Mi)"},
    {OptionId::count, "-c,--count", "N", OptionGroup::live, "stop after N packets"},
    {OptionId::duration, "--duration", "TIME", OptionGroup::live,
     "stop after that: 30 (seconds), 500ms, 5m, 2h"},
    {OptionId::promiscuous, "--promiscuous", "", OptionGroup::live,
     "also packets for other hosts, where the interface sees them"},
    {OptionId::no_promiscuous, "-p,--no-promiscuous", "", OptionGroup::live,
     "only this host's packets (default)"},
    {OptionId::list_interfaces, "-D,--list-interfaces", "", OptionGroup::live,
     "interfaces that can be watched"},
    {OptionId::user, "-Z,--relinquish-privileges", "USER", OptionGroup::live,
     "become USER once the capture is open (the sudo caller, else nobody)"},
    {OptionId::no_sandbox, "--no-sandbox", "", OptionGroup::live,
     "keep system calls open that are not needed (if the sandbox is in your way)"},
    {OptionId::report, "--report", "", OptionGroup::live, "no dashboard: a report at the end"},
    {OptionId::metrics, "--metrics", "FILE", OptionGroup::live,
     "write OpenMetrics there, again at each interval"},
    {OptionId::interval, "--interval", "TIME", OptionGroup::live,
     "between lines of --jsonl and --metrics (1s)"},
    {OptionId::tui, "--tui", "", OptionGroup::output,
     "explore in the dashboard (? there: its keys)"},
    {OptionId::json, "-J,--json", "", OptionGroup::output, "one JSON document"},
    {OptionId::jsonl, "--jsonl", "", OptionGroup::output,
     "one JSON object a line: start, finding, flow_end, end"},
    {OptionId::csv, "--csv", "", OptionGroup::output, "one line a data direction"},
    {OptionId::output, "-o,--output", "FILE", OptionGroup::output,
     "write the report there instead of standard output"},
    {OptionId::top, "--top", "N", OptionGroup::output,
     "text: at most N findings, the most costly first (20; 0 = all)"},
    {OptionId::min_bytes, "--min-bytes", "N", OptionGroup::output,
     "text: leave out directions that moved less"},
    {OptionId::units, "--units", "bits|bytes", OptionGroup::output,
     "text: rates in bit/s (default) or B/s", "bits bytes"},
    {OptionId::color, "--color", "WHEN", OptionGroup::output, "auto (default), always or never",
     "auto always never"},
    {OptionId::theme, "--theme", "WHICH", OptionGroup::output,
     "dashboard: auto (default), dark or light background", "auto dark light"},
    {OptionId::glyphs, "--glyphs", "SET", OptionGroup::output,
     "dashboard: charts of braille, block or ascii characters", "braille block ascii"},
    {OptionId::names, "--names", "", OptionGroup::output,
     "dashboard: host names (asks the name server)"},
    {OptionId::numeric, "-n,--numeric", "", OptionGroup::output, "addresses as numbers (default)"},
    {OptionId::no_mouse, "--no-mouse", "", OptionGroup::output,
     "dashboard: leave the mouse to the terminal"},
    {OptionId::refresh, "--refresh", "MS", OptionGroup::output,
     "dashboard: a new picture every so many ms (500; 100 to 10000)"},
    {OptionId::ascii, "--ascii", "", OptionGroup::output, "only 7-bit characters"},
    {OptionId::target_rate, "--target-rate", "RATE", OptionGroup::diagnosis,
     "what the path should carry: 100M, 1G, 25Mi (bit/s)"},
    {OptionId::assume_wscale, "--assume-wscale", "ADDR=SHIFT", OptionGroup::diagnosis,
     "window scale of a receiver whose handshake is not in the capture"},
    {OptionId::platform, "--platform", "ADDR=ID", OptionGroup::diagnosis,
     "system of a host, where its SYN does not tell (linux, container, wsl2, ...)"},
    {OptionId::rules, "--rules", "DIR", OptionGroup::diagnosis,
     "platforms, programs and fingerprints of your own (rules/platforms/README.md)"},
    {OptionId::explain, "--explain", "[CODE]", OptionGroup::diagnosis,
     "what a word of a verdict means; without CODE: all"},
    {OptionId::fail_on, "--fail-on", "LIST", OptionGroup::diagnosis,
     "exit 10 if a verdict has one of these limits or causes (comma-separated)"},
    {OptionId::jobs, "-j,--jobs", "N", OptionGroup::general,
     "files: threads of the analysis (as many as processors); the report is the same"},
    {OptionId::quiet, "-q,--quiet", "", OptionGroup::general, "no progress, no warnings"},
    {OptionId::verbose, "-v,--verbose", "", OptionGroup::general,
     "evidence and details in the text report"},
    {OptionId::manual, "--manual", "", OptionGroup::general,
     "the manual page (rwin --manual | man -l -)"},
    {OptionId::completions, "--completions", "SHELL", OptionGroup::general,
     "what lets bash, zsh or fish complete rwin's options", "bash zsh fish"},
    {OptionId::help, "-h,--help", "", OptionGroup::general, "this text"},
    {OptionId::version, "-V,--version", "", OptionGroup::general, "name and version"},
}};

inline constexpr std::array<OptionSpec, 9> kCalcOptions = {{
    {OptionId::rate, "--rate", "RATE", OptionGroup::command,
     "payload rate, or the line's with --link: 25M, 25Mi (bit/s)"},
    {OptionId::rtt, "--rtt", "TIME", OptionGroup::command, "round-trip time: 330ms, 0.33s, 250us"},
    {OptionId::window, "--window", "BYTES", OptionGroup::command, "receive window: 65535, 64Ki"},
    {OptionId::mtu, "--mtu", "BYTES", OptionGroup::command,
     "largest packet (1500); alone: the windows that fit it"},
    {OptionId::link, "--link", "KIND", OptionGroup::command,
     "--rate is the line rate of ethernet, pppoe, ptm or atm", "ethernet pppoe ptm atm"},
    {OptionId::json, "-J,--json", "", OptionGroup::command, "one JSON document"},
    {OptionId::output, "-o,--output", "FILE", OptionGroup::command,
     "write there instead of standard output"},
    {OptionId::units, "--units", "bits|bytes", OptionGroup::command,
     "rates in bit/s (default) or B/s first", "bits bytes"},
    {OptionId::help, "-h,--help", "", OptionGroup::command, "this text"},
}};

// The text of --help, made from the tables.
std::string_view help_text();

}  // namespace rwin::app
