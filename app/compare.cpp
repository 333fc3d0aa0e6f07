#include "app/compare.h"

#include <fmt/format.h>

#include <algorithm>

#include "app/analyze.h"
#include "app/json_fields.h"
#include "app/page.h"
#include "rules/compare.h"
#include "text/address.h"
#include "text/text.h"

namespace rwin::app {
namespace {

using rules::ChangeOutcome;
using rules::Comparison;
using rules::FlowPair;
using rules::FlowRecord;

// Below this a direction is a request or a greeting, unless there is nothing else.
constexpr std::uint64_t kTinyBytes = 10'000;

// A report that keeps what is to be compared.
class Collector : public Report {
 public:
  void begin(const RunInfo&) override {}
  void connection(Judged&& judged) override {
    for (std::size_t i = 0; i < judged.connection.directions.size(); ++i) {
      FlowRecord record = rules::record_of(judged.connection, judged.connection.directions[i],
                                           judged.assessments[i]);
      (record.bytes < kTinyBytes ? tiny_ : records_).push_back(std::move(record));
    }
  }
  void end(const RunInfo& info, const std::vector<rules::HostSummary>&, ExitCode) override {
    info_ = info;
  }
  void failure(const RunInfo&, const Failure&) override {}
  std::vector<FlowRecord> take() {
    return records_.empty() ? std::move(tiny_) : std::move(records_);
  }
  [[nodiscard]] const RunInfo& info() const { return info_; }

