#include "app/manual.h"

#include <fmt/format.h>

#include "app/command_table.h"
#include "app/exit_code.h"
#include "app/version.h"
#include "tui/model/key.h"

namespace rwin::app {
namespace {

// Text as troff prints it unchanged: a hyphen stays the character that a shell understands.
std::string plain(std::string_view text) {
  std::string out;
  bool line_start = true;
  for (const char c : text) {
    if (line_start && (c == '.' || c == '\'')) out += "\\&";
    if (c == '\\') {
      out += "\\e";
    } else if (c == '-') {
      out += "\\-";
    } else {
      out += c;
    }
    line_start = c == '\n';
  }
  return out;
}

std::string section(std::string_view title) { return fmt::format(".SH {}\n", title); }

// Lines as they are typed.
std::string example(std::string_view text) {
  return fmt::format(".PP\n.nf\n.RS 0\n{}.RE\n.fi\n", plain(text));
}

std::string item(std::string_view tag, std::string_view text) {
  return fmt::format(".TP\n{}\n{}\n", tag, plain(text));
}

// \fB\-r\fR, \fB\-\-read\fR \fIFILE\fR
std::string option_tag(const OptionSpec& spec) {
  std::string tag;
  if (!short_name(spec).empty()) tag = fmt::format("\\fB{}\\fR, ", plain(short_name(spec)));
  tag += fmt::format("\\fB{}\\fR", plain(long_name(spec)));
  if (!spec.argument.empty()) tag += fmt::format(" \\fI{}\\fR", plain(spec.argument));
  return tag;
}

std::string options(std::span<const OptionSpec> specs, bool headings) {
  std::string out;
  const OptionSpec* previous = nullptr;
  for (const OptionSpec& spec : specs) {
    if (spec.help.empty()) continue;
    if (headings && (previous == nullptr || previous->group != spec.group))
      out += fmt::format(".SS {}\n", group_title(spec.group));
    out += item(option_tag(spec), spec.help);
    previous = &spec;
  }
  return out;
}

std::string commands() {
  std::string out = section("COMMANDS");
  out += "The first word may be a command. A file of that name is read as \\fI./NAME\\fR.\n";
  for (const CommandSpec& command : kCommands) {
    out += fmt::format(".SS rwin {}\n{}\n", command.name, plain(command.help));
    // Behind its first line, which says the same.
    const std::size_t body = command.examples.find("\n\n");
    if (body != std::string_view::npos) out += example(command.examples.substr(body + 2));
    if (command.options.data() == kOptions.data()) {
      out += ".PP\nIts options are those of a live capture.\n";
    } else {
      out += options(command.options, false);
    }
  }
  return out;
}

std::string keys() {
  std::string out = section("KEYS OF THE DASHBOARD");
  out += "The same on every screen; \\fB?\\fR shows them there.\n";
  const tui::KeySpec* previous = nullptr;
  for (const tui::KeySpec& spec : tui::key_table()) {
    if (previous == nullptr || previous->group != spec.group)
      out += fmt::format(".SS {}\n", tui::heading(spec.group));
    std::string tag;
    for (const char c : spec.keys) tag += c == ' ' ? "\\fR, \\fB" : plain(std::string(1, c));
    out += item(fmt::format("\\fB{}\\fR", tag), spec.help);
    previous = &spec;
  }
  return out;
}

std::string exit_status() {
  std::string out = section("EXIT STATUS");
  for (const ExitWord& word : kExitWords)
    out += item(fmt::format("\\fB{}\\fR", static_cast<int>(word.code)), word.meaning);
  return out + ".PP\n\\fBrwin run\\fR ends as its command did.\n";
}

std::string environment() {
  std::string out = section("ENVIRONMENT");
  out += item("\\fBNO_COLOR\\fR", "set and not empty: no colours, unless --color says so");
  out += item("\\fBTERM\\fR, \\fBLC_ALL\\fR, \\fBLC_CTYPE\\fR, \\fBLANG\\fR",
              "what the terminal can show");
  out +=
      item("\\fBRWIN_\\fIOPTION\\fR",
           "any long option, in capitals, _ for a hyphen: RWIN_TARGET_RATE=100M, RWIN_JSON=1 (0: "
           "off); for one command RWIN_TUNE_RATE=50M");
  out += item("\\fBRWIN_CONFIG\\fR", "as --config; empty: no file");
  out += item("\\fBSUDO_UID\\fR", "the user that a live capture started by sudo becomes");
  return out;
}

std::string settings() {
  std::string out = section("FILES");
  out += item("\\fI$XDG_CONFIG_HOME/rwin/config.toml\\fR",
              "settings; without that variable below ~/.config");
  out += item("\\fI/etc/rwin/config.toml\\fR",
              "settings of all users, where theirs do not say otherwise");
  out +=
      ".PP\nA key is a long option without its hyphens. The command line wins over the "
      "environment, it\n"
      "over the user's file, that over the system's. \\fBrwin \\-\\-print\\-config\\fR shows every "
      "key, its\n"
      "value and where that comes from. A file is obeyed where it belongs to the user that rwin "
      "runs\n"
      "as, or to root; as root, where nobody else can write to it. So sudo does not read the "
      "caller's\n"
      "file: name it with \\fB\\-\\-config\\fR.\n";
  return out;
}

}  // namespace

std::string manual_page() {
  std::string out = fmt::format(".TH RWIN 1 \"\" \"rwin {}\" \"User Commands\"\n", kVersion);
  out += section("NAME") + fmt::format("rwin \\- {}\n", plain(kPurpose));
  out += section("SYNOPSIS");
  out +=
      ".B rwin\n[\\fIOPTIONS\\fR] \\fIFILE\\fR...\n.br\n"
      ".B rwin \\-r\n\\fIFILE\\fR [\\fIOPTIONS\\fR] [\\fIFILTER\\fR...]\n.br\n"
      ".B rwin \\-i\n\\fIIF\\fR [\\fIOPTIONS\\fR] [\\fIFILTER\\fR...]\n";
  for (const CommandSpec& command : kCommands)
    out += fmt::format(".br\n.B rwin {}\n[\\fIOPTIONS\\fR]{}\n", command.name,
                       command.name == "run"       ? " \\fB\\-\\-\\fR \\fICOMMAND\\fR..."
                       : command.name == "compare" ? " \\fIBEFORE AFTER\\fR"
                                                   : "");
  out += section("DESCRIPTION");
  out +=
      "\\fBrwin\\fR watches TCP, live on an interface or in saved captures, finds what limits\n"
      "each transfer, above all a receive window that is too small for rate and round trip, and\n"
      "prints the exact change for the host that has to be changed: look, change, persist, undo,\n"
      "with the rate to expect. Where the window is not the limit it says what is.\n";
  out += example(kExamples);
  out +=
      ".PP\nWithout \\fB\\-i\\fR and \\fB\\-r\\fR words are files (filter with \\fB\\-f\\fR); with "
      "either they are words of\na filter as in pcap\\-filter(7). Rates are bit/s: k M G = "
      "1000^n, Ki Mi Gi = 1024^n.\n";
  out += section("OPTIONS") + options(kOptions, true);
  out += commands() + keys() + exit_status() + environment() + settings();
  out += section("SEE ALSO");
  out += ".BR tcpdump (8),\n.BR pcap\\-filter (7),\n.BR ss (8),\n.BR tcp (7)\n";
  return out;
}

}  // namespace rwin::app
