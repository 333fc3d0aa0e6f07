// From measured figures to a verdict and the exact change: the only entry that app/ and tui/ use of
// this folder.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "analysis/result.h"
#include "rules/fingerprint.h"
#include "rules/platform.h"

namespace rwin::rules {

enum class Confidence : std::uint8_t { low, medium, high };
enum class Role : std::uint8_t { receiver, sender, middlebox, application };
enum class TargetFrom : std::uint8_t { none, user, capacity, interface_speed };

std::string_view word(Confidence confidence);
std::string_view word(Role role);

struct Settings {
  std::optional<double> target_bps;    // the user's --target-rate, payload bit/s
  std::optional<std::int64_t> rtt_us;  // the user's word for the farthest server, else measured
  // The user's word for the system of a host: an id of the catalogue's platforms.
  std::vector<std::pair<analysis::Address, std::string>> platforms{};
  // Speed of the interface captured on, live: the target where neither the user nor the path tells.
  std::optional<double> interface_bps{};
  // Live, where this host receives: did the program set its receive buffer itself (SO_RCVBUF)? From
  // the kernel, so certain.
  std::optional<bool> receive_buffer_fixed{};
};

struct Evidence {
  // Words of the program's text, never built.
  std::string_view key;  // "window_bytes", "rtt_us": the unit is part of the name where it has one
  double value = 0;
  std::string_view unit;  // "B", "us", "bit/s", "1", ""
};

struct Verdict {
  analysis::Limit limit = analysis::Limit::unknown;
  std::string cause;  // word of the method, part 3; empty when none is known
  Confidence confidence = Confidence::low;
  std::optional<double> ceiling_bps;    // 8 x median window while blocked / median RTT then
  std::optional<double> potential_bps;  // min(target, next limit)
  double gain = 1.0;                    // potential / rate now; 1.0: none
  std::optional<analysis::Limit> next_limit;
  std::string summary;  // one sentence
  std::vector<Evidence> evidence;
  std::vector<std::string> unproven;  // words: "path_capacity", "platform", "buffer_owner", ...
  std::optional<bool> receive_buffer_fixed;  // as Settings has it
  std::vector<std::string> notes;  // further sentences for people: stalls of seconds, odd findings
};

struct Advice {
  std::string id;    // "linux.rmem", stable
  std::string host;  // address to change
  Role role = Role::receiver;
  std::string platform;  // "linux", "macos-10.4", "windows-vista", ...
  std::string title;     // one sentence
  std::optional<std::uint64_t>
      window_bytes;  // only where the advice makes the receiver advertise more
  std::optional<std::uint64_t> buffer_bytes;  // value to configure
  std::optional<std::uint32_t> connections;   // number of parallel connections advised
  std::vector<std::string> look, change, persist, undo;
  std::string takes_effect;
  std::optional<double> expected_bps;
  std::string because;
  std::vector<std::string> warnings;
};

// Where the change is made: "on 192.0.2.10 (linux)", "in the path" for a box that no capture names;
// empty: not known.
std::string place_of(const Advice& advice);

struct Assessment {
  Verdict verdict;
  std::vector<Advice> advice;
};

// The sentences of an assessment: Verdict::evidence and summary. Where most connections are never
// shown they are left to put_in_words(): a third of the work.
enum class Words : std::uint8_t { now, later };

// One direction of one connection. Pure.
Assessment assess(const analysis::ConnectionResult& connection,
                  const analysis::DirectionResult& direction, const Settings& settings,
                  const Catalogue& catalogue, Words words = Words::now);

// What assess() left out, from the same four. Where it did not, nothing changes.
void put_in_words(Assessment& assessment, const analysis::ConnectionResult& connection,
                  const analysis::DirectionResult& direction, const Settings& settings,
                  const Catalogue& catalogue);

// One row per receiver of data.
struct HostSummary {
  analysis::Address address;
  std::string os;
  std::uint64_t connections = 0;
  std::uint64_t window_limited = 0;
  std::optional<std::int64_t> worst_rtt_us;  // largest base RTT among its window-limited flows
  std::optional<std::uint64_t> needed_window_bytes;
  // Data connections into it whose windows fell and stayed low in the same second (three or more;
  // else 0), and what that means: "reader-stopped" where all go to one port, "host-memory" where
  // they go to several.
  std::uint64_t stalled_together = 0;
  std::string cause;
  std::vector<std::string> notes;
  std::vector<Advice> advice;  // of its worst flow, sized for worst_rtt_us
};

// Adds up hosts while connections stream by. Bounded: one entry per receiver address; for each
// receiver that is held by its window one flow is kept (without its timeline), the one with the
// largest base RTT, and of every receiver the last stalls.
class HostTable {
 public:
  HostTable(const Settings& settings, const Catalogue& catalogue);
  ~HostTable();
  HostTable(HostTable&&) noexcept;
  HostTable& operator=(HostTable&&) = delete;

  void add(const analysis::ConnectionResult& connection, const analysis::DirectionResult& direction,
           const Assessment& assessment);
  // Receivers in the order they were first added.
  [[nodiscard]] std::vector<HostSummary> finish() const;

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace rwin::rules
