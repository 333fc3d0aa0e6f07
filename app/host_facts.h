// This host as the rules read it: capture/host's values put together.
#pragma once

#include <string>
#include <variant>

#include "app/exit_code.h"
#include "rules/host_facts.h"

namespace rwin::app {

// `root`: empty for this system; else a tree that stands for it, of which only the settings are
// read. With `connections`, routes and sockets are read too.
std::variant<rules::HostFacts, Failure> gather_host(const std::string& root, bool connections);

// This program can read a host's settings at all (Linux).
bool host_readable();

}  // namespace rwin::app
