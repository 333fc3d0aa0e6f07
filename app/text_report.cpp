// The report for people. Keeps the few findings that it will print, however many connections there
// are.
#include <fmt/format.h>

#include "app/finding_list.h"
#include "app/finding_text.h"
#include "app/input_words.h"
#include "app/judge.h"
#include "app/report.h"
#include "text/address.h"
#include "text/text.h"

namespace rwin::app {
namespace {

class TextReport : public Report {
 public:
  TextReport(Output& out, const Options& options, const Style& style)
      : out_(out),
        options_(options),
        page_(style),
        how_{options.units, options.verbose, options.target_bps, std::nullopt},
        findings_(options.top, options.min_bytes, settings_of(options)) {}

  void begin(const RunInfo& info) override { how_.interface_bps = info.interface_bps; }
  [[nodiscard]] bool shows_all() const override { return false; }
  void connection(Judged&& judged) override { findings_.add(std::move(judged)); }
  void end(const RunInfo& info, const std::vector<rules::HostSummary>& hosts,
           ExitCode code) override;
  void failure(const RunInfo&, const Failure&) override {}  // said on standard error

 private:
  void print_header(const RunInfo& info);
  void print_findings();
  void print_hosts(const std::vector<rules::HostSummary>& hosts, ExitCode code);

  Output& out_;
  const Options& options_;
  Page page_;
  FindingText how_;
  FindingList findings_;
};

void TextReport::print_header(const RunInfo& info) {
  InputWords words = input_words(info);
  words.head.insert(words.head.begin(), "rwin report");
  words.head[1] =
      elide_middle(escape_terminal(words.head[1], page_.style().ascii), 48) + words.more;
  page_.entries("", words.head, kLabelIndent);
  for (const std::string& note : words.notes) page_.paragraph(note, kLabelIndent);
}

void TextReport::print_findings() {
  bool after_full = true;
  for (const auto& [finding, full] : findings_.shown(options_.verbose)) {
    if (full || after_full) page_.blank();
    after_full = full;
    print_finding(page_, *finding, full, how_);
  }
  const std::string rest = findings_.left_out();
  if (rest.empty()) return;
  page_.blank();
  page_.paragraph(rest, kLabelIndent);
}

void TextReport::print_hosts(const std::vector<rules::HostSummary>& hosts, ExitCode code) {
  constexpr int kMost = 10;
  std::vector<std::string> lines;
  std::uint64_t more = 0;
  for (const rules::HostSummary& host : hosts) {
    if (host.window_limited == 0 || host.advice.empty()) continue;
    if (lines.size() >= kMost) {
      ++more;
      continue;
    }
    std::string line =
        fmt::format("{} needs the change above ({} of {} flows", address_text(host.address),
                    grouped(host.window_limited), grouped(host.connections));
    if (host.worst_rtt_us) line += fmt::format(", RTT up to {}", time_text(*host.worst_rtt_us));
    if (host.needed_window_bytes)
      line += fmt::format(", window {}", bytes_text(*host.needed_window_bytes));
    lines.push_back(line + ")");
  }
  if (more > 0) lines.push_back(fmt::format("{} more hosts", grouped(more)));
  page_.blank();
  const std::string text = lines.empty() ? "no receiver needs a larger window"
                                         : fmt::format("{}", fmt::join(lines, "; "));
  for (const rules::HostSummary& host : hosts) {
    for (const std::string& note : host.notes)
      page_.paragraph(fmt::format("{}: {}", address_text(host.address), note), 7);
  }
  page_.paragraph(fmt::format("Hosts: {}.  Exit code {}.", text, static_cast<int>(code)), 7);
}

void TextReport::end(const RunInfo& info, const std::vector<rules::HostSummary>& hosts,
                     ExitCode code) {
  findings_.sort();
  print_header(info);
  page_.blank();
  page_.paragraph(findings_.answer(info, options_.units));
  if (findings_.directions() > 0 || findings_.without_data() > 0) print_findings();
  if (findings_.directions() > 0) print_hosts(hosts, code);
  out_.write(page_.take());
}

}  // namespace

std::unique_ptr<Report> make_text_report(Output& out, const Options& options, const Style& style) {
  return std::make_unique<TextReport>(out, options, style);
}

std::unique_ptr<Report> make_report(Output& out, const Options& options, const Style& style) {
  switch (options.format) {
    case Format::text:
      return make_text_report(out, options, style);
    case Format::json:
      return make_json_report(out);
    case Format::jsonl:
      return make_jsonl_report(out);
    case Format::csv:
      return make_csv_report(out);
  }
  return nullptr;
}

}  // namespace rwin::app
