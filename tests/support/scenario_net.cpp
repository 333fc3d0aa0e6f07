#include "tests/support/scenario_net.h"

#include <algorithm>

namespace rwin::test {
namespace {

using analysis::flag::kAck;
using analysis::flag::kFin;
using analysis::flag::kRst;
using analysis::flag::kSyn;

constexpr std::int64_t kStartNs = 1'700'000'000'000'000'000;
constexpr std::int64_t kTwiceNs = 2'000;
constexpr double kUsualRate = 1e9;  // of a way whose rate nobody has told: keeps bursts apart

std::int64_t space(const Packet& p) {
  return p.len + (p.has(kSyn) ? 1 : 0) + (p.has(kFin) ? 1 : 0);
}

// The box stands beside the client: has a packet passed it before it comes to `view`?
bool behind_box(View view, int side) { return (view == View::client) == (side == 1); }

}  // namespace

bool Host::arrive(const Packet& p) {
  if (p.has(kSyn)) {
    const auto peer = p.boxed_wscale;
    const bool both = peer && (sent_wscale || (spec.wscale && !p.has(kAck)));
    peer_shift = both ? std::min<int>(*peer, 14) : 0;
    const auto own = sent_wscale ? sent_wscale : spec.wscale;
    shift = both && own ? std::min<int>(*own, 14) : 0;
    received = 1;
  }
  if (p.ts && static_cast<std::int32_t>(p.tsval - ts_recent) >= 0 && p.seq <= last_ack)
    ts_recent = p.tsval;
  if (p.ts && p.has(kSyn)) ts_recent = p.tsval;
  if (!p.has(kRst)) {
    acked = std::max(acked, p.has(kAck) ? p.ack : 0);
    peer_window = std::int64_t{p.window} << (p.has(kSyn) ? 0 : peer_shift);
    peer_edge = std::max(peer_edge, (p.has(kAck) ? p.ack : 1) + peer_window);
  }
  if (p.has(kSyn) || space(p) == 0) return false;
  const bool odd = p.seq != received;
  take_data(p.seq, p.seq + space(p));
  return odd;
}

void Host::take_data(std::int64_t left, std::int64_t right) {
  if (right <= received) {
    duplicate = {{left, right}};
    return;
  }
  const auto known = beyond.upper_bound(left);
  if (known != beyond.begin() && std::prev(known)->second >= right) duplicate = {{left, right}};
  std::int64_t a = std::max(left, received);
  std::int64_t b = right;
  for (auto it = beyond.begin(); it != beyond.end();) {
    if (it->second < a || it->first > b) {
      ++it;
      continue;
    }
    a = std::min(a, it->first);
    b = std::max(b, it->second);
    it = beyond.erase(it);
  }
  if (a <= received) {
    received = b;
  } else {
    beyond[a] = b;
    newest.insert(newest.begin(), {a, b});
  }
  const auto gone = [&](const std::array<std::int64_t, 2>& block) {
    const auto it = beyond.find(block[0]);
    return it == beyond.end() || it->second != block[1];
  };
  newest.erase(std::remove_if(newest.begin(), newest.end(), gone), newest.end());
}

Net::Net(const Scenario& scenario, const Conversation& talk, View view, std::uint32_t isn)
    : scenario_(scenario), talk_(talk), view_(view) {
  for (std::size_t i = 0; i < 2; ++i) {
    hosts_[i].spec = talk.hosts[i];
    hosts_[i].window = talk.hosts[i].window;
    hosts_[i].isn = i == 1 ? isn : isn * 3 + 7;
    hosts_[i].clock_base = i == 1 ? isn - 50 : isn + 1000;
  }
}

std::int64_t Net::mss() const {
  const HostSpec& a = talk_.hosts[0];
  const HostSpec& b = talk_.hosts[1];
  const int size = std::min<int>(a.mss.value_or(536), b.mss.value_or(536));
  return size - (a.timestamps && b.timestamps ? 12 : 0);
}

void Net::at(std::int64_t time, std::function<void()> what) {
  events_.push({std::max(time, now_), order_++, std::move(what)});
}

void Net::run() {
  while (!events_.empty()) {
    Event e = events_.top();
    events_.pop();
    now_ = e.time;
    e.what();
  }
}

Packet Net::fresh(int side, std::uint8_t flags, std::int64_t len) {
  Host& h = host(side);
  const Host& peer = host(1 - side);
  Packet p;
  p.side = side;
  p.flags = flags;
  p.len = len;
  p.seq = h.sent;
  p.ack = h.received;
  const bool syn = p.has(kSyn);
  p.ts = h.spec.timestamps && (syn && !p.has(kAck) ? true : peer.spec.timestamps);
  p.tsval = h.clock(now_);
  p.tsecr = p.has(kAck) ? h.ts_recent : 0;
  if (syn) {
    p.seq = 0;
    p.mss = h.spec.mss;
    p.wscale = h.spec.wscale;
    p.sack_permitted = h.spec.sack;
    p.window = static_cast<std::uint16_t>(std::min<std::int64_t>(65535, h.window));
  } else {
    p.window = h.field
                   ? *h.field
                   : static_cast<std::uint16_t>(std::min<std::int64_t>(65535, h.window >> h.shift));
  }
  if (p.has(kAck) && !syn && h.spec.sack && peer.spec.sack) {
    p.sack = h.duplicate;
    h.duplicate.clear();
    const std::size_t most = p.ts ? 3 : 4;
    for (const auto& block : h.newest) {
      if (p.sack.size() < most) p.sack.push_back(block);
    }
  }
  p.ip_id = h.spec.ip_ids ? h.next_id++ : 0;
  if (h.next_id == 0) h.next_id = 1;
  return p;
}

Packet Net::from_spec(const PacketSpec& spec) {
  Host& h = host(spec.side);
  if (spec.window_field) h.field = spec.window_field;
  if (spec.window_bytes) {
    h.field.reset();
    h.window = *spec.window_bytes;
  }
  Packet p = fresh(spec.side, spec.flags, spec.len);
  if (spec.window_field && p.has(kSyn)) p.window = *spec.window_field;
  if (spec.again) p.seq = h.acked;
  if (spec.probe) p.seq = h.sent - 1;
  if (spec.seq) p.seq = *spec.seq;
  if (spec.ack) p.ack = *spec.ack;
  if (spec.ack_step) p.ack = h.last_ack + *spec.ack_step;
  if (spec.ip_id) p.ip_id = *spec.ip_id;
  p.options_cut = spec.options_cut;
  p.ts = p.ts && spec.with_ts;
  if (spec.tsval) p.tsval = *spec.tsval;
  if (spec.tsecr) p.tsecr = *spec.tsecr;
  if (spec.mss) p.mss = spec.mss;
  if (spec.without_mss) p.mss.reset();
  if (spec.wscale)
    p.wscale =
        *spec.wscale < 0 ? std::nullopt : std::optional(static_cast<std::uint8_t>(*spec.wscale));
  p.boxed_wscale = p.wscale;
  if (spec.boxed_wscale) {
    p.boxed_wscale = *spec.boxed_wscale < 0
                         ? std::nullopt
                         : std::optional(static_cast<std::uint8_t>(*spec.boxed_wscale));
  }
  if (!spec.auto_sack) p.sack = spec.sack;
  return p;
}

void Net::send(const Packet& p, const Fate& fate) {
  Host& h = host(p.side);
  if (p.has(kSyn)) {
    h.sent_wscale = p.wscale;
    h.sent = std::max<std::int64_t>(h.sent, 1);
  }
  h.sent = std::max(h.sent, p.seq + space(p));
  if (p.has(kAck)) h.last_ack = std::max(h.last_ack, p.ack);
  h.edge = std::max(
      h.edge, (p.has(kAck) ? p.ack : 1) + (std::int64_t{p.window} << (p.has(kSyn) ? 0 : h.shift)));
  record(p.side == 0 ? View::client : View::server, now_, p, fate);
  if (h.spec.offload == 0 || p.len <= mss()) return travel(p, fate);
  for (std::int64_t sent = 0; sent < p.len; sent += mss()) {  // the interface cuts it to size
    Packet piece = p;
    piece.seq = p.seq + sent;
    piece.len = std::min(mss(), p.len - sent);
    if (sent + piece.len < p.len) piece.flags = static_cast<std::uint8_t>(p.flags & kAck);
    travel(piece, fate);
  }
}

void Net::travel(const Packet& p, const Fate& fate) {
  const auto from = static_cast<std::size_t>(p.side);
  const WaySpec& w = talk_.ways[from];
  if (fate.lost_early) return;
  const std::int64_t middle = now_ + w.delay_ns / 2;
  record(View::middle, middle, p, fate);
  if (fate.lost) return;
  // Its own time on the bottleneck is part of the delay; it makes those behind it wait.
  const double rate = w.rate_bps == 0 && fate.spaced ? kUsualRate : w.rate_bps;
  std::int64_t leaves = middle;
  if (rate > 0) {
    const auto bits = static_cast<double>(8 * (p.len + 40 + (p.ts ? 12 : 0)));
    leaves = std::max(middle, free_at_[from]);
    const double queued = static_cast<double>(leaves - middle) * rate / 8e9;
    if (w.queue_bytes >= 0 && queued > static_cast<double>(w.queue_bytes)) return;
    free_at_[from] = leaves + static_cast<std::int64_t>(bits * 1e9 / rate);
  }
  const std::int64_t arrives = leaves + w.delay_ns - w.delay_ns / 2 + fate.slow_ns;
  at(arrives, [this, p, fate] { arrived(p, fate); });
  if (fate.doubled) at(arrives + kTwiceNs, [this, p, fate] { arrived(p, fate); });
}

void Net::arrived(const Packet& p, const Fate& fate) {
  record(p.side == 0 ? View::server : View::client, now_, p, fate);
  const bool odd = host(1 - p.side).arrive(p);
  for (const auto& listener : listeners) listener(p, odd);
}

void Net::record(View view, std::int64_t time, const Packet& p, const Fate& fate) {
  if (view != view_ || fate.uncaptured || time < scenario_.recorded_from_ns) return;
  const std::int64_t seen = time + fate.late_ns;
  const std::int64_t step = seen >= scenario_.clock_step_at_ns ? scenario_.clock_step_ns : 0;
  const bool boxed = behind_box(view, p.side);
  records_.push_back(
      {seen, static_cast<std::int64_t>(records_.size()), seen + fate.stamp_ns + step, p, boxed});
  if (fate.twice) {
    records_.push_back(
        {seen + kTwiceNs, static_cast<std::int64_t>(records_.size()), seen + kTwiceNs, p, boxed});
  }
}

std::vector<analysis::Segment> Net::take_records() {
  std::sort(records_.begin(), records_.end(), [](const Record& a, const Record& b) {
    return a.time != b.time ? a.time < b.time : a.order < b.order;
  });
  std::vector<analysis::Segment> out;
  out.reserve(records_.size());
  for (const Record& r : records_) {
    out.push_back(segment(r));
    out.back().record = out.size();
  }
  records_.clear();
  return out;
}

analysis::Segment Net::segment(const Record& r) const {
  using analysis::Presence;
  using analysis::Tri;
  const Packet& p = r.packet;
  const Host& from = hosts_[static_cast<std::size_t>(p.side)];
  const Host& to = hosts_[static_cast<std::size_t>(1 - p.side)];
  analysis::Segment s;
  s.time_ns = kStartNs + r.stamp;
  s.source = from.spec.end;
  s.destination = to.spec.end;
  s.seq = from.isn + static_cast<std::uint32_t>(p.seq);
  s.ack = p.has(kAck) ? to.isn + static_cast<std::uint32_t>(p.ack) : 0;
  s.payload = static_cast<std::uint32_t>(p.len);
  s.window = p.window;
  s.flags = p.flags;
  s.ttl = from.spec.ttl;
  s.ip_id = p.ip_id;
  s.dont_fragment = true;
  s.options_cut = p.options_cut;
  if (p.options_cut) return s;
  const auto wscale = r.boxed ? p.boxed_wscale : p.wscale;
  s.mss = p.mss ? Tri<std::uint16_t>::of(*p.mss) : Tri<std::uint16_t>::none();
  s.window_scale = wscale ? Tri<std::uint8_t>::of(*wscale) : Tri<std::uint8_t>::none();
  s.sack_permitted = p.sack_permitted ? Tri<bool>::of(true) : Tri<bool>::none();
  s.timestamps = p.ts ? Presence::known : Presence::absent;
  s.tsval = p.ts ? p.tsval : 0;
  s.tsecr = p.ts ? p.tsecr : 0;
  for (const auto& block : p.sack) {
    if (s.sack_count == analysis::kMaxSackBlocks) break;
    s.sack[s.sack_count++] = {to.isn + static_cast<std::uint32_t>(block[0]),
                              to.isn + static_cast<std::uint32_t>(block[1])};
  }
  return s;
}

}  // namespace rwin::test
