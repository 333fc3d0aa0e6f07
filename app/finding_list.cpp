#include "app/finding_list.h"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>

#include "app/judge.h"
#include "text/address.h"
#include "text/limit_text.h"
#include "text/units.h"

namespace rwin::app {

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
  f.tunnel_ends = c.tunnel_ends;
  return f;
}

FindingList::Rank FindingList::rank_of(const Judged& judged, std::size_t index) {
  const analysis::DirectionResult& direction = judged.connection.directions[index];
  const rules::Assessment& assessment = judged.assessments[index];
  const rules::Weight weight = rules::weight_of(direction, assessment);
  return {weight == rules::Weight::tiny,
          -rules::lost_bits(direction, assessment),
          weight,
          -static_cast<double>(direction.bytes),
          judged.connection.id,
          direction.from_client};
}

void FindingList::add(Judged&& judged) {
  const std::size_t count = judged.connection.directions.size();
  if (count == 0) ++without_data_;
  for (std::size_t i = 0; i < count; ++i) {
    ++directions_;
    const Rank rank = rank_of(judged, i);
    if (!rank.tiny) ++transfers_[static_cast<std::size_t>(judged.assessments[i].verdict.limit)];
    if (judged.connection.directions[i].bytes < min_bytes_) {
      ++too_small_;
      continue;
    }
    // Only what is kept is taken: most of many connections are not.
    if (top_ != 0 && kept_.size() >= top_) {
      ++beyond_;
      if (!(rank < kept_.front().rank)) continue;
      std::pop_heap(kept_.begin(), kept_.end());
      kept_.pop_back();
    }
    put_in_words(judged, settings_);  // before anything is moved out
    kept_.push_back({rank, make_finding(judged, i)});
    std::push_heap(kept_.begin(), kept_.end());
  }
}

void FindingList::sort() { std::sort_heap(kept_.begin(), kept_.end()); }

std::uint64_t FindingList::transfer_count() const {
  return std::accumulate(transfers_.begin(), transfers_.end(), std::uint64_t{0});
}

// "loss 2, sender idle 1": what limits the transfers that the window does not.
std::string FindingList::other_limits() const {
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
std::string FindingList::only_transfer() const {
  const auto at = std::find(transfers_.begin(), transfers_.end(), 1U) - transfers_.begin();
  const analysis::Limit limit = analysis::kAllLimits[static_cast<std::size_t>(at)];
  if (limit == analysis::Limit::unknown)
    return "What limits the transfer cannot be told from this capture.";
  return fmt::format("The receiver window is not the limit: {} the transfer.",
                     limit_text(limit).headline);
}

// The worst of those that the window holds, once kept_ is sorted.
std::string FindingList::worst_transfer(bool only_one, Units units) const {
  const auto worst = std::find_if(kept_.begin(), kept_.end(), [](const Kept& k) {
    return k.finding.limit() == analysis::Limit::receiver_window && k.finding.direction.goodput_bps;
  });
  if (worst == kept_.end()) return {};
  const Finding& f = worst->finding;
  std::string text =
      fmt::format(" {}{} gets {}", only_one ? "" : "Worst: ", address_text(f.receiver.address),
                  rate_text(*f.direction.goodput_bps, units));
  if (f.assessment.verdict.potential_bps && f.assessment.verdict.gain > 1.05) {
    text += fmt::format(" of a possible {}", rate_text(*f.assessment.verdict.potential_bps, units));
  }
  return text + ".";
}

// The second thing a reader sees: is it the window, and who is worst off.
std::string FindingList::answer(const RunInfo& info, Units units) const {
  const std::uint64_t all = transfer_count();
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
    text += worst_transfer(held == 1, units);
    if (all > held) text += fmt::format(" Limits of the others: {}.", other_limits());
  }
  return text;
}

std::vector<FindingList::Shown> FindingList::shown(bool verbose) {
  const bool only_tiny = kept_.empty() || kept_.front().rank.weight == rules::Weight::tiny;
  std::vector<Shown> out;
  std::vector<const Finding*> fixes;  // whose fix stands in the report
  tiny_ = 0;
  for (Kept& kept : kept_) {
    if (kept.rank.weight == rules::Weight::tiny && !only_tiny && !verbose) {
      ++tiny_;
      continue;
    }
    // The only transfer of a capture is what was asked about.
    const bool alone = transfer_count() == 1 && kept.rank.weight == rules::Weight::brief;
    const bool full = kept.rank.weight == rules::Weight::full ||
                      ((alone || verbose) && kept.finding.limit() != analysis::Limit::unknown);
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
    out.push_back({&kept.finding, full});
  }
  return out;
}

std::string FindingList::left_out() const {
  std::vector<std::string> rest;
  if (tiny_ > 0)
    rest.push_back(fmt::format("{} under 10 kB with nothing to report (-v)", grouped(tiny_)));
  if (too_small_ > 0) rest.push_back(fmt::format("{} under --min-bytes", grouped(too_small_)));
  if (beyond_ > 0) rest.push_back(fmt::format("{} beyond --top {}", grouped(beyond_), top_));
  if (without_data_ > 0)
    rest.push_back(fmt::format("{} connections without data", grouped(without_data_)));
  return rest.empty() ? std::string() : fmt::format("Not shown: {}.", fmt::join(rest, ", "));
}

}  // namespace rwin::app
