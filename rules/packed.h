// A tree of a data file as bytes. The build packs the built-in files, so that a start reads no
// TOML. Inside rules/ only.
#pragma once

#include <string>
#include <string_view>

#include "rules/toml_value.h"

namespace rwin::rules {

std::string pack(const Value& value);

// What was packed. Only for bytes that pack() made. `file`: Value::file.
Value unpack(std::string_view bytes, std::string_view file);

}  // namespace rwin::rules
