#include "rules/host_facts.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <utility>

namespace rwin::rules {

// Documentation/networking/ip-sysctl.rst and admin-guide/sysctl/net.rst of the kernel; which ones a
// network namespace holds: net/ipv4/sysctl_net_ipv4.c, net/core/sysctl_net_core.c.
std::span<const Knob> linux_knobs() {
  static constexpr Knob kKnobs[] = {
      {"net.ipv4.tcp_rmem", false, "receive buffer: least, first, largest"},
      {"net.ipv4.tcp_wmem", false, "send buffer: least, first, largest"},
      {"net.ipv4.tcp_window_scaling", false, "windows above 65535 bytes"},
      {"net.ipv4.tcp_moderate_rcvbuf", false, "the receive buffer grows by itself"},
      {"net.ipv4.tcp_adv_win_scale", false, "share of the buffer that becomes window (before 6.6)"},
      {"net.ipv4.tcp_app_win", false, "part of the window kept for the program"},
      {"net.ipv4.tcp_shrink_window", false, "the window may be taken back"},
      {"net.ipv4.tcp_workaround_signed_windows", false,
       "windows up to 32767 for peers without scaling"},
      {"net.ipv4.tcp_timestamps", false, "time stamps: better round-trip times"},
      {"net.ipv4.tcp_sack", false, "selective acknowledgements: quick repair of loss"},
      {"net.ipv4.tcp_slow_start_after_idle", false, "a sender starts slowly again after a pause"},
      {"net.ipv4.tcp_no_metrics_save", false, "earlier connections to a peer are not remembered"},
      {"net.ipv4.tcp_notsent_lowat", false, "unsent data a send buffer takes"},
      {"net.ipv4.tcp_congestion_control", false, "how a sender reacts to loss and queues"},
      {"net.core.rmem_max", true, "most that SO_RCVBUF gets; counts for the window scale"},
      {"net.core.wmem_max", true, "most that SO_SNDBUF gets"},
      {"net.core.rmem_default", true, "receive buffer of everything but TCP"},
      {"net.core.wmem_default", true, "send buffer of everything but TCP"},
      {"net.ipv4.tcp_mem", true, "pages of all TCP together: calm, pressure, most"},
  };
  return kKnobs;
}

std::optional<std::string> HostFacts::text(std::string_view knob) const {
  const auto found = knobs.find(knob);
  return found == knobs.end() ? std::nullopt : found->second.value;
}

std::vector<std::int64_t> HostFacts::numbers(std::string_view knob) const {
  std::vector<std::int64_t> out;
  const std::string value = one_blank(text(knob).value_or(""));
  const char* at = value.data();
  const char* end = at + value.size();
  while (at < end) {
    std::int64_t number = 0;
    const auto [next, fault] = std::from_chars(at, end, number);
    if (fault != std::errc() || (next < end && *next != ' ')) return {};
    out.push_back(number);
    at = next < end ? next + 1 : next;
  }
  return out;
}

std::optional<std::int64_t> HostFacts::number(std::string_view knob, std::size_t index) const {
  const auto all = numbers(knob);
  return index < all.size() ? std::optional(all[index]) : std::nullopt;
}

bool HostFacts::host_only(std::string_view knob) const {
  const auto knobs_known = linux_knobs();
  const auto found = std::find_if(knobs_known.begin(), knobs_known.end(),
                                  [&](const Knob& k) { return k.name == knob; });
  return own_namespace && found != knobs_known.end() && found->host_only;
}

std::optional<std::pair<int, int>> kernel_version(std::string_view release) {
  int major = 0;
  int minor = 0;
  const char* end = release.data() + release.size();
  const auto first = std::from_chars(release.data(), end, major);
  if (first.ec != std::errc() || first.ptr == end || *first.ptr != '.') return std::nullopt;
  if (std::from_chars(first.ptr + 1, end, minor).ec != std::errc()) return std::nullopt;
  return std::pair(major, minor);
}

double window_share(const HostFacts& host) {
  const auto version = kernel_version(host.release);
  constexpr double kHalf = 0.5;
  if (version && *version >= std::pair(6, 6)) return kHalf;  // the knob does nothing any more
  const bool old = version && *version < std::pair(3, 4);    // its default was 2 before
  const auto n = host.number("net.ipv4.tcp_adv_win_scale").value_or(old ? 2 : 1);
  if (n < -31 || n > 31) return kHalf;
  return n > 0 ? 1 - std::ldexp(1.0, static_cast<int>(-n)) : std::ldexp(1.0, static_cast<int>(n));
}

std::string one_blank(std::string_view value) {
  std::string out;
  for (const char c : value) {
    const bool blank = c == ' ' || c == '\t' || c == '\n' || c == '\r';
    if (!blank) out += c;
    if (blank && !out.empty() && out.back() != ' ') out += ' ';
  }
  if (!out.empty() && out.back() == ' ') out.pop_back();
  return out;
}

}  // namespace rwin::rules
