// Every option, once: the parser, --help and whatever documents the command line read these tables.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>

namespace rwin::app {

enum class OptionId : std::uint8_t {
  interface,
  read,
  filter,
  json,
  jsonl,
  csv,
  output,
  top,
  min_bytes,
  units,
  color,
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
  platform,
  format,
  apply,
  revert,
  yes,
  root,
};

enum class OptionGroup : std::uint8_t { source, output, diagnosis, general, command };
std::string_view group_title(OptionGroup group);

struct OptionSpec {
  OptionId id;
  std::string_view names;     // "-r,--read"
  std::string_view argument;  // "FILE"; empty: a flag; in brackets: may be left out
  OptionGroup group;
  std::string_view help;  // one line; empty: not shown
};

inline constexpr std::array<OptionSpec, 20> kOptions = {{
    {OptionId::interface, "-i,--interface", "IF", OptionGroup::source, ""},
    {OptionId::read, "-r,--read", "FILE", OptionGroup::source,
     "capture to read, - for standard input; may be repeated; further words are then a filter"},
    {OptionId::filter, "-f,--filter", "EXPR", OptionGroup::source,
     "only packets that match (pcap-filter(7))"},
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
     "text: rates in bit/s (default) or B/s"},
    {OptionId::color, "--color", "WHEN", OptionGroup::output, "auto (default), always or never"},
    {OptionId::ascii, "--ascii", "", OptionGroup::output, "only 7-bit characters"},
    {OptionId::target_rate, "--target-rate", "RATE", OptionGroup::diagnosis,
     "what the path should carry: 100M, 1G, 25Mi (bit/s)"},
    {OptionId::assume_wscale, "--assume-wscale", "ADDR=SHIFT", OptionGroup::diagnosis,
     "window scale of a receiver whose handshake is not in the capture"},
    {OptionId::explain, "--explain", "[CODE]", OptionGroup::diagnosis,
     "what a word of a verdict means; without CODE: all"},
    {OptionId::fail_on, "--fail-on", "LIST", OptionGroup::diagnosis,
     "exit 10 if a verdict has one of these limits or causes (comma-separated)"},
    {OptionId::quiet, "-q,--quiet", "", OptionGroup::general, "no progress, no warnings"},
    {OptionId::verbose, "-v,--verbose", "", OptionGroup::general,
     "evidence and details in the text report"},
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
     "--rate is the line rate of ethernet, pppoe, ptm or atm"},
    {OptionId::json, "-J,--json", "", OptionGroup::command, "one JSON document"},
    {OptionId::output, "-o,--output", "FILE", OptionGroup::command,
     "write there instead of standard output"},
    {OptionId::units, "--units", "bits|bytes", OptionGroup::command,
     "rates in bit/s (default) or B/s first"},
    {OptionId::help, "-h,--help", "", OptionGroup::command, "this text"},
}};

inline constexpr std::array<OptionSpec, 12> kTuneOptions = {{
    {OptionId::rate, "--rate", "RATE", OptionGroup::command,
     "rate to reach: payload, or the line's with --link: 50M, 25Mi (bit/s)"},
    {OptionId::rtt, "--rtt", "TIME", OptionGroup::command,
     "round trip to the farthest server that counts: 330ms, 0.33s"},
    {OptionId::link, "--link", "KIND", OptionGroup::command,
     "--rate is the line rate of ethernet, pppoe, ptm or atm"},
    {OptionId::platform, "--platform", "NAME", OptionGroup::command,
     "system to set up: macos, windows, ... (on Linux: this host); a wrong name lists them"},
    {OptionId::format, "--format", "FORM", OptionGroup::command,
     "text (default), json, sh, reg, ps1, plist or sysctl.d"},
    {OptionId::apply, "--apply", "", OptionGroup::command,
     "change this Linux host: one file in /etc/sysctl.d, set, verified, undone by --revert"},
    {OptionId::revert, "--revert", "", OptionGroup::command,
     "put back what was there before --apply"},
    {OptionId::yes, "--yes", "", OptionGroup::command, "do not ask first"},
    {OptionId::root, "--root", "DIR", OptionGroup::command,
     "the host is the tree below DIR (DIR/proc/sys, DIR/etc), not this system"},
    {OptionId::json, "-J,--json", "", OptionGroup::command, "the same as --format json"},
    {OptionId::output, "-o,--output", "FILE", OptionGroup::command,
     "write there instead of standard output"},
    {OptionId::help, "-h,--help", "", OptionGroup::command, "this text"},
}};

