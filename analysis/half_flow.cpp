#include "analysis/half_flow.h"

#include <algorithm>

namespace rwin::analysis {
namespace {

// A segment that fills a hole this soon after the hole opened was overtaken, not sent again:
// recovery needs at least a round trip, and no path that can be window-limited has one this short
// (RACK's reordering window starts at RTT / 4, RFC 8985 6.2; without a time stamp or IP id this is
// all there is).
constexpr std::int64_t kReorderUs = 3'000;
// Linux's smallest retransmission timeout (TCP_RTO_MIN); RFC 6298 says 1 s.
constexpr std::int64_t kSmallestRtoUs = 200'000;

}  // namespace

void EchoMatcher::sent(std::uint32_t tsval, std::int64_t time_us) {
  if (any_ && static_cast<std::int32_t>(tsval - newest_) <= 0) return;
  any_ = true;
  newest_ = tsval;
  const auto now = static_cast<std::uint32_t>(time_us);
  if (count_ > 0 && now - last_taken_ < spacing_) return;
  if (count_ == kSlots) thin_out();
  const std::uint8_t slot = static_cast<std::uint8_t>((first_ + count_) % kSlots);
  value_[slot] = tsval;
  time_[slot] = last_taken_ = now;
  ++count_;
}

// Full: every second value goes, and the next ones are taken twice as far apart. So the slots cover
// all that is under way, however long the path, and a sender that answers only now and then is
// still met.
void EchoMatcher::thin_out() {
  const auto at = [&](unsigned i) { return (first_ + i) % kSlots; };
  spacing_ = (time_[at(kSlots - 1)] - time_[first_]) * 2 / (kSlots - 1);
  for (unsigned i = 1; i * 2 < kSlots; ++i) {
    value_[at(i)] = value_[at(2 * i)];
    time_[at(i)] = time_[at(2 * i)];
  }
  count_ = kSlots / 2;
}

std::uint32_t EchoMatcher::echoed(std::uint32_t tsecr, std::int64_t time_us) {
  while (count_ > 0) {
    const std::int32_t ahead = static_cast<std::int32_t>(value_[first_] - tsecr);
    if (ahead > 0) return 0;
    const std::uint32_t sent_at = time_[first_];
    first_ = static_cast<std::uint8_t>((first_ + 1) % kSlots);
    --count_;
    if (ahead != 0) continue;
    const std::uint32_t delay =
        std::max<std::uint32_t>(1, static_cast<std::uint32_t>(time_us) - sent_at);
    spacing_ = delay / kSlots;
    return delay;
  }
  return 0;
}

void HalfFlow::start_at(std::uint32_t seq) {
  // Far from zero, so that unwrapped numbers stay positive whatever comes before the first one
  // seen.
  origin_ = next_ = una_ = (std::int64_t{1} << 33) + seq;
  started_ = true;
}

void HalfFlow::on_clock_step() {
  echoes.clear();
  clock_step_ = true;
}

[[gnu::always_inline]] inline void HalfFlow::log(EventPool& pool, Event& e) {
  if (clock_step_) e.flags |= event::kClockStep;
  clock_step_ = false;
  log_.append(pool, e);
}

void HalfFlow::on_syn(std::uint32_t isn) {
  if (started_ && next_ > origin_) return;
  start_at(isn + 1);
  syn_seen_ = true;
}

void HalfFlow::on_receiver_syn(std::uint16_t window, std::int64_t now_us) {
  syn_window_ = window;
  syn_window_us_ = now_us;
  has_syn_window_ = true;
  last_window_ = window;
}

void HalfFlow::flush_pending(EventPool& pool) {
  if (has_syn_window_) {
    has_syn_window_ = false;
    Event e{syn_window_us_, origin_, 0, syn_window_, event::kAck | event::kUnscaled};
    log(pool, e);
  }
  if (has_pending_ack_) {
    has_pending_ack_ = false;
    Event e{pending_us_, pending_ack_, 0, pending_window_, event::kAck};
    log(pool, e);
  }
}

void HalfFlow::on_data(const Segment& segment, std::int64_t now_us, std::uint32_t echo_us,
                       EventPool& pool) {
  if (!started_) start_at(segment.seq);
  const bool syn = segment.has(flag::kSyn);
  const std::int64_t start = unwrap(segment.seq) + (syn ? 1 : 0);
  if (!syn && probe_or_keep_alive(segment, start, now_us, pool)) return;
  const std::int64_t end = start + segment.payload;
  if (segment.has(flag::kFin)) {
    fin_seen_ = true;
    fin_seq_ = end;
  }
  if (segment.payload == 0) return;
  if (has_syn_window_ || has_pending_ack_) flush_pending(pool);
  ++counters_.segments;
  counters_.wire_bytes += segment.payload;
  largest_payload_ = std::max(largest_payload_, segment.payload);
  Event e{now_us, end, echo_us, segment.payload, 0};
  if (segment.has(flag::kPsh)) {
    ++counters_.pushed;
    e.flags |= event::kPush;
  }
  if (segment.timestamps == Presence::known && segment.tsecr != last_echo_) {
    last_echo_ = segment.tsecr;
    e.flags |= event::kNewEcho;
  }
  if (end <= next_ || start < next_) {
    e.flags |= classify_old(segment, start, end, now_us);
  } else if (start > next_) {
    // What was in flight when the capture began was never there to be captured.
    if (counters_.segments == 1 && !syn_seen_ && next_ == origin_)
      origin_ = next_ = start;
    else
      add_hole(next_, start, now_us);
  }
  if (end > next_) {
    next_ = end;
    if (segment.timestamps == Presence::known) {
      newest_tsval_ = segment.tsval;
      has_tsval_ = true;
    }
    newest_ip_id_ = segment.ip_id;
  }
  last_data_us_ = now_us;
  log(pool, e);
}

bool HalfFlow::probe_or_keep_alive(const Segment& segment, std::int64_t start, std::int64_t now_us,
                                   EventPool& pool) {
  if (segment.payload > 1 || segment.has(flag::kFin) || segment.has(flag::kRst)) return false;
  const bool closed = ack_seen_ && last_window_ == 0;
  const bool before_next =
      start == next_ - 1 && una_ >= next_ - 1;  // repeats an acknowledged byte, RFC 9293 3.8.4
  const bool behind_edge = segment.payload == 1 && closed && start == next_ && una_ == next_;
  if (!before_next && !behind_edge) return false;
  if (next_ == origin_ && segment.payload == 0 && !closed)
    return false;  // a plain ACK right after the handshake
  if (closed) {
    ++counters_.probes;
    if (probe_open_) ++counters_.unanswered_probes;
    probe_open_ = true;
  } else {
    ++counters_.keep_alives;
  }
  if (log_.size() > 0) {
    Event e{now_us, next_, 0, 0, event::kProbe};
    log(pool, e);
  }
  return true;
}

std::uint16_t HalfFlow::classify_old(const Segment& segment, std::int64_t start, std::int64_t end,
                                     std::int64_t now_us) {
  // Captured after its ACK: the capture is out of order, the network is not.
  if (was_late(start, end, now_us)) {
    counters_.gap_bytes -= std::min<std::uint64_t>(counters_.gap_bytes, segment.payload);
    ++counters_.reordered;
    ++counters_.after_ack;
    return event::kReordered;
  }
  std::int64_t since_us = 0;
  if (fills_hole(start, end, since_us)) {
    const bool timed = segment.timestamps == Presence::known && has_tsval_;
    const auto ts_ahead = static_cast<std::int32_t>(segment.tsval - newest_tsval_);
    const auto id_ahead = static_cast<std::int16_t>(segment.ip_id - newest_ip_id_);
    const bool numbered =
        segment.ip_id != 0 && newest_ip_id_ != 0 && id_ahead < 0 && id_ahead > -1000;
    const bool soon = now_us - since_us <= kReorderUs;
    if ((timed && ts_ahead < 0) || numbered || (soon && !(timed && ts_ahead > 2))) {
      ++counters_.reordered;
      return event::kReordered;
    }
  }
  ++counters_.retransmitted_segments;
  counters_.retransmitted_bytes += static_cast<std::uint64_t>(std::min(end, next_) - start);
  std::uint16_t flags = event::kRetransmission;
  if (end <= una_) {
    ++counters_.spurious_acked;
    flags |= event::kSpurious;
  } else if (now_us - std::max(last_data_us_, last_progress_us_) >= kSmallestRtoUs &&
             duplicate_acks_ < 3) {
    ++counters_.timeouts;
    flags |= event::kTimeout;
  }
  return flags;
}

// What rides on every segment of a download: the same ACK and window, all that was sent is
// acknowledged.
bool HalfFlow::says_nothing(const Segment& segment) const {
  return next_ == una_ && segment.ack == static_cast<std::uint32_t>(una_) &&
         segment.window == last_window_ && segment.window != 0 && ack_seen_ &&
         segment.sack_count == 0 && counters_.segments > 0;
}

void HalfFlow::on_ack(const Segment& segment, std::int64_t now_us, std::uint32_t echo_us,
                      EventPool& pool) {
  if (!started_) start_at(segment.ack);
  ++counters_.acks;
  if (says_nothing(segment)) {
    probe_open_ = false;
    if (segment.timestamps == Presence::known) last_stamp_ = segment.tsval;
    return;
  }
  std::int64_t ack = unwrap(segment.ack);
  if (fin_seen_ && ack == fin_seq_ + 1) {
    fin_acked_ = true;
    ack = fin_seq_;
  }
  if (ack > next_ + (std::int64_t{1} << 30))
    return;           // nonsense: beyond the largest window there is (RFC 7323 2.3)
  if (ack > next_) {  // acknowledged but not captured
    if (!ack_seen_ && counters_.segments == 0 && next_ == origin_) {
      origin_ = next_ = una_ = ack;  // capture began in the middle of the connection
    } else if (!(fin_seen_ && ack > fin_seq_)) {
      counters_.gap_bytes += static_cast<std::uint64_t>(ack - next_);
      add_late(Hole{next_, ack, now_us});
      next_ = ack;
    } else {
      ack = next_;
    }
  }
  Event e{now_us, ack, echo_us, segment.window, event::kAck};
  if (segment.payload == 0 && ack == una_ && next_ > una_ && segment.window == last_window_) {
    e.flags |= event::kDuplicate;
    ++duplicate_acks_;
  }
  if (segment.sack_count > 0) {
    e.flags |= event::kSack;
    // D-SACK: the first block lies below the ACK or inside the second block (RFC 2883).
    const SackBlock& b = segment.sack[0];
    const bool below = static_cast<std::int32_t>(b.right - segment.ack) <= 0;
    if (below && static_cast<std::int32_t>(b.right - b.left) > 0) ++counters_.spurious_dsack;
  }
  if (segment.timestamps == Presence::known && segment.tsval != last_stamp_) {
    last_stamp_ = segment.tsval;
    e.flags |= event::kNewStamp;
  }
  if (segment.payload > 0) e.flags |= event::kCarriesData;
  if (segment.has(flag::kRst)) e.flags |= event::kReset;
  // An ACK that repeats the last one with nothing under way tells nothing, except that the window
  // is still shut.
  const bool news = ack > una_ || segment.window != last_window_ || next_ > una_ || !ack_seen_ ||
                    segment.window == 0;
  if (ack > una_) {
    una_ = ack;
    duplicate_acks_ = 0;
    last_progress_us_ = now_us;
    drop_holes_below(ack, now_us);
  }
  probe_open_ = false;
  ack_seen_ = true;
  last_window_ = segment.window;
  const bool nothing_sent = counters_.segments == 0 && counters_.gap_bytes == 0;
  const bool shut_midway = !syn_seen_ && segment.window == 0;  // it began while the sender waited
  if (nothing_sent && !shut_midway) {  // nothing to answer yet: only the last one matters
    pending_us_ = now_us;
    pending_ack_ = ack;
    pending_window_ = segment.window;
    has_pending_ack_ = true;
  } else if (news) {
    if (has_syn_window_ || has_pending_ack_) flush_pending(pool);
    log(pool, e);
  }
}

}  // namespace rwin::analysis
