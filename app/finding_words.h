// The sentences and figures of a finding, for every report that people read.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "app/finding.h"
#include "text/units.h"

namespace rwin::app {

struct FindingText {
  Units units = Units::bits;
  bool verbose = false;
  std::optional<double> target_bps;     // the user's
  std::optional<double> interface_bps;  // speed of the interface, live
};

// "198.51.100.7:443 -> 192.0.2.10:51544"
std::string arrow(const Finding& finding);
// Part of the connection's length, 0 to 1.
double share_of(const Finding& finding, analysis::Limit limit);
// Classes that took at least 0.5 % of the time or stand in `bar`, longest first.
std::vector<analysis::Limit> limits_of(const Finding& finding, std::string_view bar);
// "W window 9.00 s (90 %)"
std::string limit_words(const Finding& finding, analysis::Limit limit);
std::string speed_words(const Finding& finding, const FindingText& how);
std::string path_words(const Finding& finding);
// Empty: nothing to say.
std::string gain_words(const Finding& finding, const FindingText& how);
std::string unproven_words(const rules::Verdict& verdict);
// "rtt_base_us 184 ms": the key as in JSON, the value as people read it.
std::string evidence_words(const rules::Evidence& evidence, Units units);
// Why there is no verdict, and what gives one the next time (may be empty).
struct NoVerdict {
  std::string reason, todo;
};
NoVerdict no_verdict_words(const Finding& finding);

}  // namespace rwin::app