inline constexpr std::array<OptionSpec, 9> kCheckOptions = {{
    {OptionId::rate, "--rate", "RATE", OptionGroup::command,
     "rate to reach: payload, or the line's with --link: 50M, 25Mi (bit/s)"},
    {OptionId::rtt, "--rtt", "TIME", OptionGroup::command,
     "round trip to the farthest server that counts: 330ms, 0.33s"},
    {OptionId::link, "--link", "KIND", OptionGroup::command,
     "--rate is the line rate of ethernet, pppoe, ptm or atm"},
    {OptionId::root, "--root", "DIR", OptionGroup::command,
     "the host is the tree below DIR (DIR/proc/sys, DIR/etc), not this system"},
    {OptionId::fail_on, "--fail-on", "LIST", OptionGroup::command,
     "exit 10 if one of these findings exists (comma-separated; any: every one that limits)"},
    {OptionId::verbose, "-v,--verbose", "", OptionGroup::command, "every value that was read"},
    {OptionId::json, "-J,--json", "", OptionGroup::command, "one JSON document"},
    {OptionId::output, "-o,--output", "FILE", OptionGroup::command,
     "write there instead of standard output"},
    {OptionId::help, "-h,--help", "", OptionGroup::command, "this text"},
}};

inline constexpr std::array<OptionSpec, 8> kCompareOptions = {{
    {OptionId::filter, "-f,--filter", "EXPR", OptionGroup::command,
     "only packets that match (pcap-filter(7)), in both captures"},
    {OptionId::target_rate, "--target-rate", "RATE", OptionGroup::command,
     "what the path should carry: 100M, 1G, 25Mi (bit/s)"},
    {OptionId::top, "--top", "N", OptionGroup::command, "text: at most N pairs (20; 0 = all)"},
    {OptionId::units, "--units", "bits|bytes", OptionGroup::command,
     "text: rates in bit/s (default) or B/s"},
    {OptionId::quiet, "-q,--quiet", "", OptionGroup::command, "no progress, no warnings"},
    {OptionId::json, "-J,--json", "", OptionGroup::command, "one JSON document"},
    {OptionId::output, "-o,--output", "FILE", OptionGroup::command,
     "write there instead of standard output"},
    {OptionId::help, "-h,--help", "", OptionGroup::command, "this text"},
}};

// First words that are commands of their own, with what their --help begins with. One without
// options is not in this version.
struct CommandSpec {
  std::string_view name;
  std::string_view help;
  std::span<const OptionSpec> options;
  std::string_view examples;
};
inline constexpr std::array<CommandSpec, 5> kCommands = {{
    {"calc", "window for a rate and round trip, and back", kCalcOptions,
     "rwin calc: the arithmetic of windows\n"
     "\n"
     "  rwin calc --rate 25M --rtt 330ms         window that fills the path\n"
     "  rwin calc --window 64Ki --rtt 330ms      rate that a window allows\n"
     "  rwin calc --window 64Ki --rate 25M       round trip up to which it suffices\n"
     "  rwin calc --mtu 1492                     windows of whole segments\n"},
    {"compare", "did the fix work? two captures, before and after", kCompareOptions,
     "rwin compare: did the fix work?\n"
     "\n"
     "  rwin compare BEFORE AFTER                pairs the transfers of two captures\n"
     "  rwin compare -J before.pcap after.pcap   for a script\n"
     "\n"
     "Record both the same way at the same place; start each recording before the\n"
     "transfer, and give AFTER a new connection: old ones keep their window scale.\n"},
    {"tune", "exact settings for a line; on Linux also applied and undone", kTuneOptions,
     "rwin tune: exact settings for a line\n"
     "\n"
     "  rwin tune --rate 50M --rtt 184ms                      what this host needs\n"
     "  sudo rwin tune --rate 50M --rtt 184ms --apply         set it, keep it, verify it\n"
     "  sudo rwin tune --revert                               put everything back\n"
     "  rwin tune --rate 25M --rtt 330ms --platform macos-10.4\n"
     "  rwin tune --rate 50M --rtt 330ms --platform windows-xp --format reg\n"
     "\n"
     "Nothing is changed without --apply or --revert.\n"},
    {"check", "is this host able to fill the line?", kCheckOptions,
     "rwin check: is this host's TCP configuration able to fill the line? (Linux)\n"
     "\n"
     "  rwin check                               what it allows, what is off\n"
     "  rwin check --rate 50M --rtt 184ms        is that enough, what to change\n"
     "  rwin check -J --fail-on any              for a script: 10 where something limits\n"},
    {"run", "capture while a command runs", {}, {}},
}};

// Texts of --help, made from the tables.
std::string_view help_text();
// `name` is one of kCommands.
std::string command_help_text(std::string_view name);

}  // namespace rwin::app
