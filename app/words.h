// The words of the JSON contract for enumerations of analysis/result.h, and how people read them.
#pragma once

#include <string_view>

#include "analysis/result.h"

namespace rwin::app {

std::string_view word(analysis::RoleFrom from);      // "syn" "syn-ack" "ports" "first-packet"
std::string_view word(analysis::End end);            // "fin" "rst" "open" "expired"
std::string_view word(analysis::Place place);        // "client" "server" "middle" "unknown"
std::string_view word(analysis::Presence presence);  // "known" "absent" "unknown"
std::string_view word(analysis::RttMethod method);   // "timestamps" ...; empty for none
std::string_view word(analysis::CapacityFrom from);  // "dispersion" "delivery-rate"; empty for none

// One class of limit for people: its letter in the bar, what it is called in lists, and the head of
// a finding.
struct LimitText {
  char letter;
  std::string_view name;  // "window", "loss"
  std::string_view
      headline;  // "RECEIVER WINDOW limits", upper case only for what rwin is there for
};
const LimitText& limit_text(analysis::Limit limit);

}  // namespace rwin::app
