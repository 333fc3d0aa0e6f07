// Rules of the user in the place of the built-in ones.
#pragma once

#include "rules/platform.h"

namespace rwin::rules {

// From now on Catalogue::built_in() gives `catalogue`. Once, before any verdict: what was given out
// before stays as it is.
void use_rules(Catalogue catalogue);

}  // namespace rwin::rules
