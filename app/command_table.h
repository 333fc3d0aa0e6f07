// The commands (first words of their own) and their options, for the parser and their --help.
#pragma once

#include <array>
#include <span>
#include <string>
#include <string_view>

#include "app/option_table.h"

namespace rwin::app {

inline constexpr std::array<OptionSpec, 13> kTuneOptions = {{
    {OptionId::rate, "--rate", "RATE", OptionGroup::command,
     "rate to reach: payload, or the line's with --link: 50M, 25Mi (bit/s)"},
    {OptionId::rtt, "--rtt", "TIME", OptionGroup::command,
     "round trip to the farthest server that counts: 330ms, 0.33s"},
    {OptionId::link, "--link", "KIND", OptionGroup::command,
     "--rate is the line rate of ethernet, pppoe, ptm or atm", "ethernet pppoe ptm atm"},
    {OptionId::platform, "--platform", "NAME", OptionGroup::command,
     "system to set up: macos, windows-11, ubuntu, ... (on Linux: this host); a wrong name lists "
     "them"},
    {OptionId::rules, "--rules", "DIR", OptionGroup::command,
     "platforms of your own (rules/platforms/README.md)"},
    {OptionId::format, "--format", "FORM", OptionGroup::command,
     "text (default), json, sh, reg, ps1, plist or sysctl.d",
     "text json sh reg ps1 plist sysctl.d"},
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

inline constexpr std::array<OptionSpec, 10> kCheckOptions = {{
    {OptionId::rate, "--rate", "RATE", OptionGroup::command,
     "rate to reach: payload, or the line's with --link: 50M, 25Mi (bit/s)"},
    {OptionId::rtt, "--rtt", "TIME", OptionGroup::command,
     "round trip to the farthest server that counts: 330ms, 0.33s"},
    {OptionId::link, "--link", "KIND", OptionGroup::command,
     "--rate is the line rate of ethernet, pppoe, ptm or atm", "ethernet pppoe ptm atm"},
    {OptionId::rules, "--rules", "DIR", OptionGroup::command,
     "platforms of your own (rules/platforms/README.md)"},
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

inline constexpr std::array<OptionSpec, 10> kCompareOptions = {{
    {OptionId::filter, "-f,--filter", "EXPR", OptionGroup::command,
     "only packets that match (pcap-filter(7)), in both captures"},
    {OptionId::target_rate, "--target-rate", "RATE", OptionGroup::command,
     "what the path should carry: 100M, 1G, 25Mi (bit/s)"},
    {OptionId::rules, "--rules", "DIR", OptionGroup::command,
     "platforms, programs, fingerprints of your own (rules/platforms/README.md)"},
    {OptionId::html, "--html", "FILE", OptionGroup::command,
     "write a page with both pictures of each pair there as well"},
    {OptionId::top, "--top", "N", OptionGroup::command,
     "text and pages: at most N pairs (20; 0 = all)"},
    {OptionId::units, "--units", "bits|bytes", OptionGroup::command,
     "text: rates in bit/s (default) or B/s", "bits bytes"},
    {OptionId::quiet, "-q,--quiet", "", OptionGroup::command, "no progress, no warnings"},
    {OptionId::json, "-J,--json", "", OptionGroup::command, "one JSON document"},
    {OptionId::output, "-o,--output", "FILE", OptionGroup::command,
     "write there instead of standard output"},
    {OptionId::help, "-h,--help", "", OptionGroup::command, "this text"},
}};

// First words that are commands of their own, with what their --help begins with.
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
    {"tune", "exact settings for a line, also applied and undone", kTuneOptions,
     "rwin tune: exact settings for a line\n"
     "\n"
     "  rwin tune --rate 50M --rtt 184ms                      what this host needs\n"
     "  sudo rwin tune --rate 50M --rtt 184ms --apply         set, keep, verify it\n"
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
     "  rwin check -J --fail-on any              for a script: 10 if anything limits\n"},
    {"run", "capture while a command runs, then diagnose it", kOptions,
     "rwin run: capture while a command runs, then diagnose its transfers\n"
     "\n"
     "  sudo rwin run -- curl -O URL             the command runs as you, not as root\n"
     "  sudo rwin run -i eth0 -- scp FILE HOST:  on one interface (default: all)\n"
     "  sudo rwin run -J -o r.json -- COMMAND    for a script\n"
     "\n"
     "The report goes to standard error, the exit status is the command's.\n"},
}};

// What --help and the manual page begin with.
inline constexpr std::string_view kPurpose =
    "what limits a TCP transfer, and the exact change that lifts the limit";
inline constexpr std::string_view kExamples =
    "  sudo rwin -i eth0                   watch an interface\n"
    "  sudo rwin -i eth0 port 443          only some of its traffic\n"
    "  sudo rwin run -- curl -O URL        what limits this command\n"
    "  rwin FILE...                        report on captures (also pcapng, .gz ...)\n"
    "  rwin -r FILE host 192.0.2.1         the same, filter words follow\n"
    "  ssh gw tcpdump -w - tcp | rwin -    from a pipe\n"
    "  rwin FILE -J | jq .connections      for a script\n"
    "  rwin calc --rate 25M --rtt 330ms    window for a rate and round-trip time\n"
    "  rwin tune --rate 25M --rtt 330ms    exact settings for a line\n";

// The text of `rwin NAME --help`; `name` is one of kCommands.
std::string command_help_text(std::string_view name);

}  // namespace rwin::app
