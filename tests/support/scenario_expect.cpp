#include <algorithm>
#include <cmath>
#include <sstream>

#include "tests/support/scenario.h"
#include "tests/support/scenario_figures.h"
#include "tests/support/scenario_words.h"

namespace rwin::test {
namespace {

using analysis::ConnectionResult;
using analysis::DirectionResult;

constexpr const char* kSays = "says";

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

Check compare(const std::string& name, Unit unit, const std::optional<double>& value,
              std::vector<std::string> words, const Simulated& simulated) {
  if (words.size() == 1 && words[0] == "unknown") return {!value, {}};
  std::optional<double> wanted;
  std::string how = "=";
  std::size_t i = 0;
  if (words[0] == ">=" || words[0] == "<=") how = words[i++];
  if (words.size() >= i + 2 && words[i] == "as" && words[i + 1] == "simulated") {
    if (name != "blocked share") return {false, "only the blocked share is simulated"};
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
    off = w.ends_with("%") && unit != Unit::share ? *by * std::abs(*wanted) : *by;
  }
  if (i < words.size()) return {false, "'" + words[i] + "' is too much"};
  if (!value) return {};
  const double v = comparable(unit, *value);
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

// "says WORDS", "says not WORDS": the words stand in the text, or do not.
bool says(const std::vector<std::string>& words, const std::string& text) {
  const bool forbidden = words.front() == "not";
  const std::string wanted =
      join(std::vector<std::string>(words.begin() + (forbidden ? 1 : 0), words.end()));
  return (text.find(wanted) == std::string::npos) == forbidden;
}

// What is wrong with one expectation, with its place; empty when it holds.
template <class T>
std::string difference(const Expectation& e, const Scenario& scenario, const T& subject,
                       const std::vector<FigureOf<T>>& figures, const std::vector<TermOf<T>>& terms,
                       const Simulated& simulated, const std::string* text) {
  const auto report = [&](const std::string& is) {
    return scenario.place_of_line(e.line) + ": " + e.figure + " must be " + join(e.words) +
           ", is " + is;
  };
  if (e.figure == kSays) {
    if (text == nullptr) return report("unknown: no rules asked");
    return says(e.words, *text) ? "" : report(*text);
  }
  const auto named = [&](const auto& entry) { return entry.name == e.figure; };
  const auto term = std::find_if(terms.begin(), terms.end(), named);
  if (term != terms.end()) {
    const std::string value = term->get(subject);
    return any_of(e.words, value) ? "" : report(value);
  }
  const auto figure = std::find_if(figures.begin(), figures.end(), named);
  const auto value = figure->get(subject);
  const Check check = compare(figure->name, figure->unit, value, e.words, simulated);
  if (!check.bad.empty()) throw ScenarioError(scenario.place_of_line(e.line) + ": " + check.bad);
  return check.ok ? "" : report(shown(figure->unit, value));
}

}  // namespace

std::string word(View view) {
  return view == View::client ? "client" : view == View::middle ? "middle" : "server";
}

std::vector<std::string> figure_names() {
  std::vector<std::string> names = {kSays};
  for (const Figure& f : figures()) names.push_back(f.name);
  for (const Term& t : terms()) names.push_back(t.name);
  return names;
}

std::vector<std::string> host_figure_names() {
  std::vector<std::string> names = {kSays};
  for (const auto& f : host_figures()) names.push_back(f.name);
  for (const auto& t : host_terms()) names.push_back(t.name);
  return names;
}

std::vector<std::string> unmet(const Scenario& scenario, View view, std::size_t index,
                               const Seen& seen) {
  std::vector<std::string> out;
  for (const Expectation& e : scenario.expectations) {
    if (e.host || (e.view && *e.view != view) || (e.connection && *e.connection != index)) continue;
    const DirectionResult* direction = pick(seen.result, e.from_client);
    const bool up = direction != nullptr && direction->from_client;
    const Said* said = up ? seen.from_client : seen.from_server;
    const Subject subject{seen.result, direction, said};
    const std::string is = difference(e, scenario, subject, figures(), terms(), seen.simulated,
                                      said == nullptr ? nullptr : &said->text);
    if (!is.empty()) out.push_back(is);
  }
  return out;
}

std::vector<std::string> unmet_of_hosts(const Scenario& scenario, View view,
                                        const std::vector<HostSaid>& hosts) {
  std::vector<std::string> out;
  for (const Expectation& e : scenario.expectations) {
    if (!e.host || (e.view && *e.view != view)) continue;
    const auto host = std::find_if(hosts.begin(), hosts.end(),
                                   [&](const HostSaid& h) { return h.address == *e.host; });
    if (host == hosts.end()) {
      out.push_back(scenario.place_of_line(e.line) + ": nothing is said of this host");
      continue;
    }
    const std::string is =
        difference(e, scenario, *host, host_figures(), host_terms(), {}, &host->text);
    if (!is.empty()) out.push_back(is);
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
