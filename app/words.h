// The words of the JSON contract for enumerations of analysis/result.h.
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

}  // namespace rwin::app
