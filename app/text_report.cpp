// The report for people. Keeps the few findings that it will print, however many connections there
// are.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <numeric>
#include <tuple>

#include "app/finding_text.h"
#include "app/report.h"
#include "rules/weight.h"
#include "text/address.h"
#include "text/limit_text.h"
#include "text/text.h"

namespace rwin::app {
namespace {

struct Kept {
  rules::Weight weight;
  double lost;
  Finding finding;

  // Smaller comes first: what costs most, then what moved most, then the order of the capture.
  [[nodiscard]] auto key() const {
    return std::tuple(weight == rules::Weight::tiny, -lost, weight,
                      -static_cast<double>(finding.direction.bytes), finding.id,
                      finding.direction.from_client);
  }
  friend bool operator<(const Kept& a, const Kept& b) { return a.key() < b.key(); }
};

// What the recording did to the packets, one item an artefact.
std::vector<std::string> quality_words(const RunInfo& info) {
  const analysis::CaptureQuality& q = info.engine.quality;
  std::vector<std::string> words;
  const auto add = [&](std::uint64_t count, std::string_view text) {
    if (count > 0) words.push_back(fmt::format("{} {}", grouped(count), text));
  };
  add(q.duplicates - q.routed_duplicates, "recorded twice");
  add(q.routed_duplicates, "recorded again at another hop or outside their tunnel");
  add(q.out_of_order, "out of order");
  add(q.effect_first, "recorded before what they answer (two clocks, or a mirror port)");
  add(q.clock_steps, "times the clock was set, or nothing recorded for an hour");
  add(q.wild_stamps, "with a time stamp far from all others");
  if (q.gap_bytes > 0)
    words.push_back(volume_text(q.gap_bytes) + " acknowledged but never captured");
  add(info.kernel_drops.value_or(0), "lost by the system while capturing");
  add(info.interface_drops.value_or(0), "lost by the interface");
  return words;
}

Finding make_finding(Judged& judged, std::size_t index) {
  const analysis::ConnectionResult& c = judged.connection;
  Finding f;
  f.id = c.id;
  f.direction = std::move(judged.connection.directions[index]);
  f.assessment = std::move(judged.assessments[index]);
  f.local = judged.local;
  const bool up = f.direction.from_client;
  f.sender = up ? c.client : c.server;
  f.receiver = up ? c.server : c.client;
  f.length_us = (c.end_ns - c.start_ns) / 1000;
  f.tunnel = c.tunnel;
  return f;
}

class TextReport : public Report {
 public:
  TextReport(Output& out, const Options& options, const Style& style)
      : out_(out),
        options_(options),
        page_(style),
        how_{options.units, options.verbose, options.target_bps, std::nullopt} {}

  void begin(const RunInfo& info) override {
    how_.interface_bps = info.interface_bps;
    print_header(info);
  }
  void connection(Judged&& judged) override;
  void end(const RunInfo& info, const std::vector<rules::HostSummary>& hosts,
           ExitCode code) override;
  void failure(const RunInfo&, const Failure&) override {}  // said on standard error

 private:
  void keep(Finding&& finding);
  void print_header(const RunInfo& info);
  void print_answer(const RunInfo& info);
  [[nodiscard]] std::uint64_t transfer_count() const {
    return std::accumulate(transfers_.begin(), transfers_.end(), std::uint64_t{0});
  }
  [[nodiscard]] std::string other_limits() const;
  [[nodiscard]] std::string only_transfer() const;
  [[nodiscard]] std::string worst_transfer(bool only_one) const;
  void print_findings();
  void print_hosts(const std::vector<rules::HostSummary>& hosts, ExitCode code);

