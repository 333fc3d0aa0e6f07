#include <algorithm>
#include <array>
#include <cmath>
#include <functional>
#include <sstream>

#include "tests/support/scenario.h"
#include "tests/support/scenario_words.h"

namespace rwin::test {
namespace {

using analysis::ConnectionResult;
using analysis::DirectionResult;
using analysis::Limit;
using analysis::Presence;

struct Subject {
  const ConnectionResult& connection;
  const DirectionResult* direction;
};

enum class Unit { count, bytes, us, bps, share };
struct Figure {
  std::string name;
  Unit unit;
  std::function<std::optional<double>(const Subject&)> get;
};
struct Term {
  std::string name;
  std::function<std::string(const Subject&)> get;
};

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

double length_us(const ConnectionResult& c) {
  return static_cast<double>(c.end_ns - c.start_ns) / 1000;
}

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
        {"timeouts", Unit::count, RWIN_OF(timeouts)},
        {"capture gap", Unit::bytes, RWIN_OF(capture_gap_bytes)},
        {"stall", Unit::us, RWIN_OF(longest_stall_us)},
        {"stall at", Unit::us, RWIN_OF(longest_stall_at_us)},
        {"client side", Unit::us, RWIN_WHOLE(client_side_rtt_us)},
        {"server side", Unit::us, RWIN_WHOLE(server_side_rtt_us)},
        {"packets", Unit::count, RWIN_WHOLE(packets)},
        {"duplicates", Unit::count, RWIN_WHOLE(duplicates)},
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

std::string limit_word(Limit l) { return std::string(analysis::word(l)); }

std::string scale_words(Presence state, int shift, bool inferred) {
  if (state == Presence::known) return (inferred ? "inferred " : "known ") + std::to_string(shift);
  return state == Presence::absent ? "absent" : "unknown";
}

std::string offer(const analysis::HandshakeSide& h) {
  return h.seen ? scale_words(h.window_scale.state, h.window_scale.value, false) : "unseen";
}

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
      {"client wscale", [](const Subject& s) { return offer(s.connection.client_offer); }},
      {"server wscale", [](const Subject& s) { return offer(s.connection.server_offer); }},
  };
  return kTerms;
}

// Value as it is compared with quantity(): nanoseconds for times.
double comparable(Unit unit, double v) { return unit == Unit::us ? v * 1000 : v; }

std::string shown(Unit unit, const std::optional<double>& v) {
  if (!v) return "unknown";
  std::ostringstream out;
  out.precision(unit == Unit::share ? 3 : 12);
  if (unit == Unit::us)
    out << *v / 1000 << "ms";
  else if (unit == Unit::bps)
    out << *v / 1e6 << "Mbit/s";
  else
    out << *v;
  return out.str();
}

const DirectionResult* pick(const ConnectionResult& c, std::optional<bool> from_client) {
  const DirectionResult* best = nullptr;
  for (const DirectionResult& d : c.directions) {
    if (from_client ? d.from_client == *from_client : best == nullptr || d.bytes > best->bytes)
      best = &d;
  }
  return best;
}

// N | N +-M | N +-M% | >= N | <= N | unknown | as simulated +-M. Returns what is wrong with the
// words, or the answer.
struct Check {
  bool ok = false;
  std::string bad;  // not understood
};

Check compare(const Figure& figure, const std::optional<double>& value,
              std::vector<std::string> words, const Simulated& simulated) {
  if (words.size() == 1 && words[0] == "unknown") return {!value, {}};
  std::optional<double> wanted;
  std::string how = "=";
  std::size_t i = 0;
  if (words[0] == ">=" || words[0] == "<=") how = words[i++];
  if (words.size() >= i + 2 && words[i] == "as" && words[i + 1] == "simulated") {
    if (figure.name != "blocked share") return {false, "only the blocked share is simulated"};
    if (simulated.busy_ns == 0) return {false, "there is no transfer to take the share from"};
    wanted = static_cast<double>(simulated.held_ns) / static_cast<double>(simulated.busy_ns);
    i += 2;
  } else if (i < words.size()) {
    wanted = quantity(words[i++]);
  }
  if (!wanted) return {false, "a number is expected"};
  double off = 0;
  if (i < words.size()) {
    const std::string& w = words[i++];
    const auto by = w.starts_with("+-") ? quantity(w.substr(2)) : std::nullopt;
    if (!by) return {false, "'" + w + "' is no tolerance: +-3%"};
    off = w.ends_with("%") && figure.unit != Unit::share ? *by * std::abs(*wanted) : *by;
  }
  if (i < words.size()) return {false, "'" + words[i] + "' is too much"};
  if (!value) return {};
  const double v = comparable(figure.unit, *value);
  if (how == ">=") return {v >= *wanted - off, {}};
  if (how == "<=") return {v <= *wanted + off, {}};
  return {std::abs(v - *wanted) <= off + 1e-9, {}};
}

