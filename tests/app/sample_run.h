// A run made by hand: what the engine and the rules would hand to a report.
#pragma once

#include "app/report.h"

namespace rwin::app::test {

inline analysis::Endpoint endpoint(std::uint8_t last, std::uint16_t port) {
  analysis::Endpoint e;
  e.address.family = 4;
  e.address.bytes = {192, 0, 2, last};
  e.port = port;
  return e;
}

inline RunInfo sample_info() {
  RunInfo info;
  info.names = {"slow.pcap"};
  info.link_types = {"EN10MB"};
  info.first_ns = 1'700'000'000'000'000'000;
  info.last_ns = 1'700'000'010'000'000'000;
  info.decode.packets = 91'204;
  info.decode.tcp_packets = 91'200;
  info.decode.by_status[static_cast<std::size_t>(capture::DecodeStatus::not_tcp)] = 4;
  info.connections = 1;
  return info;
}

// 10 s at 1 Mbit/s, 9 s of it held by a window of 32 KiB; every optional value set.
inline Judged sample_judged(std::uint64_t id = 1) {
  Judged j;
  analysis::ConnectionResult& c = j.connection;
  c.id = id;
  c.client = endpoint(10, 51544);
  c.server = endpoint(7, 443);
  c.role_from = analysis::RoleFrom::syn;
  c.start_ns = 1'700'000'000'000'000'000;
  c.end_ns = 1'700'000'010'000'000'000;
  c.end = analysis::End::fin;
  c.syn_seen = c.syn_ack_seen = true;
  c.client_offer.seen = true;
  c.client_offer.mss = analysis::Tri<std::uint16_t>::of(1460);
  c.client_offer.window_scale = analysis::Tri<std::uint8_t>::none();
  c.client_offer.sack = analysis::Tri<bool>::of(true);
  c.client_offer.timestamps = analysis::Tri<bool>::none();
  c.place = analysis::Place::client;
  analysis::DirectionResult d;
  d.from_client = false;
  d.bytes = 1'250'000;
  d.duration_us = 9'990'000;
  d.goodput_bps = 1e6;
  d.segments = 900;
  d.data_seen = d.acks_seen = true;
  d.mss = 1460;
  d.rtt_base_us = 250'000;
  d.rtt_p50_us = 262'000;
  d.rtt_method = analysis::RttMethod::timestamps;
  d.scale.state = analysis::Presence::absent;
  d.window_max = 32'768;
  d.timeline = {{0, 1'000'000, analysis::Limit::slow_start},
                {1'000'000, 9'000'000, analysis::Limit::receiver_window}};
  d.limit_us[static_cast<std::size_t>(analysis::Limit::slow_start)] = 1'000'000;
  d.limit_us[static_cast<std::size_t>(analysis::Limit::receiver_window)] = 9'000'000;
  d.busy_us = 10'000'000;
  d.blocked_us = 9'000'000;
  d.blocked_window = 32'768;
  d.blocked_rtt_us = 262'000;
  d.limit = analysis::Limit::receiver_window;
  c.directions = {d};
  rules::Assessment a;
  a.verdict.limit = analysis::Limit::receiver_window;
  a.verdict.cause = "scaling-absent-receiver";
  a.verdict.confidence = rules::Confidence::high;
  a.verdict.ceiling_bps = 1.0006e6;
  a.verdict.potential_bps = 25e6;
  a.verdict.gain = 25;
  a.verdict.next_limit = analysis::Limit::bandwidth;
  a.verdict.summary = "The receiver does not offer window scaling.";
  a.verdict.evidence = {{"window_bytes", 32'768, "B"}};
  a.verdict.unproven = {"path_capacity"};
  a.verdict.notes = {"The transfer stood still for 2.1 s."};
  rules::Advice advice;
  advice.id = "linux.scaling";
  advice.host = "192.0.2.10";
  advice.platform = "linux";
  advice.title = "switch window scaling on";
  advice.window_bytes = 1'031'250;
  advice.look = {"sysctl net.ipv4.tcp_window_scaling"};
  advice.change = {"sudo sysctl -w net.ipv4.tcp_window_scaling=1"};
  advice.persist = {"echo net.ipv4.tcp_window_scaling=1 | sudo tee /etc/sysctl.d/90-rwin.conf"};
  advice.undo = {"sudo sysctl -w net.ipv4.tcp_window_scaling=0"};
  advice.takes_effect = "new connections";
  a.advice = {advice};
  j.assessments = {a};
  j.client_os = "Linux";
  return j;
}

}  // namespace rwin::app::test
