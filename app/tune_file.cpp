// The forms of `rwin tune` that are files: a shell script, registry, PowerShell, LaunchDaemon,
// sysctl.
#include <fmt/format.h>

#include <algorithm>
#include <iterator>

#include "app/tune.h"
#include "text/shell.h"

namespace rwin::app {
namespace {

using rules::Persist;
using rules::TunePlan;

std::string_view name_of(TuneFormat format) {
  switch (format) {
    case TuneFormat::text:
      return "text";
    case TuneFormat::json:
      return "json";
    case TuneFormat::sh:
      return "sh";
    case TuneFormat::reg:
      return "reg";
    case TuneFormat::ps1:
      return "ps1";
    case TuneFormat::plist:
      return "plist";
    case TuneFormat::sysctl_d:
      return "sysctl.d";
  }
  return {};
}

// What the platform's settings can be written as, beside text and json.
std::vector<TuneFormat> forms_of(const TunePlan& plan) {
  std::vector<TuneFormat> forms;
  if (!plan.tunable) return forms;
  const bool windows = !plan.registry.empty() || !plan.powershell.empty();
  // Commands that are not settings may be for any kind of console.
  if (!windows && !plan.sysctl.empty()) forms.push_back(TuneFormat::sh);
  if (!plan.registry.empty()) forms.push_back(TuneFormat::reg);
  if (!plan.powershell.empty()) forms.push_back(TuneFormat::ps1);
  if (plan.persist == Persist::launchd) forms.push_back(TuneFormat::plist);
  if (!plan.sysctl.empty() &&
      (plan.persist == Persist::sysctl_d || plan.persist == Persist::sysctl_conf))
    forms.push_back(TuneFormat::sysctl_d);
  return forms;
}

class Text {
 public:
  explicit Text(std::string_view line_end = "\n") : end_(line_end) {}
  template <class... Args>
  void line(fmt::format_string<Args...> form, Args&&... args) {
    text_ += fmt::format(form, std::forward<Args>(args)...);
    text_ += end_;
  }
  void raw(std::string_view text) { text_ += text; }
  std::string take() { return std::move(text_); }

 private:
  std::string_view end_;
  std::string text_;
};

std::string sysctl_file(const TunePlan& plan, const std::string& command) {
  const bool folder = plan.persist == Persist::sysctl_d;
  Text text;
  text.line("# {} ({})", command, plan.title);
  text.line("# {}", folder ? "Save as /etc/sysctl.d/90-rwin.conf, then: sudo sysctl --system"
                           : "Lines for /etc/sysctl.conf, in place of older ones with these names; "
                             "read at start");
  for (const rules::SysctlSetting& s : plan.sysctl)
    text.line("{}{}{}", s.key, folder ? " = " : "=", s.value);
  return text.take();
}

std::string registry_file(const TunePlan& plan, const std::string& command) {
  Text text("\r\n");
  text.line("Windows Registry Editor Version 5.00");
  text.line("");
  text.line("; {} ({})", command, plan.title);
  text.line("; Export the keys first: regedit, File, Export. Takes effect {}.", plan.takes_effect);
  std::string_view path;
  for (const rules::RegistryValue& v : plan.registry) {
    if (path != v.path) {
      const std::string whole =
          v.path.starts_with("HKLM\\") ? "HKEY_LOCAL_MACHINE" + v.path.substr(4) : v.path;
      text.line("");
      text.line("[{}]", whole);
    }
    path = v.path;
    text.line("\"{}\"=dword:{:08x}", v.name, v.value);
  }
  return text.take();
}

std::string powershell_file(const TunePlan& plan, const std::string& command) {
  Text text("\r\n");
  text.line("# {} ({})", command, plan.title);
  text.line("#Requires -RunAsAdministrator");
  text.line("$ErrorActionPreference = 'Stop'");
  text.line("# What is set now: keep this output to go back.");
  for (const std::string& line : plan.look) text.line("{}", line);
  for (const std::string& line : plan.powershell) text.line("{}", line);
  text.line("# What is set after it:");
  for (const std::string& line : plan.look) text.line("{}", line);
  return text.take();
}

std::string xml(std::string_view text) {
  std::string out;
  for (const char c : text) {
    if (c == '&') {
      out += "&amp;";
    } else if (c == '<') {
      out += "&lt;";
    } else if (c == '>') {
      out += "&gt;";
    } else {
      out += c;
    }
  }
  return out;
}

std::string plist_head() {
  Text text;
  text.line("<?xml version=\"1.0\" encoding=\"UTF-8\"?>");
  text.line(
      "<!DOCTYPE plist PUBLIC \"-//Apple//DTD PLIST 1.0//EN\" "
      "\"http://www.apple.com/DTDs/PropertyList-1.0.dtd\">");
  text.line("<plist version=\"1.0\">");
  text.line("<dict>");
  text.line("  <key>Label</key>");
  text.line("  <string>local.tcp-window</string>");
  text.line("  <key>ProgramArguments</key>");
  text.line("  <array>");
  text.line("    <string>/usr/sbin/sysctl</string>");
  text.line("    <string>-w</string>");
  return text.take();
}

constexpr std::string_view kPlistTail = R"(  </array>
  <key>RunAtLoad</key>
  <true/>
</dict>
</plist>
)";

std::string plist_file(const TunePlan& plan, const std::string& command) {
  // "--" may not stand in a comment of XML.
  std::string comment = xml(command);
  for (std::size_t at = 0; (at = comment.find("--", at)) != std::string::npos;)
    comment.replace(at, 2, "- -");
  Text text;
  text.raw(plist_head());
  for (const rules::SysctlSetting& s : plan.sysctl)
    text.line("    <string>{}</string>", xml(s.key + "=" + s.value));
  text.raw(kPlistTail);
  text.line("<!-- {} ({}) -->", comment, xml(plan.title));
  return text.take();
}

// POSIX shell. Raises a value unless it is as large already (compares the last number), reads it
// back, collects what is to be kept and what undoes it.
constexpr std::string_view kRaise = R"(set -eu
undo=
kept=
raise() {
  old=$(sysctl -n "$1" | tr '\t' ' ')
  if [ "${old##*[!0-9]}" -ge "${2##*[!0-9]}" ]; then
    echo "$1 is $old: enough"
    return
  fi
  sysctl -w "$1=$2" >/dev/null
  new=$(sysctl -n "$1" | tr '\t' ' ')
  if [ "$new" != "$2" ]; then
    echo "$1 reads $new after $2 was written; what was changed so far is undone by:$undo" >&2
    exit 1
  fi
  echo "$1: $old -> $new"
  kept="$kept$1=$2
"
  undo="
  sysctl -w \"$1=$old\"$undo"
}
)";

