// Arguments, one a line.
#include <string>
#include <vector>

#include "app/options.h"
#include "fuzz/targets.h"
#include "text/text.h"

namespace rwin::fuzz {

void command_line(Input input) {
  std::vector<std::string> arguments;
  std::string word;
  for (const std::uint8_t c : input) {
    if (c == 0) continue;  // no argument holds one
    if (c == '\n') {
      arguments.push_back(std::move(word));
      word.clear();
    } else {
      word += static_cast<char>(c);
    }
  }
  arguments.push_back(word);
  (void)app::wanted_format(arguments);
  const auto parsed = app::parse_options(arguments);
  const auto* failure = std::get_if<app::Failure>(&parsed);
  if (failure == nullptr) return;
  require(!failure->message.empty(), "a refusal has a reason");
  require(failure->caret < 0 || static_cast<std::size_t>(failure->caret) <= failure->context.size(),
          "the caret is in its text");
  require(failure->code == app::ExitCode::usage, "a wrong command line is wrong usage");
}

}  // namespace rwin::fuzz
