// What the catalogue holds once its files are read. Inside rules/ only.
#pragma once

#include <atomic>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "analysis/result.h"
#include "rules/assess.h"
#include "rules/fix.h"
#include "rules/platform.h"
#include "rules/tune.h"

namespace rwin::rules {

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
  std::vector<std::string> aliases;  // other names that people give for it
  std::string family;  // the id that others were derived from: "linux" for all its kernel ranges
  int likely = 0;  // rank among the platforms offered when the system is unknown; 0: not offered
  bool tunable = true;             // false: nobody can change it (a television, a phone)
  double buffer_per_window = 1.0;  // buffer value to configure for one byte of window
  double cap_per_buffer = 1.0;     // value of the surrounding limit for one byte of buffer
  std::uint64_t largest_window =
      0;  // that the system can be brought to advertise; 0: the protocol's
  std::uint64_t default_window = 0;  // that it reaches untouched; 0: not known
  std::uint64_t default_flight = 0;  // that its send buffer allows untouched; 0: not known
  // What a shift in this system's SYN tells of its settings; -1: option absent.
  std::vector<std::pair<int, std::string>> shift_means;
  std::string beyond;  // what then: a sentence for a window above the largest
  std::vector<Fix> fixes;
  std::optional<Tune> tune;

  [[nodiscard]] const Fix* fix(FixKind kind) const { return find_fix(fixes, kind); }
};

// A program that owns its window: known by the server's port, by a plateau that its own default
// makes, or on this host by its process name.
struct Application {
  enum class End : std::uint8_t { server, client, both };
  struct Plateau {
    std::uint64_t bytes = 0;
    std::string name;  // "OpenSSH's channel window of 2 MiB"
  };
  std::string id, title;
  std::vector<std::uint16_t> ports;   // of the server
  std::vector<std::string> programs;  // process names
  End end = End::both;                // which end it runs at
  std::vector<Plateau> buffers;       // receive or send buffers that it sets by itself
  std::vector<Plateau> flights;       // windows inside its protocol, above TCP
  std::vector<Fix> fixes;

  [[nodiscard]] const Fix* fix(FixKind kind) const { return find_fix(fixes, kind); }
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
  std::vector<Application> applications;
  std::vector<Signature> signatures;
  std::vector<const Platform*> likely;  // offered when the system is unknown, most likely first

  [[nodiscard]] const Platform* platform(std::string_view id) const;
};

struct SignatureMatch {
  const Signature* signature = nullptr;  // null: not recognised
  double confidence = 0;
  const Signature* rival = nullptr;  // of another system, and as good
};
// The best signature for one end's SYN or SYN-ACK. No allocation.
SignatureMatch match_signature(const CatalogueData& data, const analysis::HandshakeSide& offer,
                               bool is_syn_ack);

// Initial TTL: the next of 32, 64, 128, 255 (p0f). 0 stays 0.
std::uint8_t initial_ttl(std::uint8_t ttl);
// "mss,nop,ws" to kinds; nullopt for an unknown word.
std::optional<std::vector<std::uint8_t>> parse_layout(std::string_view text);

}  // namespace rwin::rules
