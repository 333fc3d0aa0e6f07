// The rules to judge with: the built-in ones, with those of --rules DIR on top.
#pragma once

#include <optional>
#include <string>
#include <variant>

#include "app/exit_code.h"
#include "rules/platform.h"

namespace rwin::app {

// Read from `dir`: DIR/platforms/*.toml and DIR/*.toml (platforms),
// DIR/applications/*.toml, DIR/fingerprints.toml. Any fault is a usage failure whose message names
// file, line and reason, one fault a line.
std::variant<rules::Catalogue, Failure> read_rules(const std::string& dir);

// The same, and from now on all of the program judges with them. Nullopt: done, or `dir` is empty.
std::optional<Failure> use_rules_of(const std::string& dir);

}  // namespace rwin::app
