// What an advice changes on the host that rwin runs on: the values that are in force beside the new
// ones.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "rules/assess.h"

namespace rwin::rules {

using LocalValues = std::map<std::string, std::string, std::less<>>;  // sysctl key, value

// For each sysctl that the change steps set and whose value is known:
// "net.ipv4.tcp_rmem: 4096 131072 6291456 -> 4096 131072 20971520", or "... is 1 already".
std::vector<std::string> now_and_new(const Advice& advice, const LocalValues& values);

}  // namespace rwin::rules
