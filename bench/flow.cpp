#include "bench/flow.h"

#include <algorithm>

namespace rwin::bench {
namespace {

constexpr std::uint32_t kSegment = 1448;      // payload of a full segment: MTU 1500, timestamps
constexpr std::int64_t kDelayedAck = 40'000;  // microseconds

}  // namespace

Flow::Flow(std::uint64_t number, std::uint64_t budget, std::int64_t start, Random random)
    : left_(budget), next_time_(start), random_(random) {
  ends_.client_ip = 0x0a000000U + static_cast<std::uint32_t>(number % 60'000 + 1);
  ends_.server_ip = 0xc6336400U + static_cast<std::uint32_t>(number % 200 + 1);
  ends_.client_port = static_cast<std::uint16_t>(32768 + number / 60'000 + number * 7 % 20'000);
  ends_.server_port = 443;
  ends_.client_shift = static_cast<std::uint8_t>(6 + random_.below(3));
  rtt_ = 5'000 + static_cast<std::int64_t>(random_.below(150'000));
  spacing_ = 40 + static_cast<std::int64_t>(random_.below(400));
  window_ = 32'768U << random_.below(6);
  client_seq_ = static_cast<std::uint32_t>(random_.next());
  server_seq_ = static_cast<std::uint32_t>(random_.next());
  clock_offset_ = static_cast<std::uint32_t>(random_.next());
}

void Flow::step(PacketWriter& writer) {
  --left_;
  switch (phase_) {
    case Phase::syn:
      return send_syn(writer);
    case Phase::syn_ack:
      return send_syn_ack(writer);
    case Phase::ack:
      return send_plain(writer, Phase::request, false, kAck, 150);
    case Phase::request:
      return send_request(writer);
    case Phase::data:
      return data_step(writer);
    case Phase::server_fin:
      return send_server_fin(writer);
    case Phase::client_fin:
      return send_client_fin(writer);
    case Phase::last_ack:
      return send_plain(writer, Phase::last_ack, true, kAck, 0);
  }
}