  Output& out_;
  const Options& options_;
  Page page_;
  FindingText how_;
  std::vector<Kept> kept_;  // a heap with the least important on top, at most options_.top
  std::uint64_t directions_ = 0;
  // Directions that moved more than a few kilobytes, by what limits them.
  std::array<std::uint64_t, analysis::kLimitCount> transfers_{};
  std::uint64_t without_data_ = 0;
  std::uint64_t too_small_ = 0;  // under --min-bytes
  std::uint64_t left_out_ = 0;   // beyond --top
};

void TextReport::connection(Judged&& judged) {
  const std::size_t count = judged.connection.directions.size();
  if (count == 0) ++without_data_;
  for (std::size_t i = 0; i < count; ++i) {
    ++directions_;
    if (rules::weight_of(judged.connection.directions[i], judged.assessments[i]) !=
        rules::Weight::tiny) {
      ++transfers_[static_cast<std::size_t>(judged.assessments[i].verdict.limit)];
    }
    if (judged.connection.directions[i].bytes < options_.min_bytes) {
      ++too_small_;
      continue;
    }
    keep(make_finding(judged, i));
  }
}

void TextReport::keep(Finding&& finding) {
  Kept candidate{rules::weight_of(finding.direction, finding.assessment),
                 rules::lost_bits(finding.direction, finding.assessment), std::move(finding)};
  if (options_.top != 0 && kept_.size() >= options_.top) {
    ++left_out_;
    if (!(candidate < kept_.front())) return;
    std::pop_heap(kept_.begin(), kept_.end());
    kept_.pop_back();
  }
  kept_.push_back(std::move(candidate));
  std::push_heap(kept_.begin(), kept_.end());
}

void TextReport::print_header(const RunInfo& info) {
  std::string names = elide_middle(escape_terminal(info.names[0], page_.style().ascii), 48);
  if (info.names.size() > 1) names += fmt::format(" and {} more", info.names.size() - 1);
  std::vector<std::string> head = {"rwin report", names};
  if (info.first_ns) {
    head.push_back(utc_text(*info.first_ns));
    head.push_back(time_text((*info.last_ns - *info.first_ns) / 1000));
  }
  head.push_back(fmt::format("{} packets", grouped(info.decode.packets)));
  head.push_back(
      fmt::format("{} TCP flow{}", grouped(info.connections), info.connections == 1 ? "" : "s"));
  head.push_back(
      fmt::format("{} cut, {} damaged", grouped(info.decode.cut), grouped(info.decode.malformed)));
  page_.entries("", head, kLabelIndent);
  std::string not_used;
  for (std::size_t i = 1; i < info.decode.by_status.size(); ++i) {
    if (info.decode.by_status[i] == 0) continue;
    not_used +=
        fmt::format("{}{} {}", not_used.empty() ? "" : ", ", grouped(info.decode.by_status[i]),
                    capture::word(static_cast<capture::DecodeStatus>(i)));
  }
  std::replace(not_used.begin(), not_used.end(), '_', '-');
  if (!not_used.empty()) page_.paragraph("not used: " + not_used, kLabelIndent);
  const auto faults = quality_words(info);
  if (!faults.empty())
    page_.paragraph(fmt::format("capture quality: {}", fmt::join(faults, "; ")), kLabelIndent);
  if (!info.filter.empty()) page_.paragraph("filter: " + info.filter, kLabelIndent);
  for (const std::string& warning : info.warnings)
    page_.paragraph("warning: " + warning, kLabelIndent);
}

// "loss 2, sender idle 1": what limits the transfers that the window does not.
std::string TextReport::other_limits() const {
  std::string text;
  for (const analysis::Limit limit : analysis::kAllLimits) {
    const std::uint64_t count = transfers_[static_cast<std::size_t>(limit)];
    if (count == 0 || limit == analysis::Limit::receiver_window) continue;
    text +=
        fmt::format("{}{} ({})", text.empty() ? "" : ", ", limit_text(limit).name, grouped(count));
  }
  return text;
}

// What limits the only transfer, when the window does not.
std::string TextReport::only_transfer() const {
  const auto at = std::find(transfers_.begin(), transfers_.end(), 1U) - transfers_.begin();
  const analysis::Limit limit = analysis::kAllLimits[static_cast<std::size_t>(at)];
  if (limit == analysis::Limit::unknown)
    return "What limits the transfer cannot be told from this capture.";
  return fmt::format("The receiver window is not the limit: {} the transfer.",
                     limit_text(limit).headline);
}

// The worst of those that the window holds, once kept_ is sorted.
std::string TextReport::worst_transfer(bool only_one) const {
  const auto worst = std::find_if(kept_.begin(), kept_.end(), [](const Kept& k) {
    return k.finding.limit() == analysis::Limit::receiver_window && k.finding.direction.goodput_bps;
  });
  if (worst == kept_.end()) return {};
  const Finding& f = worst->finding;
  std::string text =
      fmt::format(" {}{} gets {}", only_one ? "" : "Worst: ", address_text(f.receiver.address),
                  rate_text(*f.direction.goodput_bps, options_.units));
  if (f.assessment.verdict.potential_bps && f.assessment.verdict.gain > 1.05) {
    text += fmt::format(" of a possible {}",
                        rate_text(*f.assessment.verdict.potential_bps, options_.units));
  }
  return text + ".";
}

// The second thing a reader sees: is it the window, and who is worst off.
void TextReport::print_answer(const RunInfo& info) {
  const std::uint64_t all = std::accumulate(transfers_.begin(), transfers_.end(), std::uint64_t{0});
  const std::uint64_t held = transfers_[static_cast<std::size_t>(analysis::Limit::receiver_window)];
  std::string text;
  if (info.decode.packets == 0) {
    text = "No packets: nothing to diagnose. Record while the transfer runs.";
  } else if (info.decode.tcp_packets == 0) {
    text =
        "No TCP in this capture: nothing to diagnose. Record with the filter word tcp while the "
        "transfer runs.";
  } else if (directions_ == 0) {
    text = "No connection carried data: nothing to diagnose. Record while the transfer runs.";
  } else if (all == 0) {
    text = "No connection moved enough to say what limits it. Record a longer transfer.";
  } else if (held == 0 && all == 1) {
    text = only_transfer();
  } else if (held == 0) {
    text =
        fmt::format("No transfer is held back by the receiver window. Limits: {}.", other_limits());
  } else {
    text = all == 1 ? "The transfer is held back by the receiver window."
                    : fmt::format("{} of {} transfers {} held back by the receiver window.",
                                  grouped(held), grouped(all), held == 1 ? "is" : "are");
    text += worst_transfer(held == 1);
    if (all > held) text += fmt::format(" Limits of the others: {}.", other_limits());
  }
  page_.blank();
  page_.paragraph(text);
}

void TextReport::print_findings() {
  const bool only_tiny = kept_.empty() || kept_.front().weight == rules::Weight::tiny;
  std::uint64_t tiny = 0;
  bool after_full = true;
  std::vector<const Finding*> fixes;  // whose fix stands in the report
  for (Kept& kept : kept_) {
    if (kept.weight == rules::Weight::tiny && !only_tiny && !options_.verbose) {
      ++tiny;
      continue;
    }
    // The only transfer of a capture is what was asked about.
    const bool alone = transfer_count() == 1 && kept.weight == rules::Weight::brief;
    const bool full =
        kept.weight == rules::Weight::full ||
        ((alone || options_.verbose) && kept.finding.limit() != analysis::Limit::unknown);
    if (full || after_full) page_.blank();
    after_full = full;
    if (full && !kept.finding.assessment.advice.empty()) {
      const auto same = std::find_if(fixes.begin(), fixes.end(), [&](const Finding* f) {
        return covers(f->assessment.advice, kept.finding.assessment.advice);
      });
      if (same == fixes.end()) {
        fixes.push_back(&kept.finding);
      } else {
        kept.finding.same_fix_as = (*same)->id;
      }
    }
    print_finding(page_, kept.finding, full, how_);
  }
  std::vector<std::string> rest;
  if (tiny > 0)
    rest.push_back(fmt::format("{} under 10 kB with nothing to report (-v)", grouped(tiny)));
  if (too_small_ > 0) rest.push_back(fmt::format("{} under --min-bytes", grouped(too_small_)));
  if (left_out_ > 0)
    rest.push_back(fmt::format("{} beyond --top {}", grouped(left_out_), options_.top));
  if (without_data_ > 0)
    rest.push_back(fmt::format("{} connections without data", grouped(without_data_)));
  if (rest.empty()) return;
  page_.blank();
  page_.paragraph(fmt::format("Not shown: {}.", fmt::join(rest, ", ")), kLabelIndent);
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
  std::sort_heap(kept_.begin(), kept_.end());
  print_answer(info);
  if (directions_ > 0 || without_data_ > 0) print_findings();
  if (directions_ > 0) print_hosts(hosts, code);
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
