#include "analysis/connection.h"

#include <algorithm>
#include <limits>
#include <utility>

namespace rwin::analysis {
namespace {

constexpr std::uint8_t kHighestShift = 14;  // RFC 7323 2.3
// Two interfaces merged into one capture are out of order by up to this.
constexpr std::int64_t kDisorderNs = 10'000'000;
// The same packet recorded twice (two mirror ports) comes within this; a retransmission needs a
// round trip, and IP gives it a new identification.
constexpr std::uint32_t kDuplicateUs = 1'000;
// With another TTL it is the same packet a router further on, and may have waited there.
constexpr std::uint32_t kRoutedDuplicateUs = 100'000;

// A silence from here on may be a clock that was set ahead.
constexpr std::int64_t kPauseNs = 300'000'000;

// Everything that two recordings of one packet share and two packets hardly do. Never 0: that is an
// empty slot.
std::uint32_t signature(const Segment& s) {
  const auto pair = [](std::uint32_t a, std::uint32_t b) { return (std::uint64_t{a} << 32) | b; };
  constexpr std::uint64_t kOdd = 0x9e3779b97f4a7c15ULL;
  const std::uint32_t rest = (std::uint32_t{s.window} << 16) | s.ip_id;
  std::uint64_t h = (pair(s.seq, s.ack) ^ (std::uint64_t{s.flags} << 56)) * kOdd;
  h = ((h ^ (h >> 32)) + pair(s.tsval, s.tsecr)) * 0xff51afd7ed558ccdULL;
  h = ((h ^ (h >> 32)) + pair(s.payload, rest)) * 0xc4ceb9fe1a85ec53ULL;
  for (std::uint8_t i = 0; i < s.sack_count; ++i)
    h = ((h ^ (h >> 32)) + pair(s.sack[i].left, s.sack[i].right)) * kOdd;
  return static_cast<std::uint32_t>(h >> 32) | 1;
}

}  // namespace

bool Connection::duplicate(const Segment& segment, int from, std::int64_t now_us) {
  const std::uint32_t hash = signature(segment);
  const auto now = static_cast<std::uint16_t>(now_us >> Recent::kTickBits);
  Recent& recent = recent_[static_cast<std::size_t>(from)];
  // Where it was met: on another side of a router, in a tunnel or out of it.
  const auto spot = static_cast<std::uint8_t>(segment.ttl + 37 * static_cast<int>(segment.tunnel));
  unsigned met = 0;
  for (const std::uint32_t h : recent.hash) met |= static_cast<unsigned>(h == hash);
  bool found = false;
  for (std::size_t i = 0; met != 0 && i < Recent::kSize; ++i) {
    if (recent.hash[i] != hash) continue;
    const std::uint32_t age = std::uint32_t{static_cast<std::uint16_t>(now - recent.time[i])}
                              << Recent::kTickBits;
    const bool routed = recent.spot[i] != spot;
    // Without an IP identification two equal pure ACKs at the same spot may both be real.
    const bool tells =
        routed || segment.ip_id != 0 || segment.payload > 0 || segment.has(flag::kSyn);
    if (!tells || age > (routed ? kRoutedDuplicateUs : kDuplicateUs)) continue;
    if (!found && routed) {
      ++routed_duplicates_;
      std::int16_t& known = copy_spot_[static_cast<std::size_t>(from)];
      if (known < 0) known = spot;
    }
    found = true;
  }
  // Copies that come behind more packets than are remembered.
  if (!found && copy_spot_[static_cast<std::size_t>(from)] == spot &&
      tells_nothing_new(segment, from)) {
    ++routed_duplicates_;
    found = true;
  }
  const std::uint8_t slot = recent.next;
  recent.hash[slot] = hash;
  recent.time[slot] = now;
  recent.spot[slot] = spot;
  recent.next = slot + 1U < Recent::kSize ? static_cast<std::uint8_t>(slot + 1) : std::uint8_t{0};
  return found;
}

bool Connection::tells_nothing_new(const Segment& segment, int from) const {
  if ((segment.flags & (flag::kSyn | flag::kFin | flag::kRst)) != 0) return false;
  const HalfFlow& own = halves_[static_cast<std::size_t>(from)];
  const HalfFlow& peer = halves_[static_cast<std::size_t>(1 - from)];
  const auto ahead = [](std::uint32_t number, std::int64_t known) {
    return static_cast<std::int32_t>(number - static_cast<std::uint32_t>(known)) > 0;
  };
  if (segment.payload > 0 && (!own.started() || ahead(segment.seq + segment.payload, own.next())))
    return false;
  return !segment.has(flag::kAck) || (peer.started() && !ahead(segment.ack, peer.acked()));
}

std::int64_t Connection::silent_ns(const Segment& segment) const {
  std::int64_t silent = 0;
  if (__builtin_add_overflow(segment.time_ns, clock_offset_ns_, &silent) ||
      __builtin_sub_overflow(silent, last_ns_, &silent))
    return 0;  // as steady_time() has it: no time passed
  return silent;
}

bool Connection::clock_set_ahead(const Segment& segment, bool from_a) const {
  constexpr std::int64_t kKnownNs = 100'000'000;
  constexpr double kLeastTicks = 50;  // slower clocks tell too little of a pause
  const std::int64_t silent = silent_ns(segment);
  if (silent < kPauseNs) return false;
  const std::size_t i = from_a ? 0 : 1;
  const StampClock& clock = stamps_[i];
  const std::int64_t known_ns = clock.last_ns - clock.first_ns;
  if (segment.timestamps != Presence::known || !stamped_[i] || known_ns < kKnownNs) return false;
  const auto ticks = [](std::uint32_t to, std::uint32_t from) {
    return static_cast<double>(static_cast<std::int32_t>(to - from));
  };
  const double per_ns = ticks(clock.last, clock.first) / static_cast<double>(known_ns);
  const double expected = per_ns * static_cast<double>(silent);
  const double passed = ticks(segment.tsval, clock.last);
  return expected >= kLeastTicks && passed >= 0 && passed < expected / 4;
}

bool Connection::is_reuse(const Segment& segment, bool from_a) const {
  if (!segment.has(flag::kSyn) || segment.has(flag::kAck)) return false;
  const int from = from_a ? 0 : 1;
  const auto i = static_cast<std::size_t>(from);
  if (!offers_[i].seen && !halves_[0].started() && !halves_[1].started()) return false;
  if (offers_[i].seen && isn_[i] == segment.seq) return false;
  return established_ || closed() || offers_[i].seen || halves_[i].carries_data();
}

bool Connection::closed() const {
  return reset_[0] || reset_[1] || (halves_[0].fin_acked() && halves_[1].fin_acked());
}

void Connection::on_syn(const Segment& segment, int from) {
  const auto i = static_cast<std::size_t>(from);
  const auto other = static_cast<std::size_t>(1 - from);
  const std::int64_t now_us = (last_ns_ - start_ns_) / 1000;
  HandshakeSide& offer = offers_[i];
  const bool repeated = offer.seen && isn_[i] == segment.seq;
  // Of repeated SYNs the answered one counts; after the answer a late copy changes nothing.
  if (repeated) offer.repeats = static_cast<std::uint8_t>(std::min(255, offer.repeats + 1));
  if (repeated && offers_[other].seen && !segment.has(flag::kAck) && syn_is_ack_[other]) return;
  const std::uint8_t repeats = offer.repeats;
  offer = HandshakeSide{};
  offer.repeats = repeats;
  offer.seen = true;
  isn_[i] = segment.seq;
  syn_us_[i] = now_us;
  syn_is_ack_[i] = segment.has(flag::kAck);
  offer.mss = segment.mss;
  offer.window_scale = segment.window_scale;
  offer.window_scale.value = std::min(offer.window_scale.value, kHighestShift);
  offer.sack = segment.sack_permitted;
  if (segment.timestamps == Presence::known)
    offer.timestamps = Tri<bool>::of(true);
  else
    offer.timestamps = {segment.timestamps, false};
  offer.window = segment.window;
  offer.ttl = segment.ttl;
  offer.dont_fragment = segment.dont_fragment;
  offer.ip_id = segment.ip_id;
  offer.options_cut = segment.options_cut;
  offer.option_kind_count = segment.option_kind_count;
  offer.option_kinds = segment.option_kinds;
  if (segment.has(flag::kAck) && syn_us_[other] >= 0 && offers_[other].repeats == 0 && !repeated &&
      !syn_untimed_[i] && !syn_untimed_[other]) {
    answered(from, now_us - syn_us_[other]);
    handshake_timed_[i] = true;
  }
  halves_[i].on_syn(segment.seq);
  halves_[other].on_receiver_syn(segment.window, now_us);
}

// Before the half-flow gets it. A FIN sent again gives no sample (Karn's rule).
void Connection::on_fin(int from, std::int64_t now_us) {
  const auto i = static_cast<std::size_t>(from);
  fin_us_[i] = halves_[i].fin_seen() ? -1 : now_us;
}

void Connection::answered(int side, std::int64_t delay_us) {
  std::int64_t& best = delay_us_[static_cast<std::size_t>(side)];
  if (best < 0 || delay_us < best) best = delay_us;
}

// Time never runs backwards inside a connection. A little is disorder of the capture and counts as
// no time; more is a clock that was set, back or ahead, and everything after it moves along.
std::int64_t Connection::steady_time(const Segment& segment, int from) {
  const auto step = [&](std::int64_t by_ns) {
    ++clock_steps_;
    // A clock that is set again and again adds up: no further than 64 bits.
    if (__builtin_add_overflow(clock_offset_ns_, by_ns, &clock_offset_ns_)) clock_offset_ns_ = 0;
    for (HalfFlow& half : halves_) half.on_clock_step();
    fin_us_ = {-1, -1};
    stamped_ = {};
    return last_ns_;
  };
  std::int64_t time_ns = segment.time_ns;
  if (__builtin_add_overflow(time_ns, clock_offset_ns_, &time_ns)) return last_ns_;
  if (time_ns >= last_ns_) {
    const bool pause = time_ns - last_ns_ >= kPauseNs;
    return pause && clock_set_ahead(segment, from == 0) ? step(last_ns_ - time_ns) : time_ns;
  }
  if (last_ns_ - time_ns > kDisorderNs) return step(last_ns_ - time_ns);
  ++out_of_order_;
  return last_ns_;
}

void Connection::add(const Segment& segment, bool from_a, EventPool& pool, bool wild) {
  const int from = from_a ? 0 : 1;
  const auto i = static_cast<std::size_t>(from);
  const auto other = static_cast<std::size_t>(1 - from);
  last_ns_ = steady_time(segment, from);
  if (wild) {
    ++wild_stamps_;
    fin_us_ = {-1, -1};
    for (HalfFlow& half : halves_) half.on_clock_step();
  }
  const std::int64_t now_us = (last_ns_ - start_ns_) / 1000;
  ++packets_;
  if (duplicate(segment, from, now_us)) {
    ++duplicates_;
    return;
  }
  multipath_ |= segment.multipath;
  fast_open_ |= segment.fast_open;
  if (segment.tunnel != Tunnel::none && tunnel_ == Tunnel::none) on_tunnel(segment, from);
  if (segment.has(flag::kSyn)) {
    syn_untimed_[i] = wild;
    on_syn(segment, from);
  }
  HalfFlow& own = halves_[i];
  HalfFlow& peer = halves_[other];
  std::uint32_t echo_us = 0;
  if (segment.timestamps == Presence::known) {
    if (segment.has(flag::kAck)) {
      if (peer.echoes.ahead(segment.tsecr)) ++effect_first_;
      echo_us = peer.echoes.echoed(segment.tsecr, now_us);
    }
    own.echoes.sent(segment.tsval, now_us);
    StampClock& clock = stamps_[i];
    if (!stamped_[i]) clock = {segment.tsval, segment.tsval, last_ns_, last_ns_};
    stamped_[i] = true;
    clock.last = segment.tsval;
    clock.last_ns = last_ns_;
  }
  if (segment.has(flag::kAck) && !segment.has(flag::kSyn)) {
    if (!established_ && syn_is_ack_[other] && syn_us_[other] >= 0 &&
        segment.ack == isn_[other] + 1) {
      established_ = true;
      handshake_end_us_ = now_us;
      if (offers_[other].repeats == 0 && !syn_untimed_[other] && !wild) {
        answered(from, now_us - syn_us_[other]);
        handshake_timed_[i] = true;
      }
    }
    if (!segment.has(flag::kRst)) peer.on_ack(segment, now_us, echo_us, pool);
    if (peer.fin_acked() && fin_us_[other] >= 0) {
      answered(from, now_us - fin_us_[other]);
      fin_us_[other] = -1;
    }
  }
  if (segment.has(flag::kRst)) {
    reset_[i] = true;
    return;
  }
  const bool pure_ack = segment.payload == 0 && (segment.flags & (flag::kSyn | flag::kFin)) == 0;
  if (segment.has(flag::kFin)) on_fin(from, now_us);
  // A pure ACK one below its own next number is a probe or a keep-alive: the half-flow tells.
  if (!pure_ack || own.started()) own.on_data(segment, now_us, echo_us, pool);
}

void Connection::on_tunnel(const Segment& segment, int from) {
  tunnel_ = segment.tunnel;
  TunnelEnds ends{segment.outer_source, segment.outer_destination};
  if (from != 0) std::swap(ends.client, ends.server);
  tunnel_ends_ = std::make_unique<const TunnelEnds>(ends);
}

}  // namespace rwin::analysis
