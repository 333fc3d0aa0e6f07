// A window inside the protocol above TCP: SSH's channel window, HTTP/2's stream window.
#include "rules/findings/common.h"
#include "rules/text.h"

namespace rwin::rules::findings {
namespace {

struct KnownWindow {
  std::uint64_t bytes;
  std::uint16_t port;  // 0: any
  std::string_view name;
};
// OpenSSH channels.h (64 x 32 KiB); RFC 9113 6.5.2 and 6.9.2 (65535).
constexpr KnownWindow kKnown[] = {{2097152, 22, "OpenSSH's channel window of 2 MiB"},
                                  {65535, 443, "the first window of an HTTP/2 stream, 65535"}};

// Framing and encryption add a few per cent to the payload that a window above TCP counts.
bool near(std::uint64_t flight, std::uint64_t window) {
  return flight * 100 >= window * 90 && flight * 100 <= window * 108;
}

}  // namespace

bool protocol_window(const Flow& flow, Outcome& outcome) {
  const auto& d = flow.direction;
  if (!d.flight_max || !d.flight_p50 || flow.window_max() < 2 * *d.flight_max) return false;
  if (*d.flight_p50 * 4 < *d.flight_max * 3) return false;  // no plateau
  const std::uint16_t port = flow.connection.server.port;
  for (const KnownWindow& known : kKnown) {
    if (known.port != port || !near(*d.flight_max, known.bytes)) continue;
    // The receiver must answer with small records: that is how such a window is opened again.
    if (flow.reverse == nullptr || flow.reverse->segments < 3) continue;
    outcome.unproven("protocol_window");
    outcome.verdict.notes.push_back("The flight stays at " + format_count(*d.flight_max) +
                                    " B with the TCP window wide open: that fits " +
                                    std::string(known.name) +
                                    ". It is granted by the receiver's program, not by its TCP.");
    advise(flow, outcome, {.kind = FixKind::request_response});
    return true;
  }
  return false;
}

}  // namespace rwin::rules::findings
