// Connections, verdicts, advice, hosts. The run as a whole: json_run.cpp.
#include "app/json_fields.h"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "app/words.h"
#include "text/address.h"

namespace rwin::app {

using analysis::ConnectionResult;
using analysis::DirectionResult;
using analysis::Endpoint;
using analysis::HandshakeSide;
using analysis::Limit;
using analysis::Presence;
using analysis::Tri;

namespace {

void write_end(JsonWriter& json, std::string_view key, const Endpoint& endpoint,
               const std::string& os, const SystemNote& note) {
  json.key(key);
  json.begin_object();
  json.text_or_null("ip", address_text(endpoint.address));
  json.field("port", endpoint.port);
  json.text_or_null("os", os);
  json.field("os_confidence", note.confidence);
  json.text_or_null("os_setting", note.setting);
  json.end_object();
}

// Offered: true, absent: false, not seen: null.
void write_offered(JsonWriter& json, std::string_view key, Presence presence) {
  json.key(key);
  if (presence == Presence::unknown) {
    json.null();
  } else {
    json.value(presence == Presence::known);
  }
}

void write_offer(JsonWriter& json, std::string_view key, const HandshakeSide& side) {
  json.key(key);
  json.begin_object();
  json.field("mss", side.mss.known() ? std::optional(side.mss.value) : std::nullopt);
  json.key("window_scale");
  json.begin_object();
  json.field("state", word(side.window_scale.state));
  json.field("shift",
             side.window_scale.known() ? std::optional(side.window_scale.value) : std::nullopt);
  json.end_object();
  write_offered(json, "sack", side.sack.state);
  write_offered(json, "timestamps", side.timestamps.state);
  json.end_object();
}

void write_rtt(JsonWriter& json, const DirectionResult& d) {
  json.key("rtt_us");
  json.begin_object();
  json.field("base", d.rtt_base_us);
  json.field("p50", d.rtt_p50_us);
  json.field("p90", d.rtt_p90_us);
  json.field("p99", d.rtt_p99_us);
  json.field("samples", d.rtt_samples);
  json.text_or_null("method", word(d.rtt_method));
  json.end_object();
}

void write_window(JsonWriter& json, const DirectionResult& d) {
  json.key("window");
  json.begin_object();
  json.key("scale");
  json.begin_object();
  json.field("state", word(d.scale.state));
  json.field("shift",
             d.scale.state == Presence::known ? std::optional(d.scale.shift) : std::nullopt);
  json.field("inferred", d.scale.inferred);
  json.end_object();
  json.field("max_bytes", d.window_max);
  json.field("p50_bytes", d.window_p50);
  json.field("min_bytes", d.window_min);
  json.field("zero_count", d.zero_window_count);
  json.field("zero_us", d.zero_window_us);
  json.end_object();
}

void write_time(JsonWriter& json, const DirectionResult& d) {
  json.key("shares");
  json.begin_object();
  const auto shares = limit_shares(d);
  for (const Limit limit : analysis::kAllLimits) {
    json.field(analysis::word(limit), shares[static_cast<std::size_t>(limit)]);
  }
  json.end_object();
  json.key("timeline");
  json.begin_array();
  for (const auto& piece : d.timeline) {
    json.begin_object();
    json.field("start_us", piece.start_us);
    json.field("duration_us", piece.duration_us);
    json.field("class", analysis::word(piece.limit));
    json.end_object();
  }
  json.end_array();
}

void write_direction(JsonWriter& json, const DirectionResult& d,
                     const rules::Assessment& assessment) {
  json.begin_object();
  json.field("sender", d.from_client ? "client" : "server");
  json.field("receiver", d.from_client ? "server" : "client");
  json.field("bytes", d.bytes);
  json.field("wire_bytes", d.wire_bytes);
  json.field("duration_us", d.duration_us);
  json.rounded_field("goodput_bps", d.goodput_bps);
  json.field("segments", d.segments);
  json.field("retransmitted_segments", d.retransmitted_segments);
  json.field("retransmitted_bytes", d.retransmitted_bytes);
  json.field("spurious_segments", d.spurious_segments);
  json.field("reordered_segments", d.reordered_segments);
  json.field("capture_gap_bytes", d.capture_gap_bytes);
  json.field("longest_stall_us", d.longest_stall_us);
  write_rtt(json, d);
  write_window(json, d);
  json.key("flight_bytes");
  json.begin_object();
  json.field("p50", d.flight_p50);
  json.field("max", d.flight_max);
  json.end_object();
  json.rounded_field("capacity_bps", d.capacity_bps);
  json.text_or_null("capacity_from", word(d.capacity_from));
  json.field("receiver_blocked_share", receiver_blocked_share(d));
  write_time(json, d);
  json.key("verdict");
  write_verdict(json, assessment.verdict);
  json.key("advice");
  write_advice(json, assessment.advice);
  json.end_object();
}

// Enough digits that sums of shares stay within 1e-8 of 1, without the noise of the last bits.
double nine_digits(double share) { return std::round(share * 1e9) / 1e9; }

}  // namespace

std::optional<double> receiver_blocked_share(const DirectionResult& d) {
  if (!d.blocked_us || !d.busy_us || *d.busy_us <= 0) return std::nullopt;
  return nine_digits(
      std::clamp(static_cast<double>(*d.blocked_us) / static_cast<double>(*d.busy_us), 0.0, 1.0));
}

std::array<double, analysis::kLimitCount> limit_shares(const DirectionResult& d) {
  std::array<double, analysis::kLimitCount> shares{};
  const std::int64_t total = std::accumulate(d.limit_us.begin(), d.limit_us.end(), std::int64_t{0});
  if (total <= 0) {
    // A connection of one moment: all of it is what its only piece says.
    const Limit limit = d.timeline.empty() ? Limit::unknown : d.timeline.front().limit;
    shares[static_cast<std::size_t>(limit)] = 1;
    return shares;
  }
  for (std::size_t i = 0; i < shares.size(); ++i) {
    shares[i] = nine_digits(static_cast<double>(d.limit_us[i]) / static_cast<double>(total));
  }
  return shares;
}

void write_verdict(JsonWriter& json, const rules::Verdict& v) {
  json.begin_object();
  json.field("limit", analysis::word(v.limit));
  json.text_or_null("cause", v.cause);
  json.field("confidence", rules::word(v.confidence));
  json.rounded_field("ceiling_bps", v.ceiling_bps);
  json.rounded_field("potential_bps", v.potential_bps);
  json.field("gain", std::round(v.gain * 1000) / 1000);
  json.text_or_null("next_limit",
                    v.next_limit ? analysis::word(*v.next_limit) : std::string_view{});
  json.field("summary", v.summary);
  json.key("evidence");
  json.begin_array();
  for (const rules::Evidence& e : v.evidence) {
    json.begin_object();
    json.field("key", e.key);
    json.field("value", e.value);
    json.text_or_null("unit", e.unit);
    json.end_object();
  }
  json.end_array();
  write_strings(json, "unproven", v.unproven);
  write_strings(json, "notes", v.notes);
  json.end_object();
}

void write_advice(JsonWriter& json, const std::vector<rules::Advice>& advice) {
  json.begin_array();
  for (const rules::Advice& a : advice) {
    json.begin_object();
    json.field("id", a.id);
    json.text_or_null("host", a.host);
    json.field("role", rules::word(a.role));
    json.text_or_null("platform", a.platform);
    json.field("title", a.title);
    json.field("window_bytes", a.window_bytes);
    json.field("buffer_bytes", a.buffer_bytes);
    json.field("connections", a.connections);
    write_strings(json, "look", a.look);
    write_strings(json, "change", a.change);
    write_strings(json, "persist", a.persist);
    write_strings(json, "undo", a.undo);
    json.text_or_null("takes_effect", a.takes_effect);
    json.rounded_field("expected_bps", a.expected_bps);
    json.text_or_null("because", a.because);
    write_strings(json, "warnings", a.warnings);
    json.end_object();
  }
  json.end_array();
}

void write_finding_fields(JsonWriter& json, const Judged& judged, std::size_t direction) {
  const rules::Assessment& assessment = judged.assessments[direction];
  json.field("connection", judged.connection.id);
  json.field("sender", judged.connection.directions[direction].from_client ? "client" : "server");
  json.key("verdict");
  write_verdict(json, assessment.verdict);
  json.key("advice");
  write_advice(json, assessment.advice);
}

void write_host(JsonWriter& json, const rules::HostSummary& host) {
  json.begin_object();
  json.text_or_null("ip", address_text(host.address));
  json.text_or_null("os", host.os);
  json.field("connections", host.connections);
  json.field("window_limited", host.window_limited);
  json.field("worst_rtt_us", host.worst_rtt_us);
  json.field("needed_window_bytes", host.needed_window_bytes);
  json.field("stalled_together", host.stalled_together);
  json.text_or_null("cause", host.cause);
  write_strings(json, "notes", host.notes);
  json.key("advice");
  write_advice(json, host.advice);
  json.end_object();
}

void write_connection_fields(JsonWriter& json, const Judged& judged) {
  const ConnectionResult& c = judged.connection;
  json.field("id", c.id);
  write_end(json, "client", c.client, judged.client_os, judged.client_note);
  write_end(json, "server", c.server, judged.server_os, judged.server_note);
  json.field("role_from", word(c.role_from));
  json.field("start_ns", c.start_ns);
  json.field("end_ns", c.end_ns);
  json.field("end", word(c.end));
  json.key("handshake");
  json.begin_object();
  json.field("syn_seen", c.syn_seen);
  json.field("syn_ack_seen", c.syn_ack_seen);
  write_offer(json, "client", c.client_offer);
  write_offer(json, "server", c.server_offer);
  json.end_object();
  json.key("vantage");
  json.begin_object();
  json.field("place", word(c.place));
  json.field("client_side_rtt_us", c.client_side_rtt_us);
  json.field("server_side_rtt_us", c.server_side_rtt_us);
  json.end_object();
  json.text_or_null("tunnel", analysis::name(c.tunnel));
  json.key("tunnel_ends");
  if (c.tunnel_ends) {
    json.begin_object();
    json.text_or_null("client", address_text(c.tunnel_ends->client));
    json.text_or_null("server", address_text(c.tunnel_ends->server));
    json.end_object();
  } else {
    json.null();
  }
  json.field("packets", c.packets);
  json.field("duplicates", c.quality.duplicates);
  if (judged.local) write_local(json, *judged.local);
  json.key("directions");
  json.begin_array();
  for (std::size_t i = 0; i < c.directions.size(); ++i) {
    write_direction(json, c.directions[i], judged.assessments[i]);
  }
  json.end_array();
}

}  // namespace rwin::app
