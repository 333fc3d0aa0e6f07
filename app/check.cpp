#include "app/check.h"

#include <fmt/format.h>

#include <algorithm>

#include "app/host_facts.h"
#include "app/json_fields.h"
#include "app/page.h"
#include "rules/host_check.h"
#include "rules/platform.h"
#include "text/text.h"

namespace rwin::app {
namespace {

using rules::HostCheck;
using rules::HostFacts;
using rules::Severity;

std::string host_name(const HostFacts& host) {
  std::string name = host.release.empty() ? std::string("Linux") : "Linux " + host.release;
  if (host.own_namespace) name += ", a network namespace of its own";
  return name;
}

// One sentence: the answer.
std::string answer_text(const HostCheck& c) {
  if (!c.largest_window) return "The largest window is not known: tcp_rmem cannot be read.";
  const std::string window = bytes_text(*c.largest_window);
  if (!c.need) {
    return c.limits() ? "Something keeps windows small; see below."
                      : "Nothing here keeps windows small.";
  }
  const std::string rate = rate_text(c.need->payload_bps, Units::bits);
  const std::string rtt = time_text(c.need->rtt_us);
  if (!*c.enough) {
    return fmt::format(
        "Not enough for {} at {}: that needs a window of {}, this host reaches {}, "
        "which is {}.",
        rate, rtt, bytes_text(c.need->exact_bytes), window,
        rate_text(rules::window_rate(*c.largest_window, c.need->rtt_us), Units::bits));
  }
  if (c.limits())
    return fmt::format("The system is set up for {} at {}, but not everything here is; see below.",
                       rate, rtt);
  return fmt::format("Enough for {} at {}: that needs a window of {}, this host reaches {}.", rate,
                     rtt, bytes_text(c.need->exact_bytes), window);
}

Paint paint_of(Severity severity) {
  switch (severity) {
    case Severity::limits:
      return Paint::limited;
    case Severity::odd:
      return Paint::warn;
    case Severity::note:
      return Paint::plain;
  }
  return Paint::plain;
}

void print_figures(Page& page, const HostCheck& c) {
  if (c.largest_window) {
    const std::string share =
        c.share_measured
            ? "about half of the buffer, more where packets are large: the kernel measures it"
            : fmt::format("{:.0f} % of the buffer", c.share * 100);
    page.field("window", fmt::format("{} at most, {} at first; {}", bytes_text(*c.largest_window),
                                     bytes_text(c.start_window.value_or(0)), share));
  }
  page.field("scale", c.shift > 0 ? fmt::format("new connections offer shift {}", c.shift)
                                  : std::string("not offered, or 0: at most 65 535 B"));
  if (c.fixed_window)
    page.field("programs", fmt::format("that set their own buffer (SO_RCVBUF) get {} at most",
                                       bytes_text(*c.fixed_window)));
  if (c.full_buffers)
    page.field("memory", fmt::format("{} connections with full buffers, then windows stop growing "
                                     "(tcp_mem, for the whole host)",
                                     grouped(*c.full_buffers)));
  std::vector<std::string> rates;
  for (const rules::RateAtRtt& one : c.rates)
    rates.push_back(fmt::format("{} {}", time_text(one.rtt_us), rate_text(one.bps, Units::bits)));
  if (!rates.empty()) page.entries("rate by RTT", rates, 16);
}

void print_findings(Page& page, const HostCheck& c) {
  for (const rules::HostFinding& finding : c.findings) {
    page.blank();
    page.heading(paint_of(finding.severity), finding.code, "", rules::word(finding.severity));
    page.paragraph("   " + finding.text, kLabelIndent);
    for (const std::string& line : finding.change)
      page.command(&line == finding.change.data() ? "change" : "", line);
  }
}

std::string check_text(const HostFacts& host, const HostCheck& c, const Options& options,
                       const Style& style) {
  Page page(style);
  page.heading(Paint::strong, "rwin check", "  " + host_name(host), "");
  page.blank();
  page.paragraph(answer_text(c));
  page.blank();
  print_figures(page, c);
  print_findings(page, c);
  if (host.sockets) {
    std::string text = fmt::format("{} looked at", host.sockets->size());
    if (c.sockets_unknown > 0)
      text += fmt::format(
          "; {} of them cannot be asked whether a program fixed their buffer (another user's: run "
          "as "
          "root; another container's)",
          c.sockets_unknown);
    page.blank();
    page.field("sockets", text);
  }
  std::vector<std::string> left_out;
  if (!host.routes) left_out.emplace_back("routes");
  if (!host.sockets) left_out.emplace_back("sockets");
  if (!left_out.empty()) {
    page.blank();
    page.field("not read", fmt::format("{}", fmt::join(left_out, ", ")));
  }
  if (options.verbose) {
    page.blank();
    for (const rules::Knob& knob : rules::linux_knobs()) {
      const auto value = host.text(knob.name);
      const std::string shown =
          value ? rules::one_blank(*value)
                : std::string(host.host_only(knob.name) ? "(belongs to the host)" : "(not there)");
      page.raw(escape_terminal(fmt::format("   {:<41} {:<28} {}", knob.name, shown, knob.meaning),
                               style.ascii) +
               "\n");
    }
  }
  if (options.check.line.rate_bps && c.enough && !*c.enough) {
    page.blank();
    page.field("next", fmt::format("rwin tune with the same --rate and --rtt shows all settings"));
  }
  return page.take();
}

void write_facts(JsonWriter& json, const HostFacts& host) {
  json.key("settings");
  json.begin_object();
  for (const rules::Knob& knob : rules::linux_knobs()) {
    const auto value = host.text(knob.name);
    json.field(knob.name, value ? std::optional(rules::one_blank(*value)) : std::nullopt);
  }
  json.end_object();
}

std::string check_json(const HostFacts& host, const HostCheck& c) {
  std::string out;
  JsonWriter json(out);
  json.begin_object();
  json.field("schema", kSchema);
  write_tool(json);
  json.key("check");
  json.begin_object();
  json.text_or_null("release", host.release);
  json.field("own_network_namespace", host.own_namespace);
  json.field("window_share", c.share);
  json.field("window_share_measured", c.share_measured);
  json.field("start_window_bytes", c.start_window);
  json.field("largest_window_bytes", c.largest_window);
  json.field("fixed_buffer_window_bytes", c.fixed_window);
  json.field("full_buffers", c.full_buffers);
  json.field("window_scale_shift", c.shift);
  json.field("needed_window_bytes",
             c.need ? std::optional(c.need->exact_bytes) : std::optional<std::uint64_t>());
  json.rounded_field("target_bps",
                     c.need ? std::optional(c.need->payload_bps) : std::optional<double>());
  json.field("enough", c.enough);
  json.key("rates");
  json.begin_array();
  for (const rules::RateAtRtt& one : c.rates) {
    json.begin_object();
    json.field("rtt_us", one.rtt_us);
    json.rounded_field("rate_bps", one.bps);
    json.end_object();
  }
  json.end_array();
  json.key("findings");
  json.begin_array();
  for (const rules::HostFinding& finding : c.findings) {
    json.begin_object();
    json.field("code", finding.code);
    json.field("severity", rules::word(finding.severity));
    json.field("text", finding.text);
    json.key("change");
    json.begin_array();
    for (const std::string& line : finding.change) json.value(line);
    json.end_array();
    json.end_object();
  }
  json.end_array();
  write_facts(json, host);
  json.field("routes_read", host.routes.has_value());
  json.field("sockets_read", host.sockets.has_value());
  json.field("sockets_unknown", c.sockets_unknown);
  json.end_object();
  write_error(json, nullptr);
  json.end_object();
  return out + '\n';
}

bool matches(const HostCheck& c, const std::vector<std::string>& words) {
  return std::any_of(words.begin(), words.end(), [&](const std::string& word) {
    if (word == "any") return c.limits() || (c.enough && !*c.enough);
    return std::any_of(c.findings.begin(), c.findings.end(),
                       [&](const rules::HostFinding& f) { return f.code == word; });
  });
}

}  // namespace

CommandAnswer check(const Options& options, const Style& style) {
  const LineOptions& line = options.check.line;
  auto facts = gather_host(options.check.root, true);
  if (auto* failure = std::get_if<Failure>(&facts)) return *failure;
  const auto& host = std::get<HostFacts>(facts);
  std::optional<rules::LineNeed> need;
  if (line.rate_bps) need = rules::line_need({*line.rate_bps, *line.rtt_us, line.link});
  const HostCheck found = rules::check_host(rules::Catalogue::built_in(), host, need, line.rtt_us);
  CommandResult result;
  result.text = options.format == Format::json ? check_json(host, found)
                                               : check_text(host, found, options, style);
  if (matches(found, options.fail_on)) result.code = ExitCode::fail_on;
  return result;
}

}  // namespace rwin::app
