// The settings of `rwin tune` for one Linux host: merged with what it has, never lowered. Pure.
#pragma once

#include <string>
#include <vector>

#include "rules/host_facts.h"
#include "rules/tune.h"

namespace rwin::rules {

enum class KnobState : std::uint8_t {
  enough,      // as large already
  set,         // to be changed
  needs_host,  // belongs to the initial network namespace; cannot be changed from here
  missing      // this kernel does not have it
};
std::string_view word(KnobState state);  // "enough", "change", "needs the host", "not there"

struct KnobPlan {
  std::string key;
  std::string now;     // empty: not readable
  std::string wanted;  // the whole value, parts that stay included
  KnobState state = KnobState::enough;
};

struct HostPlan {
  TunePlan plan;  // of the platform, sized for this kernel
  double share = 0.5;
  std::vector<KnobPlan> knobs;  // in the order in which they are set
  std::vector<std::string> notes;
  [[nodiscard]] bool changes() const;  // something is KnobState::set
};

// The catalogue's platform for a kernel release.
std::string_view platform_of_release(std::string_view release);

HostPlan plan_for_host(const Catalogue& catalogue, const HostFacts& host, const LineNeed& need);

}  // namespace rwin::rules
