// From a kind of fix to printed advice: picks the platforms, sizes the buffers, fills the texts.
// Inside rules/ only.
#pragma once

#include <vector>

#include "rules/flow.h"

namespace rwin::rules {

enum class Side : std::uint8_t { receiver, sender };

// What a finding hands to assess(): it appends.
struct Outcome {
  Verdict& verdict;
  std::vector<Advice>& advice;
  const Sizing& sizing;

  void unproven(std::string_view word);
};

struct Request {
  FixKind kind;
  Side side = Side::receiver;  // whose host is changed
  bool raises = false;         // makes the receiver advertise more: window_bytes is set
  std::uint32_t connections = 0;
  // A second fix for the same host, given where the wanted window is more than the platform reaches
  // untouched, or always.
  std::optional<FixKind> then = std::nullopt;
  bool then_always = false;
};

// Appends the advice of every platform that the host may be; a system not recognised gets all
// likely ones and the word "platform" in unproven.
void advise(const Flow& flow, Outcome& outcome, const Request& request);

// Platforms of one end, most likely first. `sure` is false when the system was not recognised.
struct Platforms {
  std::vector<const Platform*> list;
  bool sure = false;
};
Platforms platforms_of(const Flow& flow, Side side);

}  // namespace rwin::rules
