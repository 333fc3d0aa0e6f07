// Is a Linux host able to fill a line: the largest window it can advertise, the rate per round
// trip, and what holds it back. Pure.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "rules/host_facts.h"
#include "rules/host_tune.h"

namespace rwin::rules {

// The words of findings, in the order of their weight.
inline constexpr std::array<std::string_view, 14> kHostFindings = {
    "scaling-off",  "autotuning-off",  "window-clamped", "buffer-capped",      "buffer-fixed",
    "window-share", "memory-pressure", "signed-windows", "send-buffer-capped", "timestamps-off",
    "sack-off",     "window-shrinks",  "file-differs",   "interrupted"};
bool is_host_finding(std::string_view word);

enum class Severity : std::uint8_t {
  limits,  // keeps transfers below the line's rate, or below what an untouched kernel allows
  odd,     // not as it should be; may slow transfers down
  note     // good to know
};
std::string_view word(Severity severity);

struct HostFinding {
  std::string code;
  Severity severity = Severity::note;
  std::string text;                 // one or two sentences
  std::vector<std::string> change;  // commands; "# ..." for people
};

struct RateAtRtt {
  std::int64_t rtt_us = 0;
  double bps = 0;
};

struct HostCheck {
  double share = 0.5;
  bool share_measured = false;  // 6.6 and later: the kernel measures it for each connection
  std::optional<std::uint64_t> start_window;    // of a new connection
  std::optional<std::uint64_t> largest_window;  // of one that grows by itself; nullopt: not known
  std::optional<std::uint64_t> fixed_window;    // most that a program gets that sets its own buffer
  // Connections with full buffers until tcp_mem stops windows from growing; nullopt: not known.
  std::optional<std::uint64_t> full_buffers;
  std::uint8_t shift = 0;        // that new connections offer; 0 also without scaling
  std::vector<RateAtRtt> rates;  // of the largest window
  std::optional<LineNeed> need;
  std::optional<bool> enough;         // for the need; nullopt: no need given, or not known
  std::vector<HostFinding> findings;  // most important first
  std::size_t sockets_unknown = 0;    // that may not be asked whether a program fixed their buffer
  [[nodiscard]] bool limits() const;
};

// `need`: the line to fill, if one was given. `rtt_us`: a round trip to print the rate for.
HostCheck check_host(const Catalogue& catalogue, const HostFacts& host,
                     const std::optional<LineNeed>& need, std::optional<std::int64_t> rtt_us);

}  // namespace rwin::rules
