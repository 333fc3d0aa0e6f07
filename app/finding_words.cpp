#include "app/finding_words.h"

#include <fmt/format.h>

#include <algorithm>

#include "text/address.h"
#include "text/limit_text.h"

namespace rwin::app {

using analysis::DirectionResult;
using analysis::Limit;
using analysis::Presence;

namespace {

constexpr std::uint64_t kTinyTransferBytes = 10'000;  // no speed worth a figure
constexpr std::uint64_t kBriefBytes = 100'000;
constexpr std::int64_t kBurstUs = 10'000;

std::string scale_text(const DirectionResult& d) {
  switch (d.scale.state) {
    case Presence::absent:
      return "no window scaling";
    case Presence::unknown:
      return "window scale unknown";
    case Presence::known:
      break;
  }
  return fmt::format("window scale {}{}", d.scale.shift, d.scale.inferred ? " (inferred)" : "");
}

}  // namespace

bool covers(const std::vector<rules::Advice>& other, const std::vector<rules::Advice>& advice) {
  return std::equal(other.begin(), other.end(), advice.begin(), advice.end(),
                    [](const rules::Advice& a, const rules::Advice& b) {
                      return a.id == b.id && a.host == b.host &&
                             a.window_bytes.value_or(0) >= b.window_bytes.value_or(0) &&
                             a.buffer_bytes.value_or(0) >= b.buffer_bytes.value_or(0) &&
                             a.connections.value_or(0) >= b.connections.value_or(0);
                    });
}

double share_of(const Finding& f, Limit limit) {
  if (f.length_us <= 0) return 0;
  return static_cast<double>(f.direction.limit_us[static_cast<std::size_t>(limit)]) /
         static_cast<double>(f.length_us);
}

std::string arrow(const Finding& f) {
  return endpoint_text(f.sender) + " -> " + endpoint_text(f.receiver);
}

std::vector<Limit> limits_of(const Finding& f, std::string_view bar) {
  std::vector<Limit> shown;
  for (const Limit limit : analysis::kAllLimits) {
    if (share_of(f, limit) >= 0.005 || bar.find(limit_text(limit).letter) != std::string_view::npos)
      shown.push_back(limit);
  }
  std::stable_sort(shown.begin(), shown.end(),
                   [&](Limit a, Limit b) { return share_of(f, a) > share_of(f, b); });
  return shown;
}

std::string limit_words(const Finding& f, Limit limit) {
  const LimitText& name = limit_text(limit);
  const std::int64_t us = f.direction.limit_us[static_cast<std::size_t>(limit)];
  return fmt::format("{} {} {} ({})", name.letter, name.name, time_text(us),
                     percent_text(share_of(f, limit)));
}

std::string speed_words(const Finding& f, const FindingText& how) {
  const DirectionResult& d = f.direction;
  const std::string volume =
      fmt::format("{} in {}", volume_text(d.bytes), time_text(d.duration_us));
  // A few packets in one burst have no speed worth a figure.
  const bool meaningful =
      d.goodput_bps && (d.bytes >= kTinyTransferBytes || d.duration_us >= kBurstUs);
  std::string text = volume;
  if (meaningful) {
    text = fmt::format("{} average ({})", rate_text(*d.goodput_bps, how.units), volume);
  }
  if (f.assessment.verdict.ceiling_bps && f.limit() == Limit::receiver_window) {
    text += fmt::format("; ceiling {}", rate_text(*f.assessment.verdict.ceiling_bps, how.units));
    if (d.blocked_window && d.blocked_rtt_us) {
      text += fmt::format(" = {} window / {}", bytes_text(*d.blocked_window),
                          time_text(*d.blocked_rtt_us));
    }
  }
  return text;
}

std::string path_words(const Finding& f) {
  const DirectionResult& d = f.direction;
  std::vector<std::string> parts;
  if (d.rtt_base_us) {
    std::string rtt = "RTT " + time_text(*d.rtt_base_us);
    if (d.rtt_p50_us && *d.rtt_p50_us > *d.rtt_base_us + *d.rtt_base_us / 20) {
      rtt += fmt::format(" (median {})", time_text(*d.rtt_p50_us));
    }
    parts.push_back(rtt);
  } else {
    parts.emplace_back("RTT unknown");
  }
  if (f.tunnel_ends) {
    const analysis::TunnelEnds& ends = *f.tunnel_ends;
    parts.push_back(fmt::format("inside {} {} -> {}", analysis::name(f.tunnel),
                                address_text(d.from_client ? ends.client : ends.server),
                                address_text(d.from_client ? ends.server : ends.client)));
  }
  if (d.window_max) {
    parts.push_back(fmt::format("largest window {}", bytes_text(*d.window_max)));
  } else if (d.window_field_max > 0) {
    parts.push_back(fmt::format("largest window field {}", grouped(d.window_field_max)));
  }
  parts.push_back(scale_text(d));
  if (d.mss > 0) parts.push_back(fmt::format("MSS {}", d.mss));
  if (d.retransmitted_segments > 0 && d.segments > 0) {
    parts.push_back(fmt::format("resent {} of {} segments", grouped(d.retransmitted_segments),
                                grouped(d.segments)));
  } else if (d.segments > 0) {
    parts.emplace_back("nothing resent");
  }
  if (d.zero_window_count > 0)
    parts.push_back(fmt::format("closed window for {}", time_text(d.zero_window_us)));
  if (d.capture_gap_bytes > 0)
    parts.push_back(fmt::format("{} never captured", volume_text(d.capture_gap_bytes)));
  return fmt::format("{}", fmt::join(parts, ", "));
}

std::string gain_words(const Finding& f, const FindingText& how) {
  const rules::Verdict& v = f.assessment.verdict;
  const auto& rate = f.direction.goodput_bps;
  const bool raises = std::any_of(
      f.assessment.advice.begin(), f.assessment.advice.end(),
      [](const rules::Advice& a) { return a.window_bytes || a.buffer_bytes || a.connections; });
  if (v.potential_bps && rate && v.gain > 1.05) {
    std::string text = fmt::format("{} -> up to {} ({:.1f} times)", rate_text(*rate, how.units),
                                   rate_text(*v.potential_bps, how.units), v.gain);
    if (how.target_bps) {
      text += fmt::format("; target {} is yours", rate_text(*how.target_bps, how.units));
    } else if (v.potential_bps == how.interface_bps) {
      text += "; the target is the speed of the interface";
    } else if (f.direction.capacity_bps) {
      const bool spacing = f.direction.capacity_from == analysis::CapacityFrom::dispersion;
      text +=
          fmt::format("; {} {}", spacing ? "packets came at a pace of" : "the best rate seen was",
                      rate_text(*f.direction.capacity_bps, how.units));
    }
    return text;
  }
  if (raises && !v.potential_bps) {
    return "not known: nothing in the capture shows what the path can carry; --target-rate RATE "
           "sizes the change";
  }
  return {};
}

std::string unproven_words(const rules::Verdict& v) {
  std::string text;
  for (const std::string& word : v.unproven) text += (text.empty() ? "" : ", ") + word;
  std::replace(text.begin(), text.end(), '_', ' ');
  return text;
}

std::string evidence_words(const rules::Evidence& e, Units units) {
  if (e.unit == "bit/s") return std::string(e.key) + " " + rate_text(e.value, units);
  if (e.value >= 0 && e.value < 1e15 && e.unit == "us") {
    return std::string(e.key) + " " + time_text(static_cast<std::int64_t>(e.value));
  }
  if (e.value >= 0 && e.value < 1e15 && e.unit == "B") {
    return std::string(e.key) + " " + bytes_text(static_cast<std::uint64_t>(e.value));
  }
  return fmt::format("{} {:.6g}{}{}", e.key, e.value, e.unit.empty() || e.unit == "1" ? "" : " ",
                     e.unit == "1" ? "" : e.unit);
}

NoVerdict no_verdict_words(const Finding& f) {
  const DirectionResult& d = f.direction;
  std::string reason = "the evidence does not decide";
  std::string todo;
  if (!d.data_seen || !d.acks_seen) {
    reason =
        d.data_seen ? "no acknowledgements captured" : "no data captured, only acknowledgements";
    todo = "capture at a place where both directions pass";
  } else if (d.scale.state == Presence::unknown) {
    reason = "handshake not captured, scale unknown";
    todo = fmt::format(
        "start the capture before the connection, or pass --assume-wscale {}=7 (if 7 is its shift)",
        address_text(f.receiver.address));
  } else if (d.bytes < kBriefBytes) {
    reason = fmt::format("only {} moved", volume_text(d.bytes));
    todo = "capture a longer transfer";
  }
  return {reason, todo};
}

}  // namespace rwin::app
