// What a Linux host is set to, as read from it: values only. app/ fills it from capture/host.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace rwin::rules {

// A sysctl that matters for windows.
struct Knob {
  std::string_view name;
  bool host_only;  // not held by a network namespace of its own: the initial one rules
  std::string_view meaning;
};
std::span<const Knob> linux_knobs();

struct KnobReading {
  std::optional<std::string> value;  // nullopt: not there or not readable
  bool writable = false;
};

struct RouteFacts {
  std::string destination;  // "default", "10.0.0.0/8"
  std::string words;        // the route as `ip route` takes it, without `window`; empty: not whole
  std::string device;
  std::uint32_t window = 0;  // bytes; 0: no such attribute
};

struct SocketFacts {
  std::string local, peer;    // with port; peer empty: it listens, its connections inherit
  std::uint32_t rcvbuf = 0;   // sk_rcvbuf: what the program asked for, doubled
  std::optional<bool> fixed;  // SO_RCVBUF was set; nullopt: it may not be asked (another user's)
  std::string program;        // empty: not known
};

struct PersistedValue {
  std::string key, value, file;  // the last file at start that sets it
};

struct HostFacts {
  std::string release;         // "6.1.0-18-amd64"; empty: not known
  bool own_namespace = false;  // not the initial network namespace
  std::uint64_t page_bytes = 4096;
  std::map<std::string, KnobReading, std::less<>> knobs;
  std::optional<std::vector<RouteFacts>> routes;    // nullopt: not read
  std::optional<std::vector<SocketFacts>> sockets;  // nullopt: not read
  std::vector<PersistedValue> persisted;
  bool interrupted = false;  // a change by `rwin tune` did not end

  [[nodiscard]] std::optional<std::string> text(std::string_view knob) const;
  // The numbers of a value, "4096 131072 6291456"; empty: not known.
  [[nodiscard]] std::vector<std::int64_t> numbers(std::string_view knob) const;
  // The number at `index` of it.
  [[nodiscard]] std::optional<std::int64_t> number(std::string_view knob,
                                                   std::size_t index = 0) const;
  [[nodiscard]] bool host_only(std::string_view knob) const;
};

// Major and minor of a kernel release, for comparing: {6, 1}; nullopt: not understood.
std::optional<std::pair<int, int>> kernel_version(std::string_view release);

// Share of a receive buffer that becomes window (ip-sysctl, tcp_adv_win_scale): 1 - 1/2^n for n >
// 0, 2^n for n <= 0; from 6.6 on it is measured for each connection, and a half is what it may be
// counted on at MTU 1500. The default of the release where the knob is not known.
double window_share(const HostFacts& host);

// The words of a value, one blank between them: the kernel separates with tabs.
std::string one_blank(std::string_view value);

}  // namespace rwin::rules
