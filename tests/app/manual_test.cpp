// The manual page and the completions have every option, command, key and exit code of the tables.
#include "app/manual.h"

#include <gtest/gtest.h>

#include "app/command_table.h"
#include "app/completion.h"
#include "app/exit_code.h"
#include "app/option_words.h"
#include "tests/app/parsed_options.h"
#include "text/text.h"
#include "tui/model/key.h"

namespace rwin::app {
namespace {

// As troff and the page have it: each hyphen with a backslash in front.
std::string dashed(std::string_view text) {
  std::string out;
  for (const char c : text) out += c == '-' ? std::string("\\-") : std::string(1, c);
  return out;
}

// What stands between two headings.
std::string part(const std::string& page, const std::string& from, const std::string& to) {
  const std::size_t start = page.find(from + "\n");
  EXPECT_NE(start, std::string::npos) << from;
  return page.substr(start, page.find(to, start + from.size()) - start);
}

TEST(ManualPage, HasEveryOptionOfEveryCommand) {
  const std::string page = manual_page();
  const std::string own = part(page, ".SH OPTIONS", ".SH ");
  for (const OptionSpec& spec : kOptions) {
    if (spec.help.empty()) continue;
    EXPECT_NE(own.find("\\fB" + dashed(long_name(spec)) + "\\fR"), std::string::npos) << spec.names;
    EXPECT_NE(own.find("\n" + dashed(spec.help) + "\n"), std::string::npos) << spec.names;
  }
  for (const CommandSpec& command : kCommands) {
    if (command.name == "run") continue;  // those of the program
    const std::string text = part(page, ".SS rwin " + std::string(command.name), ".S");
    for (const OptionSpec& spec : command.options)
      EXPECT_NE(text.find("\\fB" + dashed(long_name(spec)) + "\\fR"), std::string::npos)
          << command.name << " " << spec.names;
  }
}

TEST(ManualPage, HasEveryKeyAndExitCode) {
  const std::string page = manual_page();
  const std::string keys = part(page, ".SH KEYS OF THE DASHBOARD", ".SH ");
  for (const tui::KeySpec& spec : tui::key_table())
    EXPECT_NE(keys.find("\n" + dashed(spec.help) + "\n"), std::string::npos) << spec.keys;
  const std::string codes = part(page, ".SH EXIT STATUS", ".SH ");
  for (const ExitWord& word : kExitWords)
    EXPECT_NE(codes.find("\\fB" + std::to_string(static_cast<int>(word.code)) + "\\fR\n"),
              std::string::npos);
}

TEST(Completions, HaveEveryOptionOfEveryCommand) {
  const std::string bash = completions("bash").value();
  const std::string zsh = completions("zsh").value();
  const std::string fish = completions("fish").value();
  const auto expect_all = [&](const std::string& command, std::span<const OptionSpec> specs) {
    const std::string in_bash = part(bash, "  if [[ $cur == -* ]]; then", "\n  fi");
    const std::size_t line = in_bash.find("'" + command + "')");
    ASSERT_NE(line, std::string::npos) << command;
    const std::string words = in_bash.substr(line, in_bash.find('\n', line) - line);
    const std::string name = command.empty() ? "all" : command;
    const std::string in_zsh = part(zsh, "_rwin_of_" + name + "() {", "\n}");
    for (const OptionSpec& spec : specs) {
      if (spec.help.empty()) continue;
      const std::string option(long_name(spec));
      EXPECT_NE(words.find(option), std::string::npos) << command << option;
      EXPECT_NE(in_zsh.find(option), std::string::npos) << command << option;
      EXPECT_NE(
          fish.find(
              "-n '__rwin_in " + name + "'" +
              (short_name(spec).empty() ? "" : " -s " + std::string(short_name(spec).substr(1))) +
              " -l " + option.substr(2) + " "),
          std::string::npos)
          << command << option;
    }
  };
  expect_all("", kOptions);
  for (const CommandSpec& command : kCommands)
    expect_all(std::string(command.name), command.options);
  EXPECT_FALSE(completions("csh"));
}

// The words that completions offer are those that the parser takes.
TEST(OptionTable, TakesTheWordsThatItNames) {
  const auto takes = [](const std::string& command, const OptionSpec& spec,
                        const std::string& value) {
    std::vector<std::string> line;
    if (!command.empty()) line.push_back(command);
    line.insert(line.end(), {std::string(long_name(spec)), value});
    if (command == "compare") line.insert(line.end(), {"a", "b"});
    if (command == "run") line.insert(line.end(), {"--", "true"});
    if (command.empty()) line.push_back("x");
    if (command == "calc" || command == "tune" || command == "check")
      line.insert(line.end(), {"--rate", "1M", "--rtt", "1s"});
    return std::holds_alternative<Options>(parse_options(line));
  };
  int checked = 0;
  const auto expect_all = [&](const std::string& command, std::span<const OptionSpec> specs) {
    for (const OptionSpec& spec : specs) {
      if (spec.values.empty()) continue;
      ++checked;
      EXPECT_FALSE(takes(command, spec, "nonsense")) << command << spec.names;
      for (const std::string& word : split(spec.values, ' '))
        EXPECT_TRUE(takes(command, spec, word) || spec.id == OptionId::completions)
            << command << spec.names << word;
    }
  };
  expect_all("", kOptions);
  for (const CommandSpec& command : kCommands)
    expect_all(std::string(command.name), command.options);
  EXPECT_GE(checked, 10);
}

}  // namespace
}  // namespace rwin::app
