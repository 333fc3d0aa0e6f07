// What the words of a live capture mean. Inside app/ only.
#pragma once

#include "app/option_words.h"

namespace rwin::app {

// Fills options.live (and the mode) from -i, -w, ... ; the words left over are filter words.
std::optional<Failure> read_live(const Words& words, Options& options);

// Splits the arguments of `rwin run`: its own options, and the command with its arguments. "--" may
// stand between them.
struct RunWords {
  std::vector<std::string> own, command;
};
RunWords split_run(const std::vector<std::string>& arguments);

// Refuses what only a live capture can do.
std::optional<Failure> refuse_live_options(const Words& words);

}  // namespace rwin::app
