#include "rules/host_check.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <utility>

#include "rules/text.h"

namespace rwin::rules {
namespace {

constexpr std::uint64_t kUnscaled = 65535;
// tcp_rmem[2] of every kernel since 2.6.17 on a machine with memory enough (net/ipv4/tcp.c).
constexpr std::uint64_t kUsualBuffer = 4'194'304;
constexpr std::uint64_t kUsualSendBuffer = 4'194'304;

std::uint64_t share_of(std::uint64_t buffer, double share) {
  return static_cast<std::uint64_t>(std::floor(static_cast<double>(buffer) * share + 1e-6));
}

// The shift that new connections offer: of the largest of tcp_rmem[2] and rmem_max
// (tcp_select_initial_window, net/ipv4/tcp_output.c).
std::uint8_t offered_shift(std::uint64_t space) {
  std::uint8_t shift = 0;
  while (space > kUnscaled && shift < 14) {
    space >>= 1;
    ++shift;
  }
  return shift;
}

std::uint64_t positive(const std::optional<std::int64_t>& value, std::uint64_t otherwise) {
  return value && *value > 0 ? static_cast<std::uint64_t>(*value) : otherwise;
}

// The findings one after the other; each looks at the facts and the figures so far.
class Checker {
 public:
  Checker(const Catalogue& catalogue, const HostFacts& host, HostCheck& out)
      : catalogue_(catalogue), host_(host), out_(out) {}

  void run() {
    scaling();
    autotuning();
    routes();
    ceiling();
    fixed_buffers();
    share();
    memory();
    switches();
    send_side();
    files();
    std::stable_sort(
        out_.findings.begin(), out_.findings.end(),
        [](const HostFinding& a, const HostFinding& b) { return a.severity < b.severity; });
  }

 private:
  HostFinding& add(std::string_view code, Severity severity, std::string text) {
    out_.findings.push_back({std::string(code), severity, std::move(text), {}});
    return out_.findings.back();
  }

  // Too small for the line asked for; without one, below what an untouched kernel has.
  [[nodiscard]] bool too_small(std::uint64_t window) const {
    return out_.need ? window < out_.need->exact_bytes
                     : window < share_of(kUsualBuffer, out_.share);
  }

  [[nodiscard]] std::string rate(std::uint64_t window) const {
    const std::int64_t rtt = out_.need ? out_.need->rtt_us : 100'000;
    return format_rate(window_rate(window, rtt)) + " at " + format_time(rtt);
  }

  static std::string set(std::string_view key, const std::string& value) {
    const bool several = value.find(' ') != std::string::npos;
    return "sudo sysctl -w " + std::string(key) + "=" + (several ? '"' + value + '"' : value);
  }

  void scaling() {
    if (host_.number("net.ipv4.tcp_window_scaling").value_or(1) != 0) return;
    add("scaling-off", Severity::limits,
        "Window scaling is off (net.ipv4.tcp_window_scaling = 0): no window, in or out, is larger "
        "than 65 535 B, " +
            rate(kUnscaled) + " at most.")
        .change = {set("net.ipv4.tcp_window_scaling", "1")};
  }

  void autotuning() {
    if (host_.number("net.ipv4.tcp_moderate_rcvbuf").value_or(1) != 0) return;
    const bool small = too_small(out_.start_window.value_or(0));
    add("autotuning-off", small ? Severity::limits : Severity::odd,
        "The receive buffer does not grow (net.ipv4.tcp_moderate_rcvbuf = 0): windows stay at " +
            format_count(out_.start_window.value_or(0)) + " B, " +
            rate(out_.start_window.value_or(0)) + ".")
        .change = {set("net.ipv4.tcp_moderate_rcvbuf", "1")};
  }

  void routes() {
    if (!host_.routes) return;
    for (const RouteFacts& route : *host_.routes) {
      if (route.window == 0) continue;
      const bool small = too_small(route.window);
      HostFinding& finding =
          add("window-clamped", small ? Severity::limits : Severity::note,
              "The route to " + route.destination +
                  (route.device.empty() ? "" : " over " + route.device) +
                  " has the attribute 'window " + std::to_string(route.window) +
                  "': to there no window is larger, " + rate(route.window) + " at most" +
                  (route.window <= kUnscaled ? ", and scaling is not offered." : "."));
      if (route.words.empty()) {
        finding.change = {
            "# Repeat the route with 'sudo ip route replace' and the same words, without "
            "'window'."};
      } else {
        finding.change = {"sudo ip route replace " + route.words};
      }
      finding.change.emplace_back("# and where the route is configured, or it comes back");
    }
  }

