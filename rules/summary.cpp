#include "rules/summary.h"

#include <fmt/format.h>

#include "rules/text.h"

namespace rwin::rules {
namespace {

using analysis::DirectionResult;
using analysis::Limit;

constexpr std::int64_t kStallWorthTelling = 1'000'000;
constexpr std::uint64_t kTooLittleForARate = 10'000;

std::string rate_of(const Flow& flow) {
  return flow.rate_bps > 0 ? format_rate(flow.rate_bps) : std::string("an unknown rate");
}

std::string window_summary(const Flow& flow, const Verdict& verdict, std::string_view sender,
                           std::string_view receiver) {
  const DirectionResult& d = flow.direction;
  if (!d.blocked_window || !d.blocked_rtt_us || !verdict.ceiling_bps) {
    return fmt::format("The receive window of {} holds {} back; it got {}.", receiver, sender,
                       rate_of(flow));
  }
  return fmt::format(
      "The receiver {} offers a window of {} B; with {} round trip that allows {} at most, and the "
      "sender {} got {}.",
      receiver, format_count(*d.blocked_window), format_time(*d.blocked_rtt_us),
      format_rate(*verdict.ceiling_bps), sender, rate_of(flow));
}

std::string congestion_summary(const Flow& flow, std::string_view sender,
                               std::string_view receiver) {
  const DirectionResult& d = flow.direction;
  if (d.retransmitted_segments == 0) {
    return fmt::format("Congestion holds {} to {} at {}; no retransmission was captured.", sender,
                       receiver, rate_of(flow));
  }
  return fmt::format("Loss holds {} to {} at {}: {} of {} segments were sent again.", sender,
                     receiver, rate_of(flow), d.retransmitted_segments, d.segments);
}

std::string buffer_summary(const Flow& flow, std::string_view sender, std::string_view receiver) {
  const DirectionResult& d = flow.direction;
  if (!d.flight_max) {
    return fmt::format("The send buffer of {} holds the transfer to {} at {}.", sender, receiver,
                       rate_of(flow));
  }
  std::string text = fmt::format("The sender {} never has more than {} B in flight", sender,
                                 format_count(*d.flight_max));
  if (d.window_max) {
    text += fmt::format(" though {} offers {} B", receiver, format_count(*d.window_max));
  }
  return text + fmt::format(": its send buffer is the limit, at {}.", rate_of(flow));
}

std::string reader_summary(const Flow& flow, std::string_view sender) {
  const DirectionResult& d = flow.direction;
  std::string text = fmt::format("The program at {} reads too slowly for {}",
                                 format_endpoint(flow.receiver), sender);
  if (d.zero_window_us > 0) {
    text += fmt::format(": its window was closed for {}", format_time(d.zero_window_us));
  }
  if (flow.direction.bytes < kTooLittleForARate) return text + ".";
  return text + fmt::format("; the transfer got {}.", rate_of(flow));
}

std::string_view stall_cause(const Flow& flow) {
  if (flow.stalled_closed()) return "the receiver's window was closed";
  switch (flow.direction.longest_stall_limit) {
    case Limit::receiver_app:
      return "the receiver did not read";
    case Limit::receiver_window:
      return flow.direction.zero_window_count > 0 ? "the receiver's window was closed"
                                                  : "the receiver's window was full";
    case Limit::congestion:
      return "packets were lost and the sender waited for its timer";
    case Limit::sender_app:
      return "the sender had nothing to send";
    case Limit::sender_buffer:
    case Limit::sender_paced:
      return "the sender held back";
    default:
      return "the cause does not show in the capture";
  }
}

class EvidenceList {
 public:
  EvidenceList() { list_.reserve(kUsual); }
  void add(std::string_view key, double value, std::string_view unit) {
    list_.push_back({key, value, unit});
  }
  template <class T>
  void add_if(std::string_view key, const std::optional<T>& value, std::string_view unit) {
    if (value) add(key, static_cast<double>(*value), unit);
  }
  std::vector<Evidence> take() { return std::move(list_); }

