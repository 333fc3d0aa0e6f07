// One fix as the data files hold it ([fix.KIND] of platforms/*.toml and applications/*.toml).
// Inside rules/ only.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "rules/assess.h"

namespace rwin::rules {

// What a fix is for; the table names of the data files ([fix.buffer_capped]).
enum class FixKind : std::uint8_t {
  scaling_off,       // this end does not take part in window scaling
  scaling_stripped,  // a box on the way removes the option
  scale_rewritten,   // a box on the way changes or ignores the shift
  window_clamped,    // a route, a socket option or a box limits the window
  buffer_fixed,      // a program fixes the receive buffer
  buffer_capped,     // the system's maximum ends the growth
  autotuning_slow,   // the window grows too slowly
  window_shrunk,     // the right edge is taken back
  reader,            // the program reads too slowly: where to look
  send_buffer,       // the send buffer holds the sender
  loss,              // the sender's reaction to loss
  path_mtu,          // full-size packets vanish
  mss_clamped,       // a box on the way lowers the MSS more than any tunnel needs
  request_response,  // the programs wait for each other
  protocol_window,   // a window inside the protocol above TCP
  nagle,             // small segments wait for delayed ACKs
  parallel,          // several connections side by side
};
inline constexpr std::array<std::string_view, 17> kFixKinds = {
    "scaling_off",   "scaling_stripped", "scale_rewritten", "window_clamped",   "buffer_fixed",
    "buffer_capped", "autotuning_slow",  "window_shrunk",   "reader",           "send_buffer",
    "loss",          "path_mtu",         "mss_clamped",     "request_response", "protocol_window",
    "nagle",         "parallel"};

// How far the facts behind a fix are checked. `memory` is printed with a warning, never as certain.
enum class Certainty : std::uint8_t { sourced, derived, memory };

struct Fix {
  FixKind kind = FixKind::buffer_capped;
  std::string id;  // "linux.buffer-capped"
  Role role = Role::receiver;
  std::string title, because, takes_effect;
  std::vector<std::string> look, change, persist, undo, warnings;
  Certainty certainty = Certainty::sourced;
  std::optional<double> buffer_per_window;  // 0: there is no buffer value to configure
};

// Null where the list has none of this kind.
const Fix* find_fix(const std::vector<Fix>& fixes, FixKind kind);

}  // namespace rwin::rules
