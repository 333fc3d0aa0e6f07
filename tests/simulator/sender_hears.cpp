// What a simulated sender makes of the packets that come back: windows, acknowledgements, loss.
#include <algorithm>

#include "tests/simulator/sender.h"

namespace rwin::sim {
namespace {

constexpr Time kSmallestRto = 200 * kMs;

}  // namespace

// tcp_may_update_window().
void Sender::hear_window(const Packet& p) {
  const std::int64_t window = std::int64_t{p.window} << peer_shift_;
  if (p.ack > una_ || window > snd_wnd_ || p.length > 0) {
    snd_wnd_ = window;
    edge_ = p.ack + window;
    max_wnd_ = std::max(max_wnd_, window);
  }
}

void Sender::on_ack(const Packet& p) {
  if (p.ack < una_ || p.ack > nxt_) return;
  const bool advanced = p.ack > una_;
  const std::int64_t wnd_before = snd_wnd_;
  hear_window(p);
  if (!advanced && p.length == 0 && snd_wnd_ == wnd_before) count_duplicates(p);
  if (advanced || hold_ == Hold::window_closed || hold_ == Hold::window_small) backoff_ = 0;
  if (backoff_ == 0 && advanced) deadline_ = -1;
  double newly = 0;
  if (advanced) newly += take_ack(p.ack, p.tsecr);
  if (spec_.sack) newly += take_sack(p);
  const bool lost = mark_lost();
  react(newly, lost, advanced);
  write();
  pump();
}

void Sender::count_duplicates(const Packet& p) {
  if (!spec_.sack && !flight_.empty() && p.ack == una_) ++duplicates_;
}

void Sender::sample_rtt(Time rtt) {
  smallest_rtt_ = std::min(smallest_rtt_, rtt);
  if (srtt_ < 0) {
    srtt_ = rtt;
    rttvar_ = rtt / 2;
  } else {
    rttvar_ += ((rtt > srtt_ ? rtt - srtt_ : srtt_ - rtt) - rttvar_) / 4;
    srtt_ += (rtt - srtt_) / 8;
  }
  rto_ = srtt_ + std::max(kSmallestRto, 4 * rttvar_);
}

void Sender::drop_counts(const Flying& f) {
  if (f.sacked) --sacked_;
  if (f.lost) --lost_;
  if (f.flying && !f.sacked) --flying_;
}

void Sender::delivered(Flying& f) {
  if (f.sent >= rack_sent_) {
    rack_sent_ = f.sent;
    rack_rtt_ = clock_.now() - f.sent;
  }
  if (!f.again && f.right < highest_sacked_) reordering_ = true;
  highest_sacked_ = std::max(highest_sacked_, f.right);
}

double Sender::take_ack(std::int64_t ack, std::uint32_t) {
  double newly = 0;
  Time rtt = -1;
  while (!flight_.empty() && flight_.front().right <= ack) {
    Flying& f = flight_.front();
    if (!f.sacked) {
      newly += 1;
      delivered(f);
      if (!f.again) rtt = clock_.now() - f.sent;
    }
    drop_counts(f);
    flight_.pop_front();
  }
  if (rtt >= 0) sample_rtt(rtt);
  una_ = ack;
  if (!spec_.sack) duplicates_ = 0;
  return newly;
}

double Sender::take_sack(const Packet& p) {
  double newly = 0;
  for (std::uint8_t i = 0; i < p.sack_count; ++i) {
    const Range& block = p.sack[i];
    if (i == 0 && block.right <= p.ack) {  // D-SACK (RFC 2883)
      reordering_ = true;
      if (needless_ > 0 && --needless_ == 0 && !timed_out_) {
        window_.undo();
        undone_ = true;
      }
    }
    if (block.right <= una_) continue;
    for (Flying& f : flight_) {
      if (f.right > block.right) break;
      if (f.sacked || f.left < block.left) continue;
      delivered(f);
      if (f.lost) --lost_;
      if (f.flying) --flying_;
      f.lost = f.flying = false;
      f.sacked = true;
      ++sacked_;
      newly += 1;
    }
  }
  return newly;
}

// RACK (RFC 8985) with the three duplicates of old as long as no reordering was seen.
bool Sender::mark_lost() {
  bool any = false;
  const auto lose = [&](Flying& f) {
    if (f.flying) --flying_;
    f.flying = false;
    f.lost = any = true;
    ++lost_;
  };
  if (!spec_.sack) {
    const bool again = recover_ >= 0 && !timed_out_;
    if (flight_.empty() || flight_.front().lost) return false;
    if ((again && duplicates_ == 0 && !flight_.front().again) || (recover_ < 0 && duplicates_ >= 3))
      lose(flight_.front());
    return any;
  }
  if (sacked_ == 0 && recover_ < 0) return false;
  std::int64_t above = sacked_;
  const Time slack = reordering_ ? smallest_rtt_ / 4 : 0;
  for (Flying& f : flight_) {
    if (f.sacked) {
      --above;
      continue;
    }
    if (!f.flying || f.sent > rack_sent_) continue;
    const bool late = f.sent < rack_sent_ && clock_.now() >= f.sent + rack_rtt_ + slack;
    if (above >= 3 && !reordering_ && !f.again)
      lose(f);
    else if (late && (above > 0 || f.again) && (reordering_ || f.again))
      lose(f);
  }
  return any;
}

void Sender::react(double newly, bool lost, bool advanced) {
  if (recover_ >= 0 && una_ >= recover_) {
    recover_ = -1;
    if (!timed_out_ && !undone_) window_.set(window_.threshold());
    timed_out_ = false;
    duplicates_ = 0;
  }
  if (undone_) recover_ = -1;
  if (recover_ < 0 && lost) {
    recover_ = nxt_;
    ever_lost_ = true;
    undone_ = false;
    needless_ = 0;
    prr_delivered_ = prr_out_ = 0;
    window_.on_loss();
  }
  if (recover_ >= 0 && !timed_out_) {
    // Proportional rate reduction, RFC 6937.
    prr_delivered_ += spec_.sack ? newly : std::max(newly, advanced ? 0.0 : 1.0);
    const double pipe = in_flight();
    const double threshold = window_.threshold();
    const double before = std::max(window_.get(), 1.0);
    double may = 0;
    if (pipe > threshold)
      may = prr_delivered_ * threshold / before - prr_out_;
    else
      may = std::min(threshold - pipe, std::max(prr_delivered_ - prr_out_, newly) + 1);
    if (prr_out_ == 0) may = std::max(may, 1.0);
    prr_from_ = pipe + std::max(may, 0.0);
    return;
  }
  // Only a sender that its window held may raise it (tcp_is_cwnd_limited()).
  const bool limited =
      hold_ == Hold::cwnd_climbing || hold_ == Hold::cwnd_lost ||
      (window_.slow_start() && window_.get() < 2 * static_cast<double>(flight_.size() + 1));
  if (newly > 0 && (limited || timed_out_))
    window_.grow(newly, clock_.now(), srtt_ < 0 ? spec_.base_rtt() : srtt_,
                 std::min<Time>(smallest_rtt_, kSecond));
}

}  // namespace rwin::sim
