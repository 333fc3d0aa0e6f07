#include "tests/simulator/receiver.h"

#include <algorithm>
#include <utility>

namespace rwin::sim {
namespace {

constexpr Time kReadTick = 4 * kMs;
constexpr std::int64_t kRequest = 120;

std::int64_t round_up(std::int64_t v, std::int64_t unit) { return (v + unit - 1) / unit * unit; }

}  // namespace

Receiver::Receiver(Clock& clock, const Spec& spec, std::function<void(const Packet&)> send)
    : clock_(clock), spec_(spec), send_(std::move(send)), buffer_(spec.receiver.buffer) {}

std::uint32_t Receiver::stamp() const {
  return static_cast<std::uint32_t>(clock_.now() / kMs) + 70'000;
}

Packet Receiver::fresh() const {
  Packet p;
  p.seq = own_next_;
  p.ack = next_;
  p.tsval = stamp();
  p.tsecr = ts_recent_;
  return p;
}

void Receiver::open() { syn(false); }

void Receiver::syn(bool answer) {
  Packet p = fresh();
  p.syn = p.sure = true;
  p.has_ack = answer;
  p.seq = 0;
  p.ack = answer ? 1 : 0;
  p.scale = spec_.receiver.scale;
  if (answer && !peer_scale_) p.scale.reset();
  wnd_ = std::min<std::int64_t>(65'535, buffer_);
  p.window = static_cast<std::uint16_t>(wnd_);
  edge_ = 1 + wnd_;
  p.ip_id = ++ip_id_;
  send_(p);
}

void Receiver::on_packet(const Packet& p) {
  if (p.syn) {
    ts_recent_ = p.tsval;
    peer_scale_ = p.scale;
    if (spec_.receiver.scale && p.scale) shift_ = *spec_.receiver.scale;
    if (!p.has_ack) {
      syn(true);
      return;
    }
    open_ = true;
    acknowledge();
    clock_.after(300 * kUs, [this] { request(); });
    start_reader();
    return;
  }
  if (!open_) {
    open_ = true;
    start_reader();
  }
  if (p.fin) {
    ++next_;
    Packet out = fresh();
    out.fin = out.sure = true;
    out.window = advertise();
    out.ip_id = ++ip_id_;
    send_(out);
    done_ = true;
    return;
  }
  if (p.length == 0 && p.seq == next_) return;  // a pure ACK
  take(p);
  if (spec_.receiver.batch == 0 && !settling_) {
    settle();
  } else if (!settling_) {
    settling_ = true;
    clock_.after(spec_.receiver.batch, [this] { settle(); });
  }
}

void Receiver::request() {
  Packet p = fresh();
  p.push = p.sure = true;
  p.length = kRequest;
  p.window = advertise();
  p.ip_id = ++ip_id_;
  own_next_ += kRequest;
  asked_ += spec_.application.chunk;
  thinking_ = false;
  send_(p);
}

void Receiver::take(const Packet& p) {
  const std::int64_t end = p.seq + p.length;
  if (p.seq <= last_ack_sent_ && static_cast<std::int32_t>(p.tsval - ts_recent_) > 0)
    ts_recent_ = p.tsval;               // RFC 7323 4.3
  if (p.length == 0 || end <= next_) {  // a probe, a keep-alive, or all of it here already
    if (p.length > 0) twice_ = {p.seq, end};
    now_ = true;
    return;
  }
  if (end > edge_) {  // beyond the window
    now_ = true;
    return;
  }
  for (const Range& r : ooo_) {
    if (p.seq >= r.left && end <= r.right) {
      twice_ = {p.seq, end};
      now_ = true;
      return;
    }
  }
  if (p.seq > next_) {
    Range block{p.seq, end};
    std::vector<Range> rest;
    for (const Range& r : ooo_) {
      if (r.right < block.left || r.left > block.right)
        rest.push_back(r);
      else
        block = {std::min(block.left, r.left), std::max(block.right, r.right)};
    }
    rest.push_back(block);
    std::sort(rest.begin(), rest.end(),
              [](const Range& a, const Range& b) { return a.left < b.left; });
    ooo_ = rest;
    std::erase_if(recent_,
                  [&](const Range& r) { return r.left >= block.left && r.right <= block.right; });
    recent_.insert(recent_.begin(), block);
    now_ = true;
    // Each makes a duplicate ACK, whatever comes with it: the sender counts them.
    acknowledge();
    return;
  }
  if (!ooo_.empty()) now_ = true;
  const std::int64_t before = next_;
  next_ = end;
  take_in_order();
  unread_ += next_ - before;
  if (owed_ == 0) owed_since_ = clock_.now();
  owed_ += next_ - before;
}

void Receiver::take_in_order() {
  while (!ooo_.empty() && ooo_.front().left <= next_) {
    next_ = std::max(next_, ooo_.front().right);
    ooo_.erase(ooo_.begin());
  }
  std::erase_if(recent_, [&](const Range& r) { return r.right <= next_; });
}

// After a batch: the program reads what it likes, then an ACK goes out or waits.
void Receiver::settle() {
  settling_ = false;
  if (spec_.receiver.reader <= 0 && spec_.receiver.pause_every == 0) {
    const std::int64_t bytes = std::exchange(unread_, 0);
    copied(bytes);
  }
  if (quick_ > 0 && owed_ > 0) {
    --quick_;
    now_ = true;
  }
  if (owed_ >= spec_.receiver.ack_every * spec_.segment()) now_ = true;
  if (now_)
    acknowledge();
  else if (owed_ > 0)
    ack_later();
  if (spec_.application.kind == ApplicationSpec::Kind::answers && !thinking_ &&
      received() >= asked_ && asked_ < spec_.application.total) {
    thinking_ = true;
    clock_.after(spec_.application.every, [this] { request(); });
  }
}

// Dynamic right-sizing: twice what was read in a round trip must fit.
void Receiver::adjust_buffer(std::int64_t bytes) {
  if (spec_.receiver.grow_to == 0) return;
  copied_ += bytes;
  if (clock_.now() - copied_since_ < spec_.base_rtt()) return;
  if (copied_ * 2 > buffer_)
    buffer_ =
        std::max(buffer_, std::min(spec_.receiver.grow_to, copied_ * 2 + 16 * spec_.segment()));
  copied_ = 0;
  copied_since_ = clock_.now();
}

void Receiver::start_reader() {
  if (reader_on_ || (spec_.receiver.reader <= 0 && spec_.receiver.pause_every == 0)) return;
  reader_on_ = true;
  clock_.after(kReadTick, [this] { read(); });
}

void Receiver::read() {
  const bool paused =
      spec_.receiver.pause_every > 0 && clock_.now() % spec_.receiver.pause_every >
                                            spec_.receiver.pause_every - spec_.receiver.pause_for;
  if (!paused && unread_ > 0) {
    std::int64_t bytes = unread_;
    if (spec_.receiver.reader > 0) {
      budget_ += spec_.receiver.reader * static_cast<double>(kReadTick) / 1e9;
      bytes = std::min(bytes, static_cast<std::int64_t>(budget_));
      budget_ -= static_cast<double>(bytes);
      if (bytes == unread_) budget_ = 0;
    }
    unread_ -= bytes;
    copied(bytes);
  }
  if (!done_ || unread_ > 0) clock_.after(kReadTick, [this] { read(); });
}

void Receiver::copied(std::int64_t bytes) {
  adjust_buffer(bytes);
  // An update goes out when the window has become twice what is left of it.
  const std::int64_t left = std::max<std::int64_t>(0, edge_ - next_);
  if (bytes > 0 && left * 2 <= buffer_) {
    const std::int64_t could = select_window();
    if (could > 0 && could >= 2 * left) acknowledge();
  }
}

std::int64_t Receiver::ooo_bytes() const {
  std::int64_t sum = 0;
  for (const Range& r : ooo_) sum += r.right - r.left;
  return sum;
}

std::int64_t Receiver::select_window() const {
  const std::int64_t room = buffer_ - unread_ - ooo_bytes();
  const std::int64_t mss = std::min<std::int64_t>(spec_.segment(), buffer_);
  if (room * 2 < buffer_ && (room < buffer_ / 16 || room < mss)) return 0;
  if (shift_ > 0)
    return std::min(round_up(room, std::int64_t{1} << shift_), std::int64_t{65'535} << shift_);
  std::int64_t window = wnd_;
  if (window <= room - mss || window > room) window = room / mss * mss;
  if (mss == buffer_ && room > window + buffer_ / 2) window = room;
  return std::min<std::int64_t>(window, 65'535);
}

// The right edge never moves left.
std::uint16_t Receiver::advertise() {
  const std::int64_t left = std::max<std::int64_t>(0, edge_ - next_);
  std::int64_t window = select_window();
  if (window < left) window = round_up(left, std::int64_t{1} << shift_);
  window = std::min(window, std::int64_t{65'535} << shift_);
  wnd_ = window;
  edge_ = std::max(edge_, next_ + window);
  return static_cast<std::uint16_t>(window >> shift_);
}

void Receiver::acknowledge() {
  Packet p = fresh();
  p.window = advertise();
  p.ip_id = ++ip_id_;
  if (spec_.sack) {
    if (twice_.right > 0) p.sack[p.sack_count++] = std::exchange(twice_, Range{});
    for (const Range& r : recent_) {
      if (p.sack_count < p.sack.size()) p.sack[p.sack_count++] = r;
    }
  }
  if (!spec_.sack) twice_ = {};
  last_ack_sent_ = next_;
  owed_ = 0;
  now_ = false;
  p.sure = !open_ || next_ == 1;
  send_(p);
}

void Receiver::ack_later() {
  if (ack_timer_) return;
  ack_timer_ = true;
  clock_.at(owed_since_ + spec_.receiver.ack_delay, [this] {
    ack_timer_ = false;
    if (owed_ == 0) return;
    if (clock_.now() >= owed_since_ + spec_.receiver.ack_delay)
      acknowledge();
    else
      ack_later();
  });
}

}  // namespace rwin::sim
