#include "app/compare_words.h"

#include <fmt/format.h>

#include "text/address.h"

namespace rwin::app {
namespace {

using rules::FlowPair;
using rules::FlowRecord;

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

}  // namespace

std::string outcome_words(rules::ChangeOutcome outcome) {
  std::string out(rules::word(outcome));
  for (char& c : out) c = c == '-' ? ' ' : (c >= 'a' && c <= 'z' ? static_cast<char>(c - 32) : c);
  return out;
}

std::string pair_ends(const FlowPair& pair) {
  const FlowRecord& a = pair.after;
  return a.receiver_is_client ? endpoint_text(a.sender) + " -> " + address_text(a.receiver.address)
                              : address_text(a.sender.address) + " -> " + endpoint_text(a.receiver);
}

std::vector<CompareRow> compare_rows(const FlowPair& pair, Units units) {
  const FlowRecord& b = pair.before;
  const FlowRecord& a = pair.after;
  std::vector<CompareRow> rows;
  const auto row = [&](std::string_view label, std::string old, std::string now,
                       std::string more = "") {
    rows.push_back({std::string(label), std::move(old), std::move(now), std::move(more)});
  };
  const auto rate = [&](double bps) { return rate_text(bps, units); };
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
  return rows;
}

std::vector<std::string> pair_notes(const FlowPair& pair) {
  std::vector<std::string> notes = pair.notes;
  if (pair.before_count > 1 || pair.after_count > 1) {
    notes.push_back(
        fmt::format("{} such transfers before, {} after; the largest of each is compared",
                    pair.before_count, pair.after_count));
  }
  return notes;
}

}  // namespace rwin::app