std::string join(const std::vector<std::string>& words) {
  std::string out;
  for (const std::string& w : words) out += (out.empty() ? "" : " ") + w;
  return out;
}

// "a or b or c", with blanks inside the words allowed.
bool any_of(const std::vector<std::string>& words, const std::string& value) {
  std::vector<std::string> part;
  for (const std::string& w : words) {
    if (w != "or") {
      part.push_back(w);
      continue;
    }
    if (join(part) == value) return true;
    part.clear();
  }
  return join(part) == value;
}

}  // namespace

std::string word(View view) {
  return view == View::client ? "client" : view == View::middle ? "middle" : "server";
}

std::vector<std::string> figure_names() {
  std::vector<std::string> names;
  for (const Figure& f : figures()) names.push_back(f.name);
  for (const Term& t : terms()) names.push_back(t.name);
  return names;
}

std::vector<std::string> unmet(const Scenario& scenario, View view, const Simulated& simulated,
                               const ConnectionResult& result) {
  std::vector<std::string> out;
  for (const Expectation& e : scenario.expectations) {
    if (e.view && *e.view != view) continue;
    const Subject subject{result, pick(result, e.from_client)};
    const auto report = [&](const std::string& is) {
      out.push_back(scenario.place_of_line(e.line) + ": " + e.figure + " must be " + join(e.words) +
                    ", is " + is);
    };
    const auto& ts = terms();
    const auto term =
        std::find_if(ts.begin(), ts.end(), [&](const Term& t) { return t.name == e.figure; });
    if (term != ts.end()) {
      if (const std::string value = term->get(subject); !any_of(e.words, value)) report(value);
      continue;
    }
    const auto& fs = figures();
    const auto figure =
        std::find_if(fs.begin(), fs.end(), [&](const Figure& f) { return f.name == e.figure; });
    const auto value = figure->get(subject);
    const Check check = compare(*figure, value, e.words, simulated);
    if (!check.bad.empty()) throw ScenarioError(scenario.place_of_line(e.line) + ": " + check.bad);
    if (!check.ok) report(shown(figure->unit, value));
  }
  return out;
}

std::string summary(const ConnectionResult& result) {
  std::ostringstream out;
  for (const DirectionResult& d : result.directions) {
    out << "from " << (d.from_client ? "client" : "server") << ": " << analysis::word(d.limit);
    const Subject subject{result, &d};
    for (const Figure& f : figures()) {
      const auto v = f.get(subject);
      if (f.name == "blocked share" || (f.name.starts_with("share ") && v && *v > 0)) {
        out << ", " << f.name << " " << shown(f.unit, v);
      }
    }
    out << "\n";
  }
  return out.str();
}

std::string describe(const ConnectionResult& result) {
  std::ostringstream out;
  for (const DirectionResult& d : result.directions) {
    const Subject subject{result, &d};
    out << "from " << (d.from_client ? "client" : "server") << "\n";
    for (const Term& t : terms()) out << "  " << t.name << " " << t.get(subject) << "\n";
    for (const Figure& f : figures())
      out << "  " << f.name << " " << shown(f.unit, f.get(subject)) << "\n";
    for (const analysis::TimelinePiece& p : d.timeline) {
      out << "    " << p.start_us / 1000.0 << "ms +" << p.duration_us / 1000.0 << "ms "
          << analysis::word(p.limit) << "\n";
    }
  }
  return out.str();
}

}  // namespace rwin::test
