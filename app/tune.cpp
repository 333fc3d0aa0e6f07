#include "app/tune.h"

#include <fmt/format.h>

#include <algorithm>

#include "app/host_facts.h"
#include "app/json_fields.h"
#include "app/option_words.h"
#include "app/page.h"
#include "rules/platform.h"
#include "text/text.h"

namespace rwin::app {
namespace {

Failure unknown_platform(const std::string& name) {
  return usage_failure(
      fmt::format("--platform {}: no such system", name),
      fmt::format("use one of {}", fmt::join(rules::Catalogue::built_in().platform_words(), ", ")));
}

// A key of the registry as reg.exe takes it: in quotes where it has blanks.
std::string quoted_key(const std::string& path) {
  return path.find(' ') == std::string::npos ? path : "\"" + path + "\"";
}

// "   change    sysctl ...": commands stay whole, comments wrap.
void print_commands(Page& page, std::string_view label, const std::vector<std::string>& lines) {
  for (const std::string& line : lines) {
    if (line.starts_with("# ")) {
      for (const std::string& part : wrap(line.substr(2), page.field_width() - 2)) {
        page.raw(fmt::format("   {:<10}# {}\n", label, escape_terminal(part, page.style().ascii)));
        label = "";
      }
      continue;
    }
    page.raw(fmt::format("   {:<10}{}\n", label, escape_terminal(line, page.style().ascii)));
    label = "";
  }
}

bool several(const std::string& value) { return value.find(' ') != std::string::npos; }

std::string sysctl_w(const rules::SysctlSetting& s) {
  return fmt::format("sudo sysctl -w {}={}", s.key,
                     several(s.value) ? '"' + s.value + '"' : s.value);
}

std::string old_value(const rules::SysctlSetting& s) {
  const std::string form =
      several(s.value) ? "\"<the values from the look step>\"" : "<the value from the look step>";
  return fmt::format("sudo sysctl -w {}={}", s.key, form);
}

// Commands that follow from settings that are not commands themselves.
struct Steps {
  std::vector<std::string> look, change, persist, undo;
};

void sysctl_steps(const rules::TunePlan& plan, const std::string& command, Steps& steps) {
  std::string look = "sysctl";
  for (const rules::SysctlSetting& s : plan.sysctl) {
    look += " " + s.key;
    steps.change.push_back(sysctl_w(s));
  }
  steps.look.push_back(look);
  for (auto s = plan.sysctl.rbegin(); s != plan.sysctl.rend(); ++s)
    steps.undo.push_back(old_value(*s));
  switch (plan.persist) {
    case rules::Persist::sysctl_d:
      steps.persist.emplace_back(
          "# The file /etc/sysctl.d/90-rwin.conf gets these lines (--format sysctl.d):");
      steps.undo.emplace_back("sudo rm -f /etc/sysctl.d/90-rwin.conf");
      break;
    case rules::Persist::sysctl_conf:
      steps.persist.emplace_back(
          "# /etc/sysctl.conf gets these lines (--format sysctl.d), in place of older ones with "
          "these names:");
      steps.undo.emplace_back("# and take the lines out of /etc/sysctl.conf");
      break;
    case rules::Persist::launchd:
      steps.persist = {
          command + " --format plist > local.tcp-window.plist",
          "sudo install -o root -g wheel -m 644 local.tcp-window.plist /Library/LaunchDaemons/",
          "sudo launchctl bootstrap system /Library/LaunchDaemons/local.tcp-window.plist"};
      steps.undo.insert(steps.undo.begin(),
                        {"sudo launchctl bootout system/local.tcp-window",
                         "sudo rm -f /Library/LaunchDaemons/local.tcp-window.plist"});
      return;
    case rules::Persist::itself:
      return;
  }
  const bool blanks = plan.persist == rules::Persist::sysctl_d;
  for (const rules::SysctlSetting& s : plan.sysctl)
    steps.persist.push_back(fmt::format("{}{}{}", s.key, blanks ? " = " : "=", s.value));
}

void registry_steps(const rules::TunePlan& plan, Steps& steps) {
  for (const rules::RegistryValue& v : plan.registry) {
    steps.look.push_back(fmt::format("reg query {} /v {}", quoted_key(v.path), v.name));
    steps.change.push_back(
        fmt::format("reg add {} /v {} /t REG_DWORD /d {} /f", quoted_key(v.path), v.name, v.value));
  }
  steps.undo.emplace_back(
      "# A value that the look step showed: put it back with reg add. One that it did not show:");
  for (auto v = plan.registry.rbegin(); v != plan.registry.rend(); ++v)
    steps.undo.push_back(fmt::format("reg delete {} /v {} /f", quoted_key(v->path), v->name));
}

void append(std::vector<std::string>& to, const std::vector<std::string>& from) {
  to.insert(to.end(), from.begin(), from.end());
}

Steps steps_of(const rules::TunePlan& plan, const std::string& command) {
  Steps steps;
  if (!plan.sysctl.empty()) sysctl_steps(plan, command, steps);
  if (!plan.registry.empty()) registry_steps(plan, steps);
  append(steps.look, plan.look);
  append(steps.change, plan.commands);
  append(steps.persist, plan.persist_lines);
  append(steps.undo, plan.undo);
  return steps;
}

void print_line(Page& page, const rules::TunePlan& plan) {
  const rules::LineNeed& need = plan.need;
  page.field("line", fmt::format("{} of payload, round trip {}",
                                 rate_text(need.payload_bps, Units::bits), time_text(need.rtt_us)));
  page.field("window",
             fmt::format("{} needed; rounded up to {} (whole segments of {}, window scale {})",
                         bytes_text(need.exact_bytes), bytes_text(need.window_bytes), need.mss,
                         need.shift));
}

void print_untouched(Page& page, const rules::TunePlan& plan) {
  if (plan.default_window == 0) return;
  const double now = rules::window_rate(plan.default_window, plan.need.rtt_us);
  if (plan.enough_untouched) {
    page.field("untouched",
               fmt::format("such a system reaches a window of {} by itself: there is nothing to "
                           "change",
                           bytes_text(plan.default_window)));
  } else {
    page.field("untouched",
               fmt::format("such a system reaches a window of {}: {} at most",
                           bytes_text(plan.default_window), rate_text(now, Units::bits)));
  }
}

void write_lines(JsonWriter& json, std::string_view key, const std::vector<std::string>& lines) {
  json.key(key);
  json.begin_array();
  for (const std::string& line : lines) json.value(line);
  json.end_array();
}

void write_line(JsonWriter& json, const rules::LineNeed& need) {
  json.key("line");
  json.begin_object();
  json.rounded_field("payload_bps", need.payload_bps);
  json.field("rtt_us", need.rtt_us);
  json.field("mss_bytes", need.mss);
  json.field("needed_window_bytes", need.exact_bytes);
  json.field("rounded_window_bytes", need.window_bytes);
  json.field("window_scale_shift", need.shift);
  json.end_object();
}

}  // namespace

std::string tune_text(const rules::TunePlan& plan, const std::string& command, const Style& style) {
  Page page(style);
  page.heading(Paint::strong, "rwin tune", "  " + plan.title, plan.platform);
  print_line(page, plan);
  if (!plan.tunable) {
    page.field("answer", "nobody can tune this system: its window stays as it is.");
    if (plan.connections)
      page.field("instead", fmt::format("{} connections side by side fill the line with windows of "
                                        "{} each; or a proxy close by, or a nearer server",
                                        *plan.connections, bytes_text(plan.window)));
    return page.take();
  }
  print_untouched(page, plan);
  for (const std::string& note : plan.notes) page.field("note", note);
  const Steps steps = steps_of(plan, command);
  print_commands(page, "look", steps.look);
  if (plan.enough_untouched && !plan.sysctl.empty()) {
    print_commands(page, "change",
                   {"# nothing, unless somebody lowered a value; '" + command +
                    " --format sh' raises only what is lower"});
    return page.take();
  }
  print_commands(page, "change", steps.change);
  print_commands(page, "persist", steps.persist);
  if (!plan.registry.empty()) page.field("persist", "the registry keeps the values");
  print_commands(page, "undo", steps.undo);
  if (!plan.takes_effect.empty()) page.field("effect", plan.takes_effect);
  for (const std::string& warning : plan.warnings) page.field("careful", warning);
  if (plan.connections) {
    page.field("parallel", fmt::format("one connection cannot fill the line here: {} side by side",
                                       *plan.connections));
  }
  page.field("gain",
             fmt::format("one connection reaches up to {} at {}",
                         rate_text(plan.expected_bps, Units::bits), time_text(plan.need.rtt_us)));
  page.field("unproven",
             "that the line carries the rate, and that no program fixes its own buffer");
  return page.take();
}

std::string tune_json(const rules::TunePlan& plan, const rules::HostPlan* host,
                      const std::string& done) {
  std::string out;
  JsonWriter json(out);
  json.begin_object();
  json.field("schema", kSchema);
  write_tool(json);
  json.key("tune");
  json.begin_object();
  json.text_or_null("platform", plan.platform);
  json.text_or_null("title", plan.title);
  json.field("tunable", plan.tunable);
  write_line(json, plan.need);
  if (host == nullptr && plan.default_window > 0) {
    json.field("untouched_window_bytes", plan.default_window);
    json.field("enough_untouched", plan.enough_untouched);
  } else {
    json.null_field("untouched_window_bytes");
    json.null_field("enough_untouched");
  }
  json.field("window_bytes", plan.window);
  json.field("buffer_bytes", plan.buffer);
  json.field("cap_bytes", plan.cap);
  json.field("connections", plan.connections);
  json.rounded_field("expected_bps", plan.expected_bps);
  json.key("settings");
  json.begin_array();
  for (std::size_t i = 0; i < plan.sysctl.size(); ++i) {
    json.begin_object();
    json.field("key", plan.sysctl[i].key);
    json.field("value", plan.sysctl[i].value);
    if (host != nullptr) {
      json.text_or_null("now", host->knobs[i].now);
      json.field("state", rules::word(host->knobs[i].state));
    }
    json.end_object();
  }
  json.end_array();
  json.key("registry");
  json.begin_array();
  for (const rules::RegistryValue& v : plan.registry) {
    json.begin_object();
    json.field("path", v.path);
    json.field("name", v.name);
    json.field("value", v.value);
    json.end_object();
  }
  json.end_array();
  const Steps steps = steps_of(plan, "rwin tune");
  write_lines(json, "look", steps.look);
  write_lines(json, "change", steps.change);
  write_lines(json, "persist", steps.persist);
  write_lines(json, "undo", steps.undo);
  write_lines(json, "powershell", plan.powershell);
  json.text_or_null("takes_effect", plan.takes_effect);
  std::vector<std::string> notes = plan.notes;
  if (host != nullptr) append(notes, host->notes);
  write_lines(json, "notes", notes);
  write_lines(json, "warnings", plan.warnings);
  json.text_or_null("done", done);
  json.end_object();
  write_error(json, nullptr);
  json.end_object();
  return out + '\n';
}

CommandAnswer tune(const Options& options, const Style& style) {
  const TuneOptions& t = options.tune;
  if (t.platform.empty()) {
    if (host_readable() || !t.root.empty()) return tune_host(options, style);
    return usage_failure("which system is to be set up?",
                         "add --platform NAME; a wrong name lists them");
  }
  if (!t.root.empty())
    return usage_failure("--root stands for this host: it goes with no --platform",
                         "leave one of them out");
  const rules::LineNeed need = rules::line_need({*t.line.rate_bps, *t.line.rtt_us, t.line.link});
  const auto plan = rules::plan_for(rules::Catalogue::built_in(), t.platform, need);
  if (!plan) return unknown_platform(t.platform);
  if (t.format == TuneFormat::text) return CommandResult{tune_text(*plan, t.command, style)};
  if (t.format == TuneFormat::json) return CommandResult{tune_json(*plan, nullptr, "")};
  auto file = tune_file(*plan, t.format, t.command);
  if (auto* failure = std::get_if<Failure>(&file)) return std::move(*failure);
  return CommandResult{std::move(std::get<std::string>(file))};
}

}  // namespace rwin::app
