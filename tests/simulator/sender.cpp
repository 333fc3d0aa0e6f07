#include "tests/simulator/sender.h"

#include <algorithm>
#include <utility>

namespace rwin::sim {
namespace {

constexpr std::int64_t kWrite = 32'768;  // of the bulk program

}  // namespace

Sender::Sender(Clock& clock, const Spec& spec, std::function<void(const Packet&)> send,
               std::function<bool()> pressed)
    : clock_(clock),
      spec_(spec),
      send_(std::move(send)),
      pressed_(std::move(pressed)),
      window_(spec.sender.initial_cwnd, spec.sender.cubic, spec.sender.hystart) {}

Packet Sender::fresh() const {
  Packet p;
  p.from_sender = true;
  p.seq = nxt_;
  p.ack = rcv_next_;
  p.window = 502;
  p.tsval = static_cast<std::uint32_t>(clock_.now() / kMs) + 5'000'000;
  p.tsecr = ts_recent_;
  p.ip_id = ip_id_;
  return p;
}

void Sender::open() {
  Packet p = fresh();
  p.syn = p.sure = true;
  p.has_ack = false;
  p.seq = 0;
  p.ack = 0;
  p.window = 64'240;
  p.scale = spec_.sender.scale;
  send_(p);
}

void Sender::on_packet(const Packet& p) {
  if (static_cast<std::int32_t>(p.tsval - ts_recent_) > 0) ts_recent_ = p.tsval;
  if (p.syn) {
    peer_scale_ = p.scale;
    if (spec_.sender.scale && p.scale) peer_shift_ = *p.scale;
    edge_ = 1 + p.window;
    snd_wnd_ = max_wnd_ = p.window;
    Packet out = fresh();
    out.sure = true;
    if (!p.has_ack) {
      out.syn = true;
      out.seq = 0;
      out.window = 64'240;
      if (p.scale) out.scale = spec_.sender.scale;
    }
    ++ip_id_;
    send_(out);
    if (p.has_ack) clock_.after(200 * kUs, [this] { start_program(); });
    return;
  }
  if (p.fin) {
    ++rcv_next_;
    Packet out = fresh();
    out.sure = true;
    ++ip_id_;
    send_(out);
    return;
  }
  if (fin_sent_) return;
  if (p.length > 0) {
    if (p.seq != rcv_next_) return;
    rcv_next_ += p.length;
    if (!started_)
      start_program();
    else
      next_chunk();
  }
  on_ack(p);
}

// ---- the program

void Sender::start_program() {
  started_ = true;
  if (spec_.application.kind == ApplicationSpec::Kind::bulk) wanted_ = spec_.application.total;
  next_chunk();
}

void Sender::next_chunk() {
  const ApplicationSpec& app = spec_.application;
  if (app.kind != ApplicationSpec::Kind::bulk) {
    wanted_ = std::min(app.total, wanted_ + app.chunk);
    if (app.kind == ApplicationSpec::Kind::chunks && wanted_ < app.total)
      clock_.after(app.every, [this] { next_chunk(); });
  }
  write();
  pump();
}

// Fills the socket. A program that found it full is woken when a third of it is free
// (sk_stream_write_space()).
void Sender::write() {
  const std::int64_t in_use = written_ + 1 - una_;
  if (blocked_write_ && in_use * 3 > spec_.sender.send_buffer * 2) return;
  const std::int64_t room = std::max<std::int64_t>(0, spec_.sender.send_buffer - in_use);
  const std::int64_t bytes = std::min(room, wanted_ - written_);
  written_ += bytes;
  blocked_write_ = written_ < wanted_;
}

// ---- sending

std::int64_t Sender::full_segment() const {
  const std::int64_t half = max_wnd_ > 536 ? max_wnd_ / 2 : max_wnd_;  // tcp_bound_to_half_wnd()
  return half > 0 ? std::min(spec_.segment(), std::max<std::int64_t>(half, 68)) : spec_.segment();
}

double Sender::in_flight() const {
  std::int64_t n = flying_;
  if (!spec_.sack) n -= std::min(duplicates_, n);
  return static_cast<double>(n);
}

Hold Sender::window_hold() const { return pressed_() ? Hold::window_closed : Hold::window_small; }

Hold Sender::cwnd_hold() const {
  return recover_ >= 0 || ever_lost_ ? Hold::cwnd_lost : Hold::cwnd_climbing;
}

void Sender::pump() {
  if (!started_ || over_) return;
  if (spec_.sender.idle_restart && flight_.empty() && sent_ > 0 &&
      clock_.now() - last_sent_ > rto_ && written_ + 1 > nxt_)
    window_.restart();
  hold_ = try_to_send();
  const bool busy = !flight_.empty() || written_ + 1 > nxt_;
  log_.set(clock_.now(), hold_, busy);
  if (una_ == spec_.application.total + 1) finish();
  arm();
}

Hold Sender::try_to_send() {
  for (;;) {
    const std::int64_t ready = written_ + 1 - nxt_;
    if (lost_ == 0 && ready <= 0) {
      if (recover_ >= 0) return Hold::cwnd_lost;
      if (written_ == spec_.application.total) return Hold::drain;
      return blocked_write_ ? Hold::buffer : Hold::program;
    }
    if (spec_.sender.pace > 0 && clock_.now() < pace_at_) {
      wake_at(pace_at_);
      return Hold::pacer;
    }
    const double allowed = recover_ >= 0 && !timed_out_ ? prr_from_ : window_.get();
    if (allowed - in_flight() < 1) return cwnd_hold();
    if (lost_ > 0) {
      resend_first_lost();
      continue;
    }
    const std::int64_t unit = std::min(full_segment(), ready);
    if (nxt_ + unit > edge_) {
      const std::int64_t rest = edge_ - nxt_;
      if (spec_.sender.fill_edge && rest > 0 && last_sent_ == clock_.now()) {
        flight_.push_back({nxt_, edge_, clock_.now()});
        emit(flight_.back());
        continue;
      }
      return window_hold();
    }
    if (!send_new()) return Hold::buffer;
  }
}

// One segment of new data; false when a rest below a full segment waits for the program, which
// waits for room.
bool Sender::send_new() {
  const std::int64_t ready = written_ + 1 - nxt_;
  const std::int64_t length = std::min(full_segment(), ready);
  if (length < full_segment()) {
    if (blocked_write_ && !flight_.empty()) return false;
    small_ = nxt_ + length;
  }
  flight_.push_back({nxt_, nxt_ + length, clock_.now()});
  emit(flight_.back());
  return true;
}

void Sender::emit(const Flying& f) {
  Packet p = fresh();
  p.seq = f.left;
  p.length = f.right - f.left;
  const std::int64_t end = f.right - 1;
  const std::int64_t write =
      spec_.application.kind == ApplicationSpec::Kind::bulk ? kWrite : spec_.application.chunk;
  p.push = end == spec_.application.total || (f.left - 1) / write != end / write;
  ++ip_id_;
  ++sent_;
  if (!f.again) {
    ++flying_;
    nxt_ = f.right;
  }
  prr_out_ += 1;
  last_sent_ = clock_.now();
  if (spec_.sender.pace > 0)
    pace_at_ = std::max(pace_at_, clock_.now()) +
               static_cast<Time>(1e9 * static_cast<double>(p.wire_bytes()) / pace());
  send_(p);
}

// tcp_update_pacing_rate(): never far above what the congestion window lets through.
double Sender::pace() const {
  if (srtt_ <= 0) return spec_.sender.pace;
  const double per_round = window_.get() * static_cast<double>(spec_.segment());
  const double ratio = window_.get() < window_.threshold() / 2 ? 2.0 : 1.2;
  return std::min(spec_.sender.pace, ratio * per_round * 1e9 / static_cast<double>(srtt_));
}

void Sender::resend_first_lost() {
  for (Flying& f : flight_) {
    if (!f.lost) continue;
    f.lost = false;
    f.flying = f.again = true;
    f.sent = clock_.now();
    --lost_;
    ++flying_;
    ++sent_again_;
    ++needless_;
    emit(f);
    return;
  }
}

void Sender::wake_at(Time t) {
  if (woken_ == t) return;
  woken_ = t;
  clock_.at(t, [this, t] {
    if (woken_ != t) return;
    woken_ = -1;
    pump();
  });
}

void Sender::finish() {
  over_ = true;
  log_.set(clock_.now(), Hold::over, false);
  clock_.after(kMs, [this] {
    Packet p = fresh();
    p.fin = p.sure = true;
    ++ip_id_;
    ++nxt_;
    fin_sent_ = true;
    send_(p);
  });
}

// ---- timers

// One timer: retransmission while data is under way, persist while the window holds everything
// back.
void Sender::arm() {
  const bool persist = flight_.empty() && written_ + 1 > nxt_ &&
                       (hold_ == Hold::window_small || hold_ == Hold::window_closed);
  if (over_ || (flight_.empty() && !persist)) {
    deadline_ = -1;
    return;
  }
  const Time from = flight_.empty() ? clock_.now() : std::max(last_sent_, clock_.now());
  const Time wanted = from + (rto_ << std::min(backoff_, 8));
  if (persist && deadline_ > clock_.now() && deadline_ <= wanted) return;
  deadline_ = wanted;
  if (timer_set_ >= 0 && timer_set_ <= deadline_) return;
  timer_set_ = deadline_;
  clock_.at(deadline_, [this] { on_timer(); });
}

void Sender::on_timer() {
  timer_set_ = -1;
  if (over_ || deadline_ < 0) return;
  if (clock_.now() < deadline_) {
    timer_set_ = deadline_;
    clock_.at(deadline_, [this] { on_timer(); });
    return;
  }
  deadline_ = -1;
  ++backoff_;
  if (flight_.empty()) {
    probe();
    return;
  }
  // Everything not selectively acknowledged counts as lost.
  for (Flying& f : flight_) {
    if (f.sacked || f.lost) continue;
    if (f.flying) --flying_;
    f.flying = false;
    f.lost = true;
    ++lost_;
  }
  duplicates_ = 0;
  if (!timed_out_) window_.on_timeout();
  window_.set(1);
  timed_out_ = ever_lost_ = true;
  recover_ = nxt_;
  pump();
}

// tcp_write_wakeup(): fills what little room there is, else asks with the byte before the next.
void Sender::probe() {
  if (edge_ > nxt_) {
    flight_.push_back({nxt_, std::min(edge_, written_ + 1), clock_.now()});
    emit(flight_.back());
  } else {
    Packet p = fresh();
    p.seq = una_ - 1;
    ++ip_id_;
    send_(p);
  }
  log_.set(clock_.now(), hold_, true);
  arm();
}

}  // namespace rwin::sim
