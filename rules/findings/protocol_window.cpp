// A window inside the protocol above TCP: SSH's channel window, HTTP/2's stream window.
#include <algorithm>

#include "rules/findings/common.h"
#include "rules/text.h"

namespace rwin::rules::findings {
namespace {

// Framing and encryption add a few per cent to the payload that a window above TCP counts.
bool near(std::uint64_t flight, std::uint64_t window) {
  return flight * 100 >= window * 90 && flight * 100 <= window * 108;
}

}  // namespace

bool protocol_window(const Flow& flow, Outcome& outcome) {
  const auto& d = flow.direction;
  if (!d.flight_max || !d.flight_p50 || flow.window_max() < 2 * *d.flight_max) return false;
  if (*d.flight_p50 * 4 < *d.flight_max * 3) return false;  // no plateau
  // The receiver must answer with small records: that is how such a window is opened again.
  if (flow.reverse == nullptr || flow.reverse->segments < 3) return false;
  const std::uint16_t port = flow.connection.server.port;
  for (const Application& application : flow.catalogue.applications) {
    const auto& ports = application.ports;
    if (std::find(ports.begin(), ports.end(), port) == ports.end()) continue;
    for (const Application::Plateau& known : application.flights) {
      if (!near(*d.flight_max, known.bytes)) continue;
      outcome.unproven("protocol_window");
      outcome.verdict.notes.push_back("The flight stays at " + format_count(*d.flight_max) +
                                      " B with the TCP window wide open: that fits " + known.name +
                                      ". It is granted by the receiver's program, not by its TCP.");
      advise(flow, outcome, {.kind = FixKind::protocol_window});
      return true;
    }
  }
  return false;
}

}  // namespace rwin::rules::findings
