#include "tests/support/simulated_transfer.h"

#include <algorithm>

namespace rwin::test {
namespace {

using analysis::flag::kAck;
using analysis::flag::kPsh;

constexpr std::int64_t kMs = 1'000'000;
constexpr std::int64_t kReaction = 10'000;  // of a host to a packet

}  // namespace

SimulatedTransfer::SimulatedTransfer(Net& net, const TransferSpec& spec, std::function<void()> done)
    : net_(net),
      spec_(spec),
      done_(std::move(done)),
      sender_(spec.side),
      receiver_(1 - spec.side) {}

void SimulatedTransfer::start() {
  Host& s = net_.host(sender_);
  Host& r = net_.host(receiver_);
  mss_ = net_.mss();
  started_ = since_ = read_at_ = net_.now();
  begin_ = una_ = next_ = s.sent;
  end_ = begin_ + spec_.bytes;
  read_ = r.received;
  cwnd_ = static_cast<double>(spec_.first_cwnd * mss_);
  rto_ = 200 * kMs + 2 * (net_.way(0).delay_ns + net_.way(1).delay_ns);
  net_.listeners.push_back([this](const Packet& p, bool odd) {
    net_.at(net_.now() + kReaction, [this, p, odd] {
      if (finished_) return;
      if (p.side == receiver_ && p.has(kAck))
        on_ack(p);
      else if (p.side == sender_)
        on_data(p, odd);
    });
  });
  if (spec_.reader > 0 || spec_.pause_ns > 0) net_.at(net_.now(), [this] { read(); });
  pump();
}

std::int64_t SimulatedTransfer::written() const {
  if (spec_.chunk == 0) return end_;
  const std::int64_t chunks = 1 + (net_.now() - started_) / spec_.chunk_every_ns;
  return std::min(end_, begin_ + chunks * spec_.chunk);
}

std::int64_t SimulatedTransfer::in_flight() const {
  if (!troubled_) return next_ - una_;
  std::int64_t bytes = 0;
  for (const Flying& f : flying_) {
    if (!f.sacked && !f.lost) bytes += f.right - f.left;
  }
  return bytes;
}

bool SimulatedTransfer::drops(std::int64_t number) const {
  if (spec_.drop_every > 0 && number % spec_.drop_every == 0) return true;
  return std::find(spec_.drop.begin(), spec_.drop.end(), number) != spec_.drop.end();
}

void SimulatedTransfer::put(Flying& f) {
  const bool last =
      spec_.push || f.right == end_ || (spec_.chunk > 0 && (f.right - begin_) % spec_.chunk == 0);
  Packet p =
      net_.fresh(sender_, last ? static_cast<std::uint8_t>(kAck | kPsh) : kAck, f.right - f.left);
  p.seq = f.left;
  last_sent_ = net_.now();
  net_.send(p, fate(f));
}

bool SimulatedTransfer::chance(double share) {
  dice_ = dice_ * 6364136223846793005ULL + 1442695040888963407ULL;  // Knuth's MMIX generator
  return static_cast<double>(dice_ >> 33) < share * static_cast<double>(1ULL << 31);
}

Fate SimulatedTransfer::fate(const Flying& f) {
  Fate out;
  out.lost = !f.again && drops(f.number);
  out.lost_early = out.lost && spec_.drop_early;
  out.doubled = spec_.doubled > 0 && chance(spec_.doubled);
  out.twice = spec_.twice;
  out.spaced = true;
  out.uncaptured = spec_.unrecorded > 0 && chance(spec_.unrecorded);
  if (spec_.late > 0 && chance(spec_.late)) out.late_ns = spec_.late_ns;
  if (spec_.slow > 0 && chance(spec_.slow)) out.slow_ns = spec_.slow_ns;
  return out;
}

void SimulatedTransfer::send_new(std::int64_t length) {
  Flying f{next_, next_ + length, ++segments_, net_.now()};
  next_ += length;
  put(f);
  flying_.push_back(f);
}

bool SimulatedTransfer::resend() {
  for (Flying& f : flying_) {
    if (!f.lost) continue;
    f.lost = false;
    f.again = true;
    put(f);
    return true;
  }
  return false;
}

// The state since the last call, as the kernel's chronograph keeps it.
void SimulatedTransfer::account(bool held) {
  const std::int64_t now = net_.now();
  if (busy_) truth_.busy_ns += now - since_;
  if (busy_ && held_) truth_.held_ns += now - since_;
  since_ = now;
  held_ = held;
  busy_ = !finished_ && (next_ > una_ || written() > next_);
}

void SimulatedTransfer::wake(std::int64_t time) {
  if (woken_ >= net_.now() && woken_ <= time) return;
  woken_ = time;
  net_.at(time, [this] {
    woken_ = -1;
    if (!finished_) pump();
  });
}

void SimulatedTransfer::pump() {
  const std::int64_t now = net_.now();
  const std::int64_t edge = net_.host(sender_).peer_edge;
  if (spec_.idle_restart && una_ == next_ && segments_ > 0 && now - last_sent_ > rto_) {
    cwnd_ = static_cast<double>(spec_.first_cwnd * mss_);
  }
  bool held = false;
  const std::int64_t super = std::max(mss_, net_.host(sender_).spec.offload / mss_ * mss_);
  for (;;) {
    const auto room = static_cast<std::int64_t>(cwnd_) - in_flight();
    if (room < mss_ && !flying_.empty()) break;
    if (spec_.pace > 0 && now < pace_at_) {
      wake(pace_at_);
      break;
    }
    if (recover_ >= 0 && resend()) continue;
    const std::int64_t ready = written() - next_;
    if (ready <= 0) {
      if (written() < end_) {
        wake(started_ + ((now - started_) / spec_.chunk_every_ns + 1) * spec_.chunk_every_ns);
      }
      break;
    }
    const std::int64_t unit = std::min(mss_, ready);
    if (next_ + unit > edge) {
      held = true;
      break;
    }
    if (spec_.most_in_flight > 0 && next_ - una_ + unit > spec_.most_in_flight) break;
    std::int64_t length = std::min({ready, super, edge - next_, std::max(room, mss_)});
    if (spec_.most_in_flight > 0) {
      const std::int64_t left = spec_.most_in_flight - (next_ - una_);
      length = std::min(length, std::max(unit, left - left % mss_));
    }
    if (length > mss_ && length < ready) length -= length % mss_;
    send_new(length);
    if (spec_.pace > 0) {
      pace_at_ = std::max(pace_at_, now) +
                 static_cast<std::int64_t>(1e9 * static_cast<double>(length) / spec_.pace);
    }
  }
  account(held);
  arm_timer();
}

void SimulatedTransfer::arm_timer() {
  const std::uint64_t generation = ++timer_;
  if (finished_ || (next_ == una_ && !held_)) return;
  net_.at(net_.now() + (rto_ << std::min<std::int64_t>(backoff_, 6)),
          [this, generation] { on_timer(generation); });
}

void SimulatedTransfer::on_timer(std::uint64_t generation) {
  if (finished_ || generation != timer_) return;
  ++backoff_;
  const std::int64_t peer_edge = net_.host(sender_).peer_edge;
  if (next_ == una_ &&
      peer_edge > next_) {  // less than a segment fits: the timer fills it (tcp_write_wakeup())
    send_new(std::min(peer_edge, written()) - next_);
    account(held_);
    arm_timer();
    return;
  }
  if (next_ == una_) {  // a closed window: probe with the byte before (RFC 9293 3.8.6.1,
                        // tcp_xmit_probe_skb())
    Packet p = net_.fresh(sender_, kAck, 0);
    p.seq = una_ - 1;
    net_.send(p);
    account(held_);
    arm_timer();
    return;
  }
  threshold_ = std::max(cwnd_ / 2, 2.0 * static_cast<double>(mss_));
  cwnd_ = static_cast<double>(mss_);
  recover_ = next_;
  troubled_ = true;
  for (Flying& f : flying_) f.lost = !f.sacked;
  pump();
}

void SimulatedTransfer::take_sack(const Packet& p) {
  for (const auto& block : p.sack) {
    troubled_ = true;
    for (Flying& f : flying_) {
      if (f.left >= block[0] && f.right <= block[1]) {
        f.sacked = true;
        f.lost = false;
      }
    }
  }
}

// RFC 6298, with the kernel's smallest deviation.
void SimulatedTransfer::measure(std::int64_t sample) {
  if (smooth_ < 0) {
    smooth_ = sample;
    deviation_ = sample / 2;
  } else {
    deviation_ += (std::abs(sample - smooth_) - deviation_) / 4;
    smooth_ += (sample - smooth_) / 8;
  }
  rto_ = smooth_ + std::max(200 * kMs, 4 * deviation_);
}

// Lost: three segments' worth beyond it has arrived (RFC 6675).
void SimulatedTransfer::mark_lost() {
  if (!troubled_) return;
  std::int64_t beyond = 0;
  bool any = false;
  for (auto it = flying_.rbegin(); it != flying_.rend(); ++it) {
    if (it->sacked)
      beyond += it->right - it->left;
    else if (!it->again && !it->lost && beyond >= 3 * mss_)
      it->lost = any = true;
  }
  if (!any || recover_ >= 0) return;
  recover_ = next_;
  threshold_ = cwnd_ = std::max(cwnd_ * 0.7, 2.0 * static_cast<double>(mss_));
}

void SimulatedTransfer::on_ack(const Packet& p) {
  const std::int64_t news = p.ack - una_;
  una_ = std::max(una_, p.ack);
  while (!flying_.empty() && flying_.front().right <= una_) {
    if (!flying_.front().again) measure(net_.now() - flying_.front().sent);
    flying_.pop_front();
  }
  if (!flying_.empty()) flying_.front().left = std::max(flying_.front().left, una_);
  take_sack(p);
  mark_lost();
  if (recover_ >= 0 && una_ >= recover_) recover_ = -1;
  if (troubled_)
    troubled_ = std::any_of(flying_.begin(), flying_.end(),
                            [](const Flying& f) { return f.sacked || f.lost; });
  if (news > 0 && recover_ < 0) {
    const bool starved =
        in_flight() + news < static_cast<std::int64_t>(cwnd_) / 2;  // RFC 7661: cwnd was not used
    if (!starved && cwnd_ < threshold_)
      cwnd_ += static_cast<double>(news);
    else if (!starved)
      cwnd_ += static_cast<double>(mss_) * static_cast<double>(news) / cwnd_;
  } else if (news > 0 && cwnd_ < threshold_) {
    cwnd_ += static_cast<double>(news);
  }
  if (news > 0 || net_.host(sender_).peer_window > 0) backoff_ = 0;
  if (una_ >= end_) {
    finished_ = true;
    account(false);
    done_();
    return;
  }
  pump();
}

}  // namespace rwin::test