  void ceiling() {
    const auto now = host_.number("net.ipv4.tcp_rmem", 2);
    if (!now || *now <= 0) return;
    const std::uint64_t window = share_of(static_cast<std::uint64_t>(*now), out_.share);
    if (!too_small(window)) return;
    std::string text = "The receive buffer ends at " +
                       format_count(static_cast<std::uint64_t>(*now)) +
                       " B (third value of net.ipv4.tcp_rmem): windows of about " +
                       format_count(window) + " B, " + rate(window) + ".";
    if (out_.need) {
      text += " The line needs " + format_count(out_.need->exact_bytes) + " B.";
    } else {
      text +=
          " Kernels set 4 MiB or more by themselves: somebody lowered it, or the machine has "
          "little memory.";
    }
    HostFinding& finding = add("buffer-capped", Severity::limits, std::move(text));
    if (!out_.need) {
      finding.change = {"# rwin tune --rate RATE --rtt TIME prints the value for a line"};
      return;
    }
    const HostPlan plan = plan_for_host(catalogue_, host_, *out_.need);
    for (const KnobPlan& knob : plan.knobs) {
      if (knob.key == "net.ipv4.tcp_rmem") finding.change.push_back(set(knob.key, knob.wanted));
    }
  }

  // One finding for each program and size: a server has many alike.
  void fixed_buffers() {
    if (!host_.sockets) return;
    std::map<std::pair<std::string, std::uint32_t>, std::vector<const SocketFacts*>> groups;
    for (const SocketFacts& socket : *host_.sockets) {
      if (!socket.fixed) ++out_.sockets_unknown;
      if (socket.fixed.value_or(false)) groups[{socket.program, socket.rcvbuf}].push_back(&socket);
    }
    for (const auto& [key, sockets] : groups) {
      const std::uint64_t window = share_of(key.second, out_.share);
      const bool small = out_.need && window < out_.need->exact_bytes;
      const SocketFacts& first = *sockets.front();
      std::string which =
          first.peer.empty() ? "what listens at " + first.local : first.local + " <- " + first.peer;
      if (sockets.size() > 1) which += " and " + std::to_string(sockets.size() - 1) + " more";
      add("buffer-fixed", small ? Severity::limits : Severity::note,
          (key.first.empty() ? "A program" : key.first) + " fixed the receive buffer of " + which +
              " at " + format_count(key.second) + " B (SO_RCVBUF): a window of about " +
              format_count(window) + " B that does not grow, " + rate(window) + ".")
          .change = {
          "# Delete the program's receive-buffer setting and restart it; the kernel then grows the "
          "buffer."};
    }
  }

  void share() {
    if (out_.share_measured) return;
    const auto n = host_.number("net.ipv4.tcp_adv_win_scale");
    if (!n || out_.share >= 0.5) return;
    add("window-share", Severity::odd,
        "Only " + std::to_string(std::lround(out_.share * 100)) +
            " % of a buffer becomes window (net.ipv4.tcp_adv_win_scale = " + std::to_string(*n) +
            "); the default 1 gives half.")
        .change = {set("net.ipv4.tcp_adv_win_scale", "1")};
  }

  void memory() {
    if (out_.full_buffers.value_or(1) > 0) return;
    const std::uint64_t pages = positive(host_.number("net.ipv4.tcp_mem", 1), 0);
    add("memory-pressure", Severity::odd,
        "All TCP together may use " + format_count(pages * host_.page_bytes) +
            " B before windows stop growing (net.ipv4.tcp_mem, second value), less than one full "
            "buffer.")
        .change = {
        "nstat -az TcpExtTCPMemoryPressures TcpExtTCPRcvCollapsed TcpExtPruneCalled   # growing: "
        "it happens"};
  }

  void switches() {
    if (host_.number("net.ipv4.tcp_workaround_signed_windows").value_or(0) != 0)
      add("signed-windows", Severity::odd,
          "Peers without window scaling get windows of at most 32 767 B "
          "(net.ipv4.tcp_workaround_signed_windows).")
          .change = {set("net.ipv4.tcp_workaround_signed_windows", "0")};
    if (host_.number("net.ipv4.tcp_timestamps").value_or(1) == 0)
      add("timestamps-off", Severity::note,
          "Time stamps are off: the kernel measures round trips less often and grows windows more "
          "slowly.")
          .change = {set("net.ipv4.tcp_timestamps", "1")};
    if (host_.number("net.ipv4.tcp_sack").value_or(1) == 0)
      add("sack-off", Severity::odd,
          "Selective acknowledgements are off: a few lost packets in a large window cost many "
          "round "
          "trips.")
          .change = {set("net.ipv4.tcp_sack", "1")};
    if (host_.number("net.ipv4.tcp_shrink_window").value_or(0) != 0)
      add("window-shrinks", Severity::note,
          "The kernel may take windows back (net.ipv4.tcp_shrink_window = 1); some senders stall "
          "on "
          "that.");
  }

