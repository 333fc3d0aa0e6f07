// Exit codes of the program and the one form in which a failure travels to the user.
#pragma once

#include <array>
#include <string>
#include <string_view>

namespace rwin::app {

enum class ExitCode : int {
  ok = 0,
  failed = 1,     // open, read or write did not work
  usage = 2,      // command line or filter
  privilege = 3,  // a capability is missing
  partial = 4,    // input cut short: the result covers what was readable
  fail_on = 10,   // --fail-on matched
  interrupted = 130
};

// For --help and the manual page.
struct ExitWord {
  ExitCode code;
  std::string_view meaning;
};
inline constexpr std::array<ExitWord, 7> kExitWords = {{
    {ExitCode::ok, "done"},
    {ExitCode::failed, "could not read or write"},
    {ExitCode::usage, "usage or filter"},
    {ExitCode::privilege, "privilege"},
    {ExitCode::partial, "input cut short (partial result)"},
    {ExitCode::fail_on, "--fail-on matched"},
    {ExitCode::interrupted, "interrupted"},
}};

// What went wrong, in one line, and what to do about it, in one line. With `caret` >= 0 the text
// `context` is shown below with a caret under that byte.
struct Failure {
  ExitCode code = ExitCode::failed;
  std::string message;
  std::string hint;
  std::string context;
  int caret = -1;
  std::string more = {};  // further lines for people, each ends with a newline
};

}  // namespace rwin::app
