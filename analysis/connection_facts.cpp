// What a connection tells at any moment.
#include <utility>

#include "analysis/connection.h"

namespace rwin::analysis {

CaptureQuality Connection::quality() const {
  CaptureQuality q;
  q.duplicates = duplicates_;
  q.routed_duplicates = routed_duplicates_;
  q.out_of_order = out_of_order_;
  q.clock_steps = clock_steps_;
  q.effect_first = effect_first_;
  q.wild_stamps = wild_stamps_;
  for (const HalfFlow& half : halves_) {
    q.effect_first += half.counters().after_ack;
    q.gap_bytes += half.counters().gap_bytes;
  }
  return q;
}

int Connection::client(RoleFrom& from) const {
  for (int i = 0; i < 2; ++i) {
    if (offers_[static_cast<std::size_t>(i)].seen && !syn_is_ack_[static_cast<std::size_t>(i)]) {
      from = RoleFrom::syn;
      return i;
    }
  }
  for (int i = 0; i < 2; ++i) {
    if (offers_[static_cast<std::size_t>(i)].seen) {
      from = RoleFrom::syn_ack;
      return 1 - i;
    }
  }
  if (sides_[0].port != sides_[1].port) {
    from = RoleFrom::ports;
    return sides_[0].port > sides_[1].port ? 0 : 1;
  }
  from = RoleFrom::first_packet;
  return 0;
}

std::optional<std::int64_t> Connection::control_delay_us(int side) const {
  const std::int64_t d = delay_us_[static_cast<std::size_t>(side)];
  if (d < 0) return std::nullopt;
  return d;
}

DelayHints Connection::delay_hints(int sender) const {
  return {control_delay_us(sender), control_delay_us(1 - sender),
          handshake_timed_[static_cast<std::size_t>(sender)]};
}

WindowScale Connection::scale(int side) const {
  const HandshakeSide& own = offers_[static_cast<std::size_t>(side)];
  const HandshakeSide& peer = offers_[static_cast<std::size_t>(1 - side)];
  WindowScale scale;
  const bool own_absent = own.seen && own.window_scale.state == Presence::absent;
  const bool peer_absent = peer.seen && peer.window_scale.state == Presence::absent;
  if (own_absent || peer_absent) {
    scale.state =
        Presence::absent;  // a shift holds only if both SYNs carried the option (RFC 7323 2.2)
  } else if (own.seen && peer.seen && own.window_scale.known() && peer.window_scale.known()) {
    scale.state = Presence::known;
    scale.shift = own.window_scale.value;
  }
  return scale;
}

void Connection::fill(ConnectionResult& out) const {
  RoleFrom from{};
  const int c = client(from);
  const auto ci = static_cast<std::size_t>(c);
  const auto si = static_cast<std::size_t>(1 - c);
  out.id = id_;
  out.client = sides_[ci];
  out.server = sides_[si];
  out.role_from = from;
  out.start_ns = start_ns_;
  out.end_ns = last_ns_;
  out.client_offer = offers_[ci];
  out.server_offer = offers_[si];
  out.syn_seen = offers_[ci].seen && !syn_is_ack_[ci];
  out.syn_ack_seen = offers_[si].seen && syn_is_ack_[si];
  out.multipath = multipath_;
  out.fast_open = fast_open_;
  out.tunnel = tunnel_;
  if (tunnel_ends_) {
    TunnelEnds ends = *tunnel_ends_;
    if (c != 0) std::swap(ends.client, ends.server);
    out.tunnel_ends = std::make_shared<const TunnelEnds>(ends);
  }
  out.packets = packets_;
  out.quality = quality();
  out.reset_by_client = reset_[ci] ? 1 : 0;
  out.reset_by_server = reset_[si] ? 1 : 0;
  if (reset_[0] || reset_[1])
    out.end = End::rst;
  else if (halves_[0].fin_seen() && halves_[1].fin_seen())
    out.end = End::fin;
  else
    out.end = End::open;
}

}  // namespace rwin::analysis
