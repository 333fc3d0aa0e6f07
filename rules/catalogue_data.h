// What the catalogue holds once its files are read. Inside rules/ only.
#pragma once

#include <array>
#include <atomic>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "analysis/result.h"
#include "rules/assess.h"
#include "rules/platform.h"
#include "rules/tune.h"

namespace rwin::rules {

// What a fix is for; the table names of the platform files ([fix.buffer_capped]).
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
  request_response,  // the programs wait for each other
  nagle,             // small segments wait for delayed ACKs
  parallel,          // several connections side by side
};
inline constexpr std::array<std::string_view, 15> kFixKinds = {
    "scaling_off",   "scaling_stripped", "scale_rewritten",  "window_clamped", "buffer_fixed",
    "buffer_capped", "autotuning_slow",  "window_shrunk",    "reader",         "send_buffer",
    "loss",          "path_mtu",         "request_response", "nagle",          "parallel"};

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

// The settings that `rwin tune` prints: texts with placeholders, in the order in which they are
// set.
struct Tune {
  std::vector<std::string> sysctl;                // "key=value"
  std::vector<std::string> registry;              // "HKLM\\path\\Name=number"
  std::vector<std::string> commands, powershell;  // whole command lines
  std::vector<std::string> look, undo, warnings;  // beside what follows from the above
  Persist persist = Persist::itself;
  std::string takes_effect;
  std::optional<std::uint64_t> untouched_window;  // in place of default_window
  std::uint64_t buffer_step = 0, cap_step = 0;    // values are rounded up to multiples; 0: not
  std::string step_because;
  std::uint64_t least_buffer = 0;   // defaults differ between machines: never set less
  std::uint64_t cap_untouched = 0;  // an untouched system's cap: no setting for a smaller one
};

struct Platform {
  std::string id, title;
  int likely = 0;  // rank among the platforms offered when the system is unknown; 0: not offered
  bool tunable = true;             // false: nobody can change it (a television, a phone)
  double buffer_per_window = 1.0;  // buffer value to configure for one byte of window
  double cap_per_buffer = 1.0;     // value of the surrounding limit for one byte of buffer
  std::uint64_t largest_window =
      0;  // that the system can be brought to advertise; 0: the protocol's
  std::uint64_t default_window = 0;  // that it reaches untouched; 0: not known
  std::uint64_t default_flight = 0;  // that its send buffer allows untouched; 0: not known
  std::vector<Fix> fixes;
  std::optional<Tune> tune;

  [[nodiscard]] const Fix* fix(FixKind kind) const;
};

struct Signature {
  std::string os;
  std::vector<std::string> platforms;
  std::uint8_t ttl = 64;                           // initial; 0: any
  std::vector<std::vector<std::uint8_t>> layouts;  // option kinds in order, up to the first EOL
  std::vector<std::uint16_t> windows;              // raw values of the SYN; empty: any
  std::vector<std::uint16_t> window_segments;      // or multiples of the MSS
  std::vector<std::uint16_t> answer_windows;       // raw values of the SYN-ACK; empty: as the SYN
  std::vector<int> scales;                         // shifts; -1: option absent; empty: any
  bool always_scales = false;                      // offers scaling unless someone switched it off
};

inline std::uint64_t next_serial() {
  static std::atomic<std::uint64_t> last{0};
  return ++last;
}

struct CatalogueData {
  // Tells catalogues apart, also one from another that stood at the same address before.
  std::uint64_t serial = next_serial();
  std::vector<Platform> platforms;
  std::vector<Signature> signatures;
  std::vector<const Platform*> likely;  // offered when the system is unknown, most likely first

  [[nodiscard]] const Platform* platform(std::string_view id) const;
};

struct SignatureMatch {
  const Signature* signature = nullptr;  // null: not recognised
  double confidence = 0;
};
// The best signature for one end's SYN or SYN-ACK. No allocation.
SignatureMatch match_signature(const CatalogueData& data, const analysis::HandshakeSide& offer,
                               bool is_syn_ack);

// Initial TTL: the next of 32, 64, 128, 255 (p0f). 0 stays 0.
std::uint8_t initial_ttl(std::uint8_t ttl);
// "mss,nop,ws" to kinds; nullopt for an unknown word.
std::optional<std::vector<std::uint8_t>> parse_layout(std::string_view text);

}  // namespace rwin::rules
