#include "rules/advise.h"

#include <algorithm>
#include <cmath>

#include "rules/calc.h"
#include "rules/template.h"
#include "rules/text.h"

namespace rwin::rules {
namespace {

// Below this a fingerprint only says what the system might be.
constexpr double kRecognised = 0.35;
constexpr double kSure = 0.5;  // the exact option list of one family

std::uint64_t scaled(std::uint64_t value, double factor) {
  return static_cast<std::uint64_t>(std::ceil(static_cast<double>(value) * factor - 1e-6));
}

std::vector<std::string> fill_all(const std::vector<std::string>& texts, const FixValues& values) {
  std::vector<std::string> filled;
  filled.reserve(texts.size());
  for (const std::string& text : texts) filled.push_back(fill(text, values));
  return filled;
}

FixValues values_for(const Flow& flow, const Platform& platform, const Fix& fix,
                     const Request& request, std::uint64_t window) {
  const bool at_receiver = request.side == Side::receiver;
  const analysis::Endpoint& host = at_receiver ? flow.receiver : flow.sender;
  const analysis::Endpoint& peer = at_receiver ? flow.sender : flow.receiver;
  FixValues values;
  values.window = window;
  values.window_now = std::max(flow.window_max(), flow.window.value_or(0));
  values.flight = flow.direction.flight_max.value_or(0);
  values.mss = flow.mss;
  values.shift = shift_for(window);
  values.connections = request.connections;
  values.host = format_address(host.address);
  values.peer = format_address(peer.address);
  values.peer_ss = peer.address.family == 6 ? "'[" + values.peer + "]'" : values.peer;
  values.host_port = host.port;
  values.peer_port = peer.port;
  const double ratio = fix.buffer_per_window.value_or(platform.buffer_per_window);
  values.buffer = scaled(window, ratio);
  values.cap = scaled(values.buffer, platform.cap_per_buffer);
  return values;
}

// The window that this platform can be brought to: what is wanted, or its largest.
std::uint64_t reachable(const Platform& platform, std::uint64_t window) {
  const std::uint64_t largest =
      platform.largest_window > 0 ? platform.largest_window : kLargestWindow;
  return std::min(window, largest);
}

// What the sender's buffer must hold: the target's flight, or four times the present one.
std::uint64_t wanted_flight(const Flow& flow, const Sizing& sizing) {
  if (sizing.target_bps && sizing.rtt_us) {
    return round_window(needed_window(*sizing.target_bps, *sizing.rtt_us), flow.mss);
  }
  return 4 * flow.direction.flight_max.value_or(0);
}

std::optional<double> expected(const Sizing& sizing, std::uint64_t window, bool raises) {
  if (!raises || !sizing.potential_bps || !sizing.rtt_us) return std::nullopt;
  return std::min(*sizing.potential_bps, window_rate(window, *sizing.rtt_us));
}

Advice make_advice(const Flow& flow, const Platform& platform, const Fix& fix,
                   const Request& request, const Sizing& sizing) {
  const bool sends = fix.kind == FixKind::send_buffer;
  const std::uint64_t window =
      sends ? wanted_flight(flow, sizing) : reachable(platform, sizing.window);
  const FixValues values = values_for(flow, platform, fix, request, window);
  Advice advice;
  advice.id = fix.id;
  advice.host = values.host;
  advice.role = fix.role;
  if (fix.role == Role::receiver && request.side == Side::sender) advice.role = Role::sender;
  advice.platform = platform.id;
  if (request.raises) advice.window_bytes = window;
  const double ratio = fix.buffer_per_window.value_or(platform.buffer_per_window);
  if (ratio > 0 && (request.raises || sends)) advice.buffer_bytes = values.buffer;
  if (request.connections > 0) advice.connections = request.connections;
  advice.title = fill(fix.title, values);
  advice.because = fill(fix.because, values);
  advice.look = fill_all(fix.look, values);
  advice.change = fill_all(fix.change, values);
  advice.persist = fill_all(fix.persist, values);
  advice.undo = fill_all(fix.undo, values);
  advice.takes_effect = fill(fix.takes_effect, values);
  advice.warnings = fill_all(fix.warnings, values);
  if (fix.certainty == Certainty::memory) {
    advice.warnings.insert(advice.warnings.begin(),
                           "These commands are not checked against a source.");
  }
  advice.expected_bps = expected(sizing, window, request.raises || sends);
  if (request.raises && window < sizing.window) {
    advice.warnings.push_back("The target needs a window of " + format_count(sizing.window) +
                              " B, more than this system can advertise." +
                              (platform.beyond.empty() ? "" : " " + platform.beyond));
  }
  return advice;
}

// Near enough to a buffer that a program sets: what it gives as window differs by the system's
// share and rounding.
bool near(std::uint64_t seen, std::uint64_t plateau) {
  return seen * 100 >= plateau * 85 && seen * 100 <= plateau * 105;
}

// The program at the end to be changed, known by the server's port; one with a plateau of its own
// must show it.
bool may_be(const Application& application, const Flow& flow, Side side) {
  const auto& ports = application.ports;
  const std::uint16_t port = flow.connection.server.port;
  if (std::find(ports.begin(), ports.end(), port) == ports.end()) return false;
  const bool at_server = (side == Side::receiver) != flow.receiver_is_client;
  if (application.end == Application::End::server && !at_server) return false;
  if (application.end == Application::End::client && at_server) return false;
  if (application.buffers.empty()) return true;
  const std::uint64_t seen = side == Side::receiver
                                 ? std::max(flow.window_max(), flow.window.value_or(0))
                                 : flow.direction.flight_max.value_or(0);
  return std::any_of(application.buffers.begin(), application.buffers.end(),
                     [&](const Application::Plateau& p) { return near(seen, p.bytes); });
}

bool same_advice(const std::vector<Advice>& list, const Advice& advice) {
  return std::any_of(list.begin(), list.end(), [&](const Advice& other) {
    return other.id == advice.id && other.host == advice.host;
  });
}

void add(const Flow& flow, Outcome& outcome, const Request& request, const Platform& platform,
         FixKind kind) {
  const Platform* source = &platform;
  const Fix* fix = platform.fix(kind);
  if (fix == nullptr) {
    source = flow.catalogue.platform("generic");
    fix = source != nullptr ? source->fix(kind) : nullptr;
  }
  if (fix == nullptr) return;
  Advice advice = make_advice(flow, *source, *fix, request, outcome.sizing);
  if (!same_advice(outcome.advice, advice)) outcome.advice.push_back(std::move(advice));
}

// A port is a hint, no proof; a plateau of the program's own says more.
std::string hint_of(const Application& application, const Flow& flow) {
  const std::string port = std::to_string(flow.connection.server.port);
  const bool plateau = !application.buffers.empty() || !application.flights.empty();
  return plateau ? "Port " + port + " and the size fit " + application.title + ". "
                 : "Only port " + port + " points to " + application.title + ". ";
}

// The settings of the programs that it may be.
void add_applications(const Flow& flow, Outcome& outcome, const Request& request, FixKind kind) {
  Platform programs;
  programs.buffer_per_window = 1;
  for (const Application& application : flow.catalogue.applications) {
    const Fix* fix = application.fix(kind);
    if (fix == nullptr || !may_be(application, flow, request.side)) continue;
    Advice advice = make_advice(flow, programs, *fix, request, outcome.sizing);
    if (kind != FixKind::parallel) advice.because.insert(0, hint_of(application, flow));
    if (!same_advice(outcome.advice, advice)) outcome.advice.push_back(std::move(advice));
  }
}

}  // namespace

void Outcome::unproven(std::string_view word) {
  if (std::find(verdict.unproven.begin(), verdict.unproven.end(), word) == verdict.unproven.end()) {
    verdict.unproven.emplace_back(word);
  }
}

Platforms platforms_of(const Flow& flow, Side side) {
  const analysis::Address& address = (side == Side::receiver ? flow.receiver : flow.sender).address;
  Platforms platforms;
  for (const auto& [host, id] : flow.settings.platforms) {
    const Platform* told = host == address ? flow.catalogue.platform(id) : nullptr;
    if (told != nullptr) return {{told}, true};
  }
  const SignatureMatch match =
      side == Side::receiver ? flow.receiver_system() : flow.sender_system();
  if (match.signature != nullptr && match.confidence >= kRecognised) {
    for (const Signature* signature : {match.signature, match.rival}) {
      if (signature == nullptr) continue;
      for (const std::string& id : signature->platforms) {
        const Platform* platform = flow.catalogue.platform(id);
        const auto& list = platforms.list;
        if (platform != nullptr && std::find(list.begin(), list.end(), platform) == list.end()) {
          platforms.list.push_back(platform);
        }
      }
    }
    platforms.sure = match.confidence >= kSure && platforms.list.size() == 1;
  }
  if (platforms.list.empty()) platforms.list = flow.catalogue.likely;
  return platforms;
}

void advise(const Flow& flow, Outcome& outcome, const Request& request) {
  const Platforms platforms = platforms_of(flow, request.side);
  const bool tunable = !platforms.list.empty() && platforms.list.front()->tunable;
  // What a program does above TCP: where it is known, its own words are enough.
  const bool above = request.kind == FixKind::protocol_window || request.kind == FixKind::parallel;
  const std::size_t before = outcome.advice.size();
  if (above && tunable) add_applications(flow, outcome, request, request.kind);
  if (outcome.advice.size() > before) return;
  if (!platforms.sure) outcome.unproven("platform");
  for (const Platform* platform : platforms.list) {
    add(flow, outcome, request, *platform, request.kind);
    if (!request.then) continue;
    const bool beyond = platform->default_window > 0 && request.side == Side::receiver &&
                        outcome.sizing.window > platform->default_window;
    if (beyond || request.then_always) add(flow, outcome, request, *platform, *request.then);
  }
  if (!tunable) return;
  add_applications(flow, outcome, request, request.kind);
  if (request.then) add_applications(flow, outcome, request, *request.then);
}

}  // namespace rwin::rules
