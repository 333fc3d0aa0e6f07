#include "tests/support/scenario_figures.h"

#include <array>
#include <type_traits>

namespace rwin::test {
namespace {

using analysis::ConnectionResult;
using analysis::DirectionResult;
using analysis::Limit;
using analysis::Presence;

template <class T>
std::optional<double> number(const std::optional<T>& v) {
  if (!v) return std::nullopt;
  return static_cast<double>(*v);
}

// A figure of the direction of data.
template <class F>
std::function<std::optional<double>(const Subject&)> of(F f) {
  return [f](const Subject& s) -> std::optional<double> {
    if (s.direction == nullptr) return std::nullopt;
    if constexpr (std::is_arithmetic_v<std::decay_t<decltype(f(*s.direction))>>) {
      return static_cast<double>(f(*s.direction));
    } else {
      return number(f(*s.direction));
    }
  };
}
template <class F>
std::function<std::optional<double>(const Subject&)> whole(F f) {
  return [f](const Subject& s) -> std::optional<double> {
    if constexpr (std::is_arithmetic_v<std::decay_t<decltype(f(s.connection))>>) {
      return static_cast<double>(f(s.connection));
    } else {
      return number(f(s.connection));
    }
  };
}

// What the rules made of the direction.
template <class F>
std::function<std::optional<double>(const Subject&)> said(F f) {
  return [f](const Subject& s) { return s.said == nullptr ? std::nullopt : f(*s.said); };
}

double length_us(const ConnectionResult& c) {
  return static_cast<double>(c.end_ns - c.start_ns) / 1000;
}

}  // namespace

const std::vector<Figure>& figures() {
#define RWIN_OF(field) of([](const DirectionResult& d) { return d.field; })
#define RWIN_WHOLE(field) whole([](const ConnectionResult& c) { return c.field; })
  static const std::vector<Figure> kFigures = [] {
    std::vector<Figure> f = {
        {"blocked share", Unit::share, of([](const DirectionResult& d) -> std::optional<double> {
           if (!d.blocked_us || !d.busy_us || *d.busy_us == 0) return std::nullopt;
           return static_cast<double>(*d.blocked_us) / static_cast<double>(*d.busy_us);
         })},
        {"busy", Unit::us, RWIN_OF(busy_us)},
        {"blocked window", Unit::bytes, RWIN_OF(blocked_window)},
        {"blocked rtt", Unit::us, RWIN_OF(blocked_rtt_us)},
        {"blocked rate", Unit::bps, RWIN_OF(blocked_rate_bps)},
        {"confidence", Unit::share, RWIN_OF(confidence)},
        {"window max", Unit::bytes, RWIN_OF(window_max)},
        {"window median", Unit::bytes, RWIN_OF(window_p50)},
        {"window min", Unit::bytes, RWIN_OF(window_min)},
        {"window first", Unit::bytes, RWIN_OF(window_first)},
        {"window field max", Unit::count, RWIN_OF(window_field_max)},
        {"zero windows", Unit::count, RWIN_OF(zero_window_count)},
        {"zero window time", Unit::us, RWIN_OF(zero_window_us)},
        {"zero window episodes", Unit::count, RWIN_OF(zero_window_episodes)},
        {"shrunk", Unit::count, RWIN_OF(shrunk_count)},
        {"shrunk bytes", Unit::bytes, RWIN_OF(shrunk_bytes)},
        {"window still growing", Unit::count, RWIN_OF(window_still_growing)},
        {"rtt base", Unit::us, RWIN_OF(rtt_base_us)},
        {"rtt median", Unit::us, RWIN_OF(rtt_p50_us)},
        {"rtt p90", Unit::us, RWIN_OF(rtt_p90_us)},
        {"rtt samples", Unit::count, RWIN_OF(rtt_samples)},
        {"sender side", Unit::us, RWIN_OF(sender_side_rtt_us)},
        {"receiver side", Unit::us, RWIN_OF(receiver_side_rtt_us)},
        {"flight max", Unit::bytes, RWIN_OF(flight_max)},
        {"flight median", Unit::bytes, RWIN_OF(flight_p50)},
        {"capacity", Unit::bps, RWIN_OF(capacity_bps)},
        {"goodput", Unit::bps, RWIN_OF(goodput_bps)},
        {"bytes", Unit::bytes, RWIN_OF(bytes)},
        {"wire bytes", Unit::bytes, RWIN_OF(wire_bytes)},
        {"duration", Unit::us, RWIN_OF(duration_us)},
        {"segments", Unit::count, RWIN_OF(segments)},
        {"acks", Unit::count, RWIN_OF(acks)},
        {"pushed", Unit::count, RWIN_OF(pushed_segments)},
        {"short segments", Unit::count, RWIN_OF(short_segments)},
        {"mss", Unit::bytes, RWIN_OF(mss)},
        {"largest payload", Unit::bytes, RWIN_OF(largest_payload)},
        {"retransmitted", Unit::count, RWIN_OF(retransmitted_segments)},
        {"retransmitted bytes", Unit::bytes, RWIN_OF(retransmitted_bytes)},
        {"spurious", Unit::count, RWIN_OF(spurious_segments)},
        {"reordered", Unit::count, RWIN_OF(reordered_segments)},
        {"keep-alives", Unit::count, RWIN_OF(keep_alives)},
        {"probes", Unit::count, RWIN_OF(window_probes)},
        {"unanswered probes", Unit::count, RWIN_OF(unanswered_probes)},
        {"d-sacks", Unit::count, RWIN_OF(dsacks)},
        {"low window time", Unit::us, RWIN_OF(low_window_us)},
        {"timeouts", Unit::count, RWIN_OF(timeouts)},
        {"capture gap", Unit::bytes, RWIN_OF(capture_gap_bytes)},
        {"stall", Unit::us, RWIN_OF(longest_stall_us)},
        {"stall at", Unit::us, RWIN_OF(longest_stall_at_us)},
        {"client side", Unit::us, RWIN_WHOLE(client_side_rtt_us)},
        {"server side", Unit::us, RWIN_WHOLE(server_side_rtt_us)},
        {"packets", Unit::count, RWIN_WHOLE(packets)},
        {"duplicates", Unit::count, RWIN_WHOLE(quality.duplicates)},
        {"raise to", Unit::bytes, said([](const Said& s) { return s.raise_to; })},
        {"gain", Unit::count, said([](const Said& s) { return std::optional(s.gain); })},
        {"ceiling", Unit::bps, said([](const Said& s) { return s.ceiling_bps; })},
        {"length", Unit::us, whole(length_us)},
        {"directions", Unit::count,
         whole([](const ConnectionResult& c) { return c.directions.size(); })},
    };
    for (Limit l : analysis::kAllLimits) {
      f.push_back({"share " + std::string(analysis::word(l)), Unit::share,
                   [l](const Subject& s) -> std::optional<double> {
                     if (s.direction == nullptr || s.connection.end_ns == s.connection.start_ns)
                       return std::nullopt;
                     return static_cast<double>(
                                s.direction->limit_us[static_cast<std::size_t>(l)]) /
                            length_us(s.connection);
                   }});
    }
    return f;
  }();
#undef RWIN_OF
#undef RWIN_WHOLE
  return kFigures;
}

namespace {

std::string limit_word(Limit l) { return std::string(analysis::word(l)); }

std::string scale_words(Presence state, int shift, bool inferred) {
  if (state == Presence::known) return (inferred ? "inferred " : "known ") + std::to_string(shift);
  return state == Presence::absent ? "absent" : "unknown";
}

std::string offer(const analysis::HandshakeSide& h) {
  return h.seen ? scale_words(h.window_scale.state, h.window_scale.value, false) : "unseen";
}

}  // namespace

const std::vector<Term>& terms() {
  static const std::array<std::string, 4> kPlaces = {"client", "server", "middle", "unknown"};
  static const std::array<std::string, 4> kEnds = {"fin", "rst", "open", "expired"};
  static const std::array<std::string, 4> kRoles = {"syn", "syn-ack", "ports", "first-packet"};
  static const std::vector<Term> kTerms = {
      {"limit",
       [](const Subject& s) {
         return s.direction == nullptr ? "none" : limit_word(s.direction->limit);
       }},
      {"next limit",
       [](const Subject& s) {
         return s.direction == nullptr ? "none" : limit_word(s.direction->next_limit);
       }},
      {"stall limit",
       [](const Subject& s) {
         return s.direction == nullptr ? "none" : limit_word(s.direction->longest_stall_limit);
       }},
      {"scale",
       [](const Subject& s) {
         if (s.direction == nullptr) return std::string("none");
         const analysis::WindowScale& w = s.direction->scale;
         return scale_words(w.state, w.shift, w.inferred);
       }},
      {"sender",
       [](const Subject& s) {
         return std::string(s.direction == nullptr     ? "none"
                            : s.direction->from_client ? "client"
                                                       : "server");
       }},
      {"place",
       [](const Subject& s) { return kPlaces[static_cast<std::size_t>(s.connection.place)]; }},
      {"end", [](const Subject& s) { return kEnds[static_cast<std::size_t>(s.connection.end)]; }},
      {"role from",
       [](const Subject& s) { return kRoles[static_cast<std::size_t>(s.connection.role_from)]; }},
      {"cause",
       [](const Subject& s) { return s.said == nullptr ? "no rules asked" : s.said->cause; }},
      {"change at",
       [](const Subject& s) { return s.said == nullptr ? "no rules asked" : s.said->change_at; }},
      {"client wscale", [](const Subject& s) { return offer(s.connection.client_offer); }},
      {"server wscale", [](const Subject& s) { return offer(s.connection.server_offer); }},
  };
  return kTerms;
}

const std::vector<FigureOf<HostSaid>>& host_figures() {
  static const std::vector<FigureOf<HostSaid>> kFigures = {
      {"connections", Unit::count, [](const HostSaid& h) { return h.connections; }},
      {"window limited", Unit::count, [](const HostSaid& h) { return h.window_limited; }},
      {"stalled together", Unit::count, [](const HostSaid& h) { return h.stalled_together; }},
      {"worst rtt", Unit::us, [](const HostSaid& h) { return h.worst_rtt_us; }},
      {"needed window", Unit::bytes, [](const HostSaid& h) { return h.needed_window; }},
  };
  return kFigures;
}

const std::vector<TermOf<HostSaid>>& host_terms() {
  static const std::vector<TermOf<HostSaid>> kTerms = {
      {"cause", [](const HostSaid& h) { return h.cause; }},
  };
  return kTerms;
}

}  // namespace rwin::test