  void send_side() {
    const auto now = host_.number("net.ipv4.tcp_wmem", 2);
    if (!now || *now <= 0) return;
    const auto buffer = static_cast<std::uint64_t>(*now);
    // Overhead takes about half, as on the receiving side.
    const bool small = out_.need ? buffer / 2 < out_.need->exact_bytes : buffer < kUsualSendBuffer;
    if (!small) return;
    HostFinding& finding =
        add("send-buffer-capped", Severity::odd,
            "Uploads: the send buffer ends at " + format_count(buffer) +
                " B (third value of net.ipv4.tcp_wmem), about " + rate(buffer / 2) + ".");
    if (!out_.need) return;
    const HostPlan plan = plan_for_host(catalogue_, host_, *out_.need);
    for (const KnobPlan& knob : plan.knobs) {
      if (knob.key == "net.ipv4.tcp_wmem") finding.change.push_back(set(knob.key, knob.wanted));
    }
  }

  void files() {
    for (const PersistedValue& kept : host_.persisted) {
      const auto now = host_.text(kept.key);
      if (!now || one_blank(*now) == one_blank(kept.value)) continue;
      if (host_.host_only(kept.key)) continue;
      add("file-differs", Severity::note,
          kept.key + " is " + one_blank(*now) + " now; " + kept.file + " sets " +
              one_blank(kept.value) + " at the next start.");
    }
    if (host_.interrupted)
      add("interrupted", Severity::odd, "A change by 'rwin tune' was interrupted half-way.")
          .change = {"sudo rwin tune --revert"};
  }

  const Catalogue& catalogue_;
  const HostFacts& host_;
  HostCheck& out_;
};

void figures(const HostFacts& host, HostCheck& out) {
  const auto version = kernel_version(host.release);
  out.share_measured = version && *version >= std::pair(6, 6);
  out.share = window_share(host);
  const auto first = host.number("net.ipv4.tcp_rmem", 1);
  const auto most = host.number("net.ipv4.tcp_rmem", 2);
  const bool scales = host.number("net.ipv4.tcp_window_scaling").value_or(1) != 0;
  const bool grows = host.number("net.ipv4.tcp_moderate_rcvbuf").value_or(1) != 0;
  const std::uint64_t cap = positive(host.number("net.core.rmem_max"), 0);
  const std::uint64_t space = std::max({positive(most, 0), positive(first, 0), cap});
  out.shift = scales ? offered_shift(space) : 0;
  const std::uint64_t protocol = kUnscaled << out.shift;
  const auto window = [&](std::uint64_t buffer) {
    return std::min(share_of(buffer, out.share), protocol);
  };
  if (first && *first > 0) out.start_window = window(static_cast<std::uint64_t>(*first));
  const auto& counts = grows ? most : first;
  if (counts && *counts > 0) out.largest_window = window(static_cast<std::uint64_t>(*counts));
  const std::uint64_t pressure = positive(host.number("net.ipv4.tcp_mem", 1), 0);
  if (pressure > 0 && most && *most > 0)
    out.full_buffers = full_buffers(pressure, host.page_bytes, static_cast<std::uint64_t>(*most));
  // A clamp on the default route holds for nearly every peer.
  for (const RouteFacts& route : host.routes.value_or(std::vector<RouteFacts>())) {
    if (route.destination == "default" && route.window > 0 && out.largest_window)
      out.largest_window = std::min<std::uint64_t>(*out.largest_window, route.window);
  }
  // SO_RCVBUF is doubled, so half of it as window is what was asked for.
  if (cap > 0) out.fixed_window = window(2 * cap);
}

}  // namespace

bool is_host_finding(std::string_view word) {
  return std::find(kHostFindings.begin(), kHostFindings.end(), word) != kHostFindings.end();
}

std::string_view word(Severity severity) {
  switch (severity) {
    case Severity::limits:
      return "limits";
    case Severity::odd:
      return "odd";
    case Severity::note:
      return "note";
  }
  return {};
}

bool HostCheck::limits() const {
  return std::any_of(findings.begin(), findings.end(),
                     [](const HostFinding& f) { return f.severity == Severity::limits; });
}

HostCheck check_host(const Catalogue& catalogue, const HostFacts& host,
                     const std::optional<LineNeed>& need, std::optional<std::int64_t> rtt_us) {
  HostCheck out;
  out.need = need;
  figures(host, out);
  std::vector<std::int64_t> rtts = {10'000, 28'000, 50'000, 100'000, 184'000, 330'000};
  const auto own = need ? std::optional(need->rtt_us) : rtt_us;
  if (own && std::find(rtts.begin(), rtts.end(), *own) == rtts.end()) rtts.push_back(*own);
  std::sort(rtts.begin(), rtts.end());
  if (out.largest_window) {
    for (const std::int64_t rtt : rtts)
      out.rates.push_back({rtt, window_rate(*out.largest_window, rtt)});
    if (need) out.enough = *out.largest_window >= need->exact_bytes;
  }
  Checker(catalogue, host, out).run();
  return out;
}

}  // namespace rwin::rules
