// The receiving side of a simulated transfer: buffer, reader, ACKs.
#include <algorithm>

#include "tests/support/simulated_transfer.h"

namespace rwin::test {
namespace {

using analysis::flag::kAck;

constexpr std::int64_t kReadTick = 10'000'000;

}  // namespace

std::int64_t SimulatedTransfer::window() {
  Host& r = net_.host(receiver_);
  while (spec_.grow_to > r.window && net_.now() >= started_ + (grown_ + 1) * spec_.grow_every_ns) {
    ++grown_;
    r.window = std::min(spec_.grow_to, 2 * r.window);
  }
  const std::int64_t buffer = r.window;
  if (reading() && spec_.reader == 0) read_ = r.received;
  std::int64_t free = buffer - (r.received - read_);
  if (free < std::max(std::min(mss_, buffer / 2), buffer / 16)) free = 0;  // no silly windows
  free = std::max(free, r.edge - r.received);                              // never taken back
  return free >> r.shift << r.shift;
}

void SimulatedTransfer::acknowledge() {
  Host& r = net_.host(receiver_);
  const std::int64_t w = window();
  Packet p = net_.fresh(receiver_, kAck, 0);
  p.window = static_cast<std::uint16_t>(std::min<std::int64_t>(65535, w >> r.shift));
  unanswered_ = 0;
  ack_owed_ = false;
  ++ack_timer_;
  Fate way;
  way.twice = spec_.twice;
  net_.send(p, way);
}

void SimulatedTransfer::on_data(const Packet& p, bool odd) {
  if (p.len == 0) {
    if (p.seq < net_.host(receiver_).received) acknowledge();  // a probe
    return;
  }
  unanswered_ += p.len;
  const bool at_once =
      odd || !net_.host(receiver_).beyond.empty() || unanswered_ >= spec_.ack_every * mss_;
  if (at_once) return acknowledge();
  if (ack_owed_) return;
  ack_owed_ = true;
  const std::uint64_t generation = ++ack_timer_;
  net_.at(net_.now() + spec_.ack_delay_ns, [this, generation] {
    if (generation == ack_timer_ && ack_owed_) acknowledge();
  });
}

bool SimulatedTransfer::reading() const {
  const std::int64_t pause = started_ + spec_.pause_at_ns;
  return spec_.pause_ns == 0 || net_.now() < pause || net_.now() >= pause + spec_.pause_ns;
}

void SimulatedTransfer::read() {
  if (finished_) return;
  const std::int64_t now = net_.now();
  const Host& r = net_.host(receiver_);
  if (reading()) {
    if (spec_.reader > 0) {
      read_rest_ += spec_.reader * static_cast<double>(now - read_at_) / 1e9;
      const auto take = std::min(static_cast<std::int64_t>(read_rest_), r.received - read_);
      read_ += take;
      read_rest_ =
          take < static_cast<std::int64_t>(read_rest_) ? 0 : read_rest_ - static_cast<double>(take);
    } else {
      read_ = r.received;
    }
    // Room to tell of (tcp_cleanup_rbuf()): at least twice what the sender still has.
    const std::int64_t left = r.edge - r.received;
    const std::int64_t w = window();
    if (2 * left <= r.window && w > 0 && w >= 2 * left) acknowledge();
  }
  read_at_ = now;
  net_.at(now + kReadTick, [this] { read(); });
}

}  // namespace rwin::test