 private:
  std::vector<FlowRecord> records_, tiny_;
  RunInfo info_;
};

Paint paint_of(ChangeOutcome outcome) {
  switch (outcome) {
    case ChangeOutcome::hurt:
      return Paint::limited;
    case ChangeOutcome::no_change:
    case ChangeOutcome::next_limit:
      return Paint::warn;
    default:
      return Paint::strong;
  }
}

std::string upper(std::string_view word) {
  std::string out(word);
  for (char& c : out) c = c == '-' ? ' ' : (c >= 'a' && c <= 'z' ? static_cast<char>(c - 32) : c);
  return out;
}

// "2.3 times", "+ 6 %"
std::string times_text(double factor) {
  if (factor >= 2 || factor <= 0.5) return fmt::format("{:.1f} times", factor);
  const double percent = (factor - 1) * 100;
  return fmt::format("{} {:.0f} %", percent < 0 ? '-' : '+', percent < 0 ? -percent : percent);
}

std::string scale_of(const FlowRecord& r) {
  switch (r.scale.state) {
    case analysis::Presence::absent:
      return "none";
    case analysis::Presence::unknown:
      return "not known";
    case analysis::Presence::known:
      break;
  }
  return fmt::format("{}{}", r.scale.shift, r.scale.inferred ? " (inferred)" : "");
}

template <class T, class Form>
std::string or_unknown(const std::optional<T>& value, Form form) {
  return value ? form(*value) : std::string("not known");
}

void print_pair(Page& page, const FlowPair& pair, Units units, bool only) {
  const FlowRecord& b = pair.before;
  const FlowRecord& a = pair.after;
  const auto port = a.receiver_is_client
                        ? endpoint_text(a.sender) + " -> " + address_text(a.receiver.address)
                        : address_text(a.sender.address) + " -> " + endpoint_text(a.receiver);
  page.blank();
  page.heading(paint_of(pair.outcome), upper(rules::word(pair.outcome)), port, pair.reason);
  const auto row = [&](std::string_view label, const std::string& old, const std::string& now,
                       const std::string& more = "") {
    page.raw(escape_terminal(fmt::format("   {:<10}{:<28} {}{}", label, old, now,
                                         more.empty() ? "" : "   " + more),
                             page.style().ascii) +
             "\n");
  };
  const auto rate = [&](double bps) { return rate_text(bps, units); };
  row("", "before", "after");
  std::string times;
  if (b.rate_bps && a.rate_bps && *b.rate_bps > 0) times = times_text(*a.rate_bps / *b.rate_bps);
  row("rate", or_unknown(b.rate_bps, rate), or_unknown(a.rate_bps, rate), times);
  const auto bytes = [](std::uint64_t n) { return bytes_text(n); };
  row("window", or_unknown(b.window, bytes), or_unknown(a.window, bytes));
  row("scale", scale_of(b), scale_of(a));
  const auto time = [](std::int64_t us) { return time_text(us); };
  row("RTT", or_unknown(b.rtt_us, time), or_unknown(a.rtt_us, time));
  row("resent", percent_text(b.resent_share), percent_text(a.resent_share));
  row("moved", volume_text(b.bytes) + " in " + time_text(b.duration_us),
      volume_text(a.bytes) + " in " + time_text(a.duration_us));
  row("limit", std::string(analysis::word(b.limit)), std::string(analysis::word(a.limit)));
  if (!b.cause.empty() || !a.cause.empty())
    row("cause", b.cause.empty() ? "-" : b.cause, a.cause.empty() ? "-" : a.cause);
  if (!only) page.field("result", pair.summary);  // of one pair it stands at the top
  for (const std::string& note : pair.notes) page.field("note", note);
  if (pair.before_count > 1 || pair.after_count > 1)
    page.field("note", fmt::format("{} such transfers before, {} after; the largest of each is "
                                   "compared",
                                   pair.before_count, pair.after_count));
}

void print_left_over(Page& page, std::string_view label, const std::vector<FlowRecord>& flows) {
  if (flows.empty()) return;
  std::string text = fmt::format("{}", flows.size());
  const FlowRecord& most =
      *std::max_element(flows.begin(), flows.end(),
                        [](const FlowRecord& a, const FlowRecord& b) { return a.bytes < b.bytes; });
  text += fmt::format(", the largest {} -> {} ({})", endpoint_text(most.sender),
                      endpoint_text(most.receiver), volume_text(most.bytes));
  page.field(label, text);
}

std::string compare_text(const Options& options, const Comparison& c, const Style& style) {
  Page page(style);
  page.heading(Paint::strong, "rwin compare", "  " + options.files[0] + "  ->  " + options.files[1],
               "");
  page.blank();
  page.paragraph(c.summary);
  std::uint64_t shown = 0;
  for (const FlowPair& pair : c.pairs) {
    if (options.top > 0 && shown >= options.top) break;
    print_pair(page, pair, options.units, c.pairs.size() == 1);
    ++shown;
  }
  page.blank();
  if (shown < c.pairs.size())
    page.field("not shown", fmt::format("{} more pairs (--top)", c.pairs.size() - shown));
  for (const rules::HostChangeRow& host : c.hosts) {
    if (c.hosts.size() < 2) break;
    page.field(
        "host",
        fmt::format("{}: window {} -> {}, {} of {} transfers faster, {} slower",
                    address_text(host.address),
                    or_unknown(host.window_before, [](std::uint64_t n) { return bytes_text(n); }),
                    or_unknown(host.window_after, [](std::uint64_t n) { return bytes_text(n); }),
                    host.better, host.pairs, host.worse));
  }
  print_left_over(page, "only before", c.only_before);
  print_left_over(page, "only after", c.only_after);
  return page.take();
}

void write_record(JsonWriter& json, std::string_view key, const FlowRecord& r) {
  json.key(key);
  json.begin_object();
  json.field("connection", r.id);
  json.field("sender", endpoint_text(r.sender));
  json.field("receiver", endpoint_text(r.receiver));
  json.field("syn_seen", r.syn_seen);
  json.field("start_ns", r.start_ns);
  json.field("bytes", r.bytes);
  json.field("duration_us", r.duration_us);
  json.rounded_field("goodput_bps", r.rate_bps);
  json.field("rtt_base_us", r.rtt_base_us);
  json.field("rtt_p50_us", r.rtt_us);
  json.field("window_max_bytes", r.window);
  json.field("window_scale_shift", r.scale.state == analysis::Presence::known
                                       ? std::optional(static_cast<unsigned>(r.scale.shift))
                                       : std::optional<unsigned>());
  json.field("resent_share", r.resent_share);
  json.field("limit", analysis::word(r.limit));
  json.text_or_null("cause", r.cause);
  json.rounded_field("ceiling_bps", r.ceiling_bps);
  json.end_object();
}

std::string compare_json(const Options& options, const Comparison& c,
                         const std::vector<std::string>& warnings) {
  std::string out;
  JsonWriter json(out);
  json.begin_object();
  json.field("schema", kSchema);
  write_tool(json);
  json.key("compare");
  json.begin_object();
  json.field("before", options.files[0]);
  json.field("after", options.files[1]);
  json.field("outcome", rules::word(c.outcome));
  json.field("summary", c.summary);
  json.key("pairs");
  json.begin_array();
  for (const FlowPair& pair : c.pairs) {
    json.line();
    json.begin_object();
    json.field("outcome", rules::word(pair.outcome));
    json.text_or_null("reason", pair.reason);
    json.field("summary", pair.summary);
    json.field("same_addresses", pair.same_addresses);
    json.field("before_count", pair.before_count);
    json.field("after_count", pair.after_count);
    write_record(json, "before", pair.before);
    write_record(json, "after", pair.after);
    json.key("notes");
    json.begin_array();
    for (const std::string& note : pair.notes) json.value(note);
    json.end_array();
    json.end_object();
  }
  json.end_array();
  json.key("hosts");
  json.begin_array();
  for (const rules::HostChangeRow& host : c.hosts) {
    json.begin_object();
    json.field("ip", address_text(host.address));
    json.field("window_before_bytes", host.window_before);
    json.field("window_after_bytes", host.window_after);
    json.field("pairs", host.pairs);
    json.field("faster", host.better);
    json.field("slower", host.worse);
    json.end_object();
  }
  json.end_array();
  json.field("only_before", c.only_before.size());
  json.field("only_after", c.only_after.size());
  json.end_object();
  json.key("warnings");
  json.begin_array();
  for (const std::string& warning : warnings) json.value(warning);
  json.end_array();
  write_error(json, nullptr);
  json.end_object();
  return out + '\n';
}

}  // namespace

CommandAnswer compare(const Options& options, const Style& style,
                      const volatile std::sig_atomic_t& stop, bool show_progress) {
  std::vector<std::vector<FlowRecord>> sides;
  CommandResult result;
  for (const std::string& file : options.files) {
    Options one = options;
    one.files = {file};
    Collector collector;
    const Outcome outcome = analyze(one, collector, stop, show_progress);
    if (outcome.failure) return *outcome.failure;
    for (const std::string& warning : outcome.warnings)
      result.warnings.push_back(fmt::format("{}: {}", file, warning));
    if (outcome.code != ExitCode::ok) result.code = outcome.code;
    sides.push_back(collector.take());
  }
  const Comparison found = rules::compare(std::move(sides[0]), std::move(sides[1]));
  result.text = options.format == Format::json ? compare_json(options, found, result.warnings)
                                               : compare_text(options, found, style);
  return result;
}

}  // namespace rwin::app