// Only what was raised is kept, so that the next start lowers nothing.
void persist_script(const TunePlan& plan, Text& text) {
  switch (plan.persist) {
    case Persist::sysctl_d:
      text.line("printf '%s' \"$kept\" >/etc/sysctl.d/90-rwin.conf");
      text.line("undo=\"$undo");
      text.line("  rm /etc/sysctl.d/90-rwin.conf\"");
      break;
    case Persist::sysctl_conf:
      // Older lines with these names go; a copy of the file stays beside it.
      text.line("touch /etc/sysctl.conf");
      text.line("cp -p /etc/sysctl.conf /etc/sysctl.conf.before-rwin");
      text.line("{{");
      text.raw("  grep -v");
      for (const rules::SysctlSetting& s : plan.sysctl)
        text.raw(fmt::format(" -e '^{} *='", s.key));
      text.line(" /etc/sysctl.conf.before-rwin || :");
      text.line("  printf '%s' \"$kept\"");
      text.line("}} >/etc/sysctl.conf");
      text.line("undo=\"$undo");
      text.line("  mv /etc/sysctl.conf.before-rwin /etc/sysctl.conf\"");
      break;
    case Persist::launchd:
      text.line("plist=/Library/LaunchDaemons/local.tcp-window.plist");
      text.line("cat >\"$plist\" <<RWIN");
      text.raw(plist_head());
      text.line("$(printf '%s' \"$kept\" | sed 's/.*/    <string>&<\\/string>/')");
      text.raw(kPlistTail);
      text.line("RWIN");
      text.line("chmod 644 \"$plist\"");
      text.line("launchctl bootstrap system \"$plist\"");
      text.line("undo=\"$undo");
      text.line("  launchctl bootout system/local.tcp-window");
      text.line("  rm $plist\"");
      break;
    case Persist::itself:
      break;
  }
}

std::string shell_file(const TunePlan& plan, const std::string& command) {
  Text text;
  text.line("#!/bin/sh");
  text.line("# {} ({})", command, plan.title);
  text.line("# Run as root. Values are only raised; what goes back is printed at the end.");
  text.line("# Takes effect {}.", plan.takes_effect);
  text.raw(kRaise);
  text.line("");
  for (const rules::SysctlSetting& s : plan.sysctl)
    text.line("raise {} {}", s.key, shell_quoted(s.value));
  text.line("if [ -z \"$kept\" ]; then");
  text.line("  echo 'Nothing to change.'");
  text.line("  exit 0");
  text.line("fi");
  persist_script(plan, text);
  text.line("echo \"Undo, as root:$undo\"");
  return text.take();
}

}  // namespace

std::variant<std::string, Failure> tune_file(const TunePlan& plan, TuneFormat format,
                                             const std::string& command) {
  const auto forms = forms_of(plan);
  if (std::find(forms.begin(), forms.end(), format) == forms.end()) {
    std::vector<std::string_view> names = {"text", "json"};
    for (const TuneFormat form : forms) names.push_back(name_of(form));
    return Failure{ExitCode::usage,
                   fmt::format("--format {}: {} has nothing that goes into this form",
                               name_of(format), plan.title),
                   fmt::format("use {}", fmt::join(names, ", ")),
                   {},
                   -1};
  }
  // These forms would set values that may be lower than what is there.
  if (plan.enough_untouched && (format == TuneFormat::plist || format == TuneFormat::sysctl_d)) {
    return Failure{ExitCode::usage,
                   fmt::format("{} reaches a window of {} by itself: there is nothing to set",
                               plan.title, bytes_text(plan.default_window)),
                   "--format sh raises what somebody lowered",
                   {},
                   -1};
  }
  switch (format) {
    case TuneFormat::sh:
      return shell_file(plan, command);
    case TuneFormat::reg:
      return registry_file(plan, command);
    case TuneFormat::ps1:
      return powershell_file(plan, command);
    case TuneFormat::plist:
      return plist_file(plan, command);
    case TuneFormat::sysctl_d:
      return sysctl_file(plan, command);
    case TuneFormat::text:
    case TuneFormat::json:
      break;
  }
  return std::string();
}

}  // namespace rwin::app
