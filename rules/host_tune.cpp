#include "rules/host_tune.h"

#include <algorithm>
#include <charconv>
#include <cmath>

#include "rules/text.h"

namespace rwin::rules {
namespace {

constexpr std::uint64_t kLargestBuffer = INT32_MAX;  // the kernel keeps these values as int

std::vector<std::int64_t> numbers_of(const std::string& value) {
  HostFacts one;
  one.knobs["x"].value = value;
  return one.numbers("x");
}

// `wanted` over `now`: parts that are as large stay, and of several parts only the last is raised
// (the first two are the start of a connection, not its ceiling). Empty: nothing to change.
std::string merged(const std::vector<std::int64_t>& now, const std::vector<std::int64_t>& wanted) {
  if (now.size() != wanted.size() || now.empty()) {
    std::string text;
    for (const std::int64_t part : wanted) text += (text.empty() ? "" : " ") + std::to_string(part);
    return text;
  }
  if (now.back() >= wanted.back()) return {};
  std::string text;
  for (std::size_t i = 0; i + 1 < now.size(); ++i) text += std::to_string(now[i]) + " ";
  return text + std::to_string(wanted.back());
}

void add_notes(const HostFacts& host, HostPlan& out) {
  const bool elsewhere = std::any_of(out.knobs.begin(), out.knobs.end(), [](const KnobPlan& k) {
    return k.state == KnobState::needs_host;
  });
  if (elsewhere) {
    out.notes.push_back(
        "This is a network namespace of its own (a container): net.core.* and tcp_mem belong to "
        "the "
        "host and are set there. rmem_max and wmem_max only count for programs that set their own "
        "buffers.");
  }
  if (host.own_namespace) {
    out.notes.push_back(
        "A container gets its values from its own configuration when it is created: docker run "
        "--sysctl net.ipv4.tcp_rmem=\"...\", or securityContext.sysctls in Kubernetes.");
  }
  const auto pressure = host.number("net.ipv4.tcp_mem", 1);
  if (pressure && *pressure > 0 &&
      full_buffers(static_cast<std::uint64_t>(*pressure), host.page_bytes, out.plan.buffer) < 2) {
    out.notes.push_back("All TCP connections together get " +
                        format_count(static_cast<std::uint64_t>(*pressure) * host.page_bytes) +
                        " B before windows stop growing (tcp_mem): two such connections are more.");
  }
}

}  // namespace

std::string_view word(KnobState state) {
  switch (state) {
    case KnobState::enough:
      return "enough";
    case KnobState::set:
      return "change";
    case KnobState::needs_host:
      return "needs the host";
    case KnobState::missing:
      return "not there";
  }
  return {};
}

bool HostPlan::changes() const {
  return std::any_of(knobs.begin(), knobs.end(),
                     [](const KnobPlan& k) { return k.state == KnobState::set; });
}

std::string_view platform_of_release(std::string_view release) {
  const auto version = kernel_version(release);
  return version && *version < std::pair(3, 4) ? "linux-2.6" : "linux";
}

HostPlan plan_for_host(const Catalogue& catalogue, const HostFacts& host, const LineNeed& need) {
  HostPlan out;
  out.share = window_share(host);
  const double exact = static_cast<double>(need.window_bytes) / std::max(out.share, 1.0 / 64);
  const auto buffer = static_cast<std::uint64_t>(
      std::min(std::ceil(exact - 1e-6), static_cast<double>(kLargestBuffer)));
  const auto plan = plan_for(catalogue, platform_of_release(host.release), need, buffer);
  if (!plan) return out;
  out.plan = *plan;
  for (SysctlSetting& setting : out.plan.sysctl) {
    KnobPlan knob;
    knob.key = setting.key;
    const auto found = host.knobs.find(setting.key);
    const auto now = found == host.knobs.end() ? std::nullopt : found->second.value;
    if (now) knob.now = one_blank(*now);
    const std::string value = merged(host.numbers(setting.key), numbers_of(setting.value));
    knob.wanted = value.empty() ? knob.now : value;
    if (now && value.empty()) {
      knob.state = KnobState::enough;
    } else if (host.host_only(setting.key)) {
      knob.state = KnobState::needs_host;
    } else {
      knob.state = now ? KnobState::set : KnobState::missing;
    }
    setting.value = knob.wanted;
    out.knobs.push_back(std::move(knob));
  }
  add_notes(host, out);
  return out;
}

}  // namespace rwin::rules