Packet Flow::make(bool from_server, std::uint8_t flags) const {
  Packet p;
  p.time = next_time_;
  p.from_server = from_server;
  p.flags = flags;
  p.seq = from_server ? server_seq_ : client_seq_;
  p.ack = from_server ? client_seq_ : acked_;
  p.window = from_server
                 ? 501
                 : static_cast<std::uint16_t>(std::min(window_ >> ends_.client_shift, 65'535U));
  const auto ms = static_cast<std::uint32_t>((next_time_ - kStart) / 1000);
  const auto rtt_ms = static_cast<std::uint32_t>(rtt_ / 1000);
  p.ts_value = from_server ? ms - rtt_ms / 2 : clock_offset_ + ms;
  p.ts_echo = from_server ? clock_offset_ + ms - rtt_ms : ms - rtt_ms / 2;
  return p;
}

void Flow::send_syn(PacketWriter& writer) {
  Packet p = make(false, kSyn);
  p.ts_echo = 0;
  p.window = 64'240;
  writer.write(ends_, p);
  ++client_seq_;
  next_time_ += rtt_;
  phase_ = Phase::syn_ack;
}

void Flow::send_syn_ack(PacketWriter& writer) {
  Packet p = make(true, kSyn | kAck);
  p.window = 65'160;
  writer.write(ends_, p);
  acked_ = ++server_seq_;
  next_time_ += 60;
  phase_ = Phase::ack;
}

void Flow::send_plain(PacketWriter& writer, Phase then, bool from_server, std::uint8_t flags,
                      std::int64_t wait) {
  writer.write(ends_, make(from_server, flags));
  next_time_ += wait;
  phase_ = then;
}

void Flow::send_request(PacketWriter& writer) {
  Packet p = make(false, kAck | kPush);
  p.payload = 200 + static_cast<std::uint32_t>(random_.below(300));
  writer.write(ends_, p);
  client_seq_ += p.payload;
  for (int i = 0; i < 10; ++i) schedule_arrival(next_time_ + rtt_);  // initial window of RFC 6928
  phase_ = Phase::data;
  plan_next();
}

void Flow::schedule_arrival(std::int64_t time) {
  last_arrival_ = std::max(time, last_arrival_ + spacing_);
  arrivals_.push_back(last_arrival_);
}

void Flow::plan_next() {
  if (left_ <= 3) {
    next_time_ += 20;
    phase_ = Phase::server_fin;
    return;
  }
  std::int64_t time = ack_due_ >= 0 ? ack_due_ : INT64_MAX;
  if (repair_due_ >= 0) time = std::min(time, repair_due_);
  if (!arrivals_.empty()) time = std::min(time, arrivals_.front());
  if (time == INT64_MAX) {  // everything acknowledged and nothing released: the server writes again
    schedule_arrival(next_time_ + rtt_);
    time = arrivals_.front();
  }
  next_time_ = std::max(next_time_, time);
}

void Flow::data_step(PacketWriter& writer) {
  if (ack_due_ >= 0 && ack_due_ <= next_time_) {
    send_ack(writer);
  } else if (repair_due_ >= 0 && repair_due_ <= next_time_) {
    send_repair(writer);
  } else {
    arrival(writer);
  }
  plan_next();
}

void Flow::arrival(PacketWriter& writer) {
  arrivals_.pop_front();
  const bool lose = !hole_ && left_ > 4 * (arrivals_.size() + 10) && random_.below(2000) == 0;
  if (lose) {
    hole_ = true;
    hole_seq_ = server_seq_;
    if (random_.below(2) == 0) {  // lost before the capture: the next segment arrives instead
      server_seq_ += kSegment;
    } else {  // seen here, lost behind
      send_data(writer, server_seq_);
      server_seq_ += kSegment;
      return;
    }
  }
  send_data(writer, server_seq_);
  server_seq_ += kSegment;
  if (hole_) {
    ack_due_ = next_time_ + 15;
    return;
  }
  if (++unacked_ >= 2) {
    ack_due_ = next_time_ + 15;
  } else {
    ack_due_ = next_time_ + kDelayedAck;
  }
}

void Flow::send_data(PacketWriter& writer, std::uint32_t seq) {
  Packet p = make(true, static_cast<std::uint8_t>(kAck | (random_.below(16) == 0 ? kPush : 0)));
  p.seq = seq;
  p.payload = kSegment;
  writer.write(ends_, p);
}

void Flow::send_repair(PacketWriter& writer) {
  send_data(writer, hole_seq_);
  hole_ = false;
  repair_due_ = -1;
  duplicate_acks_ = 0;
  congestion_window_ = std::max(10U, congestion_window_ / 2);
  unacked_ = 1;
  ack_due_ = next_time_ + 15;
}

void Flow::send_ack(PacketWriter& writer) {
  ack_due_ = -1;
  Packet p = make(false, kAck);
  if (hole_) {
    p.ack = hole_seq_;
    p.sack_from = hole_seq_ + kSegment;
    p.sack_to = server_seq_;
    writer.write(ends_, p);
    if (++duplicate_acks_ == 3) repair_due_ = next_time_ + rtt_;
    if (duplicate_acks_ < 3 && arrivals_.empty()) schedule_arrival(next_time_ + rtt_);
    return;
  }
  acked_ = server_seq_;
  p.ack = acked_;
  writer.write(ends_, p);
  const std::uint32_t limit = std::min(congestion_window_, std::max(2U, window_ / kSegment));
  congestion_window_ = std::min(congestion_window_ + std::min(unacked_, 2U), 4096U);
  unacked_ = 0;
  for (int i = 0; i < 3 && arrivals_.size() < limit; ++i) schedule_arrival(next_time_ + rtt_);
}

void Flow::send_server_fin(PacketWriter& writer) {
  writer.write(ends_, make(true, kFin | kAck));
  ++server_seq_;
  next_time_ += 50;
  phase_ = Phase::client_fin;
}

void Flow::send_client_fin(PacketWriter& writer) {
  acked_ = server_seq_;
  writer.write(ends_, make(false, kFin | kAck));
  ++client_seq_;
  next_time_ += rtt_;
  phase_ = Phase::last_ack;
}

}  // namespace rwin::bench
