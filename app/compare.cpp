#include "app/compare.h"

#include <fmt/format.h>

#include <algorithm>

#include "app/analyze.h"
#include "app/compare_words.h"
#include "app/finding_list.h"
#include "app/html/compare_html.h"
#include "app/html/pictures.h"
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
// Flows of each capture whose charts are kept for a page.
constexpr std::size_t kMostDrawn = 200;

// A report that keeps what is to be compared, and for pictures (`most` of them) what moved most.
class Collector : public Report {
 public:
  explicit Collector(std::size_t most) : most_(most) {}
  void begin(const RunInfo&) override {}
  void connection(Judged&& judged) override {
    for (std::size_t i = 0; i < judged.connection.directions.size(); ++i) {
      FlowRecord record = rules::record_of(judged.connection, judged.connection.directions[i],
                                           judged.assessments[i]);
      if (most_ > 0) draw(make_finding(judged, i));
      (record.bytes < kTinyBytes ? tiny_ : records_).push_back(std::move(record));
    }
  }
  void end(const RunInfo&, const std::vector<rules::HostSummary>&, ExitCode) override {}
  void failure(const RunInfo&, const Failure&) override {}
  std::vector<FlowRecord> take() {
    return records_.empty() ? std::move(tiny_) : std::move(records_);
  }
  std::vector<Finding> take_drawn() { return std::move(drawn_); }

 private:
  void draw(Finding&& finding) {
    drawn_.push_back(std::move(finding));
    if (drawn_.size() < 2 * most_) return;
    const auto middle = drawn_.begin() + static_cast<std::ptrdiff_t>(most_);
    std::nth_element(drawn_.begin(), middle, drawn_.end(), [](const Finding& a, const Finding& b) {
      return a.direction.bytes > b.direction.bytes;
    });
    drawn_.erase(middle, drawn_.end());
  }

  std::size_t most_;
  std::vector<FlowRecord> records_, tiny_;
  std::vector<Finding> drawn_;
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

void print_pair(Page& page, const FlowPair& pair, Units units, bool only) {
  page.blank();
  page.heading(paint_of(pair.outcome), outcome_words(pair.outcome), pair_ends(pair), pair.reason);
  const auto print = [&](const CompareRow& row) {
    page.raw(escape_terminal(fmt::format("   {:<10}{:<28} {}{}", row.label, row.before, row.after,
                                         row.more.empty() ? "" : "   " + row.more),
                             page.style().ascii) +
             "\n");
  };
  print({"", "before", "after", ""});
  for (const CompareRow& row : compare_rows(pair, units)) print(row);
  if (!only) page.field("result", pair.summary);  // of one pair it stands at the top
  for (const std::string& note : pair_notes(pair)) page.field("note", note);
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
  std::vector<std::vector<Finding>> drawn;
  CommandResult result;
  for (const std::string& file : options.files) {
    Options one = options;
    one.files = {file};
    if (!options.html.empty()) {
      one.chart_points = html::kColumns;
      one.chart_sequence = true;
    }
    Collector collector(options.html.empty() ? 0 : kMostDrawn);
    const Outcome outcome = analyze(one, collector, stop, show_progress);
    if (outcome.failure) return *outcome.failure;
    for (const std::string& warning : outcome.warnings)
      result.warnings.push_back(fmt::format("{}: {}", file, warning));
    if (outcome.code != ExitCode::ok) result.code = outcome.code;
    sides.push_back(collector.take());
    drawn.push_back(collector.take_drawn());
  }
  const Comparison found = rules::compare(std::move(sides[0]), std::move(sides[1]));
  result.text = options.format == Format::json ? compare_json(options, found, result.warnings)
                                               : compare_text(options, found, style);
  if (!options.html.empty())
    result.page = html::compare_page({options, found, drawn[0], drawn[1], result.warnings});
  return result;
}

}  // namespace rwin::app
