// `rwin check`: is this host's TCP configuration able to fill the line? Linux.
#pragma once

#include "app/command.h"
#include "app/options.h"
#include "app/style.h"

namespace rwin::app {

CommandAnswer check(const Options& options, const Style& style);

}  // namespace rwin::app
