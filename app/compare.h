// `rwin compare BEFORE AFTER`: did the fix work?
#pragma once

#include <csignal>

#include "app/command.h"
#include "app/options.h"
#include "app/style.h"

namespace rwin::app {

// options.files: the two captures.
CommandAnswer compare(const Options& options, const Style& style,
                      const volatile std::sig_atomic_t& stop, bool show_progress);

}  // namespace rwin::app