 private:
  static constexpr std::size_t kUsual = 16;
  std::vector<Evidence> list_;
};

void add_window_evidence(const Flow& flow, const Sizing& sizing, EvidenceList& list) {
  const DirectionResult& d = flow.direction;
  list.add_if("blocked_window_bytes", d.blocked_window, "B");
  list.add_if("blocked_rtt_us", d.blocked_rtt_us, "us");
  list.add_if("window_max_bytes", d.window_max, "B");
  list.add_if("window_first_bytes", d.window_first, "B");
  if (d.scale.state == analysis::Presence::known) {
    list.add("window_scale_shift", static_cast<double>(d.scale.shift), "");
  }
  if (sizing.target_bps) list.add("target_bps", *sizing.target_bps, "bit/s");
  if (sizing.target_bps && sizing.rtt_us && sizing.window > 0) {
    list.add("needed_window_bytes", static_cast<double>(sizing.window), "B");
  }
}

}  // namespace

std::string summary_of(const Flow& flow, const Verdict& verdict) {
  const std::string sender = format_address(flow.sender.address);
  const std::string receiver = format_address(flow.receiver.address);
  if (verdict.cause == "scale-rewritten" && verdict.limit != Limit::receiver_window) {
    return fmt::format(
        "The sender {} stops at {} B in flight, the raw window field of {}: it does not know the "
        "scale.",
        sender, format_count(flow.direction.flight_max.value_or(0)), receiver);
  }
  switch (verdict.limit) {
    case Limit::receiver_window:
      return window_summary(flow, verdict, sender, receiver);
    case Limit::receiver_app:
      return reader_summary(flow, sender);
    case Limit::congestion:
      return congestion_summary(flow, sender, receiver);
    case Limit::bandwidth:
      return fmt::format("The path from {} to {} is full at {}.", sender, receiver, rate_of(flow));
    case Limit::sender_app:
      return fmt::format("The program at {} had nothing to send most of the time.",
                         format_endpoint(flow.sender));
    case Limit::sender_buffer:
      return buffer_summary(flow, sender, receiver);
    case Limit::sender_paced:
      return fmt::format("The sender {} sends at a steady {} of its own choice.", sender,
                         rate_of(flow));
    case Limit::slow_start:
      // A connection that is open may go on; it may also rest after a short transfer.
      if (flow.connection.end == analysis::End::open)
        return fmt::format("The transfer from {} to {} has not reached full speed yet.", sender,
                           receiver);
      return fmt::format("The transfer from {} to {} ended while it was still speeding up.", sender,
                         receiver);
    default:
      return fmt::format("What limits {} to {} does not show in this capture.", sender, receiver);
  }
}

std::vector<Evidence> evidence_of(const Flow& flow, const Verdict& verdict, const Sizing& sizing) {
  const DirectionResult& d = flow.direction;
  EvidenceList list;
  if (flow.rate_bps > 0) list.add("rate_bps", flow.rate_bps, "bit/s");
  list.add_if("ceiling_bps", verdict.ceiling_bps, "bit/s");
  list.add_if("rtt_base_us", d.rtt_base_us, "us");
  list.add_if("capacity_bps", sizing.capacity_bps, "bit/s");
  if (d.blocked_us && d.busy_us && *d.busy_us > 0) {
    list.add("receiver_blocked_share",
             static_cast<double>(*d.blocked_us) / static_cast<double>(*d.busy_us), "1");
  }
  switch (verdict.limit) {
    case Limit::receiver_window:
      add_window_evidence(flow, sizing, list);
      break;
    case Limit::receiver_app:
      list.add("zero_window_count", static_cast<double>(d.zero_window_count), "");
      list.add("zero_window_us", static_cast<double>(d.zero_window_us), "us");
      list.add("window_probes", static_cast<double>(d.window_probes), "");
      list.add_if("window_max_bytes", d.window_max, "B");
      break;
    case Limit::congestion:
      list.add("retransmitted_segments", static_cast<double>(d.retransmitted_segments), "");
      list.add("segments", static_cast<double>(d.segments), "");
      list.add("timeouts", static_cast<double>(d.timeouts), "");
      break;
    default:
      list.add_if("flight_max_bytes", d.flight_max, "B");
      list.add_if("window_max_bytes", d.window_max, "B");
      list.add_if("rtt_p50_us", d.rtt_p50_us, "us");
      break;
  }
  if (d.capture_gap_bytes > 0) {
    list.add("capture_gap_bytes", static_cast<double>(d.capture_gap_bytes), "B");
  }
  return list.take();
}

std::string stall_note(const Flow& flow) {
  const DirectionResult& d = flow.direction;
  if (d.longest_stall_us < kStallWorthTelling) return {};
  return fmt::format("No progress for {:.1f} s at {:.1f} s: {}.",
                     static_cast<double>(d.longest_stall_us) / 1e6,
                     static_cast<double>(d.longest_stall_at_us) / 1e6, stall_cause(flow));
}

}  // namespace rwin::rules
