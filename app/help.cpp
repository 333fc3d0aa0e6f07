#include <fmt/format.h>

#include <iterator>
#include <string>

#include "app/command_table.h"
#include "app/exit_code.h"
#include "text/text.h"

namespace rwin::app {
namespace {

constexpr std::size_t kHelpColumn = 30;
constexpr std::size_t kHelpWidth = 80;

// "  -r, --read FILE             capture to read"
void append_option(std::string& out, const OptionSpec& spec) {
  std::string left = "  ";
  if (spec.names.substr(0, 2) == "--") left += "    ";
  for (const char c : spec.names) {
    left += c;
    if (c == ',') left += ' ';
  }
  if (!spec.argument.empty()) left += fmt::format(" {}", spec.argument);
  const auto lines = wrap(spec.help, kHelpWidth - kHelpColumn);
  if (left.size() + 2 > kHelpColumn) {
    out += left + "\n" + std::string(kHelpColumn, ' ') + lines[0] + "\n";
  } else {
    out += fmt::format("{:<{}}{}\n", left, kHelpColumn, lines[0]);
  }
  for (std::size_t i = 1; i < lines.size(); ++i)
    out += std::string(kHelpColumn, ' ') + lines[i] + "\n";
}

void append_options(std::string& out, std::span<const OptionSpec> specs) {
  const OptionSpec* previous = nullptr;
  for (const OptionSpec& spec : specs) {
    if (spec.help.empty()) continue;
    if (previous == nullptr || previous->group != spec.group)
      out += fmt::format("\n{}\n", group_title(spec.group));
    append_option(out, spec);
    previous = &spec;
  }
}

std::string make_help() {
  std::string out = fmt::format("rwin: {}\n\n{}", kPurpose, kExamples);
  append_options(out, kOptions);
  out += "\nCommands\n";
  for (const CommandSpec& command : kCommands) {
    if (!command.options.empty()) out += fmt::format("  {:<28}{}\n", command.name, command.help);
  }
  out += "\nRates are bit/s: k M G = 1000^n, Ki Mi Gi = 1024^n.\n";
  std::vector<std::string> codes;
  codes.reserve(kExitWords.size());
  for (const ExitWord& word : kExitWords)
    codes.push_back(fmt::format("{} {}", static_cast<int>(word.code), word.meaning));
  for (const std::string& line :
       wrap(fmt::format("Exit status: {}.", fmt::join(codes, ", ")), kHelpWidth))
    out += line + "\n";
  return out;
}

}  // namespace

std::string_view group_title(OptionGroup group) {
  switch (group) {
    case OptionGroup::source:
      return "Source";
    case OptionGroup::live:
      return "Live capture";
    case OptionGroup::output:
      return "Output";
    case OptionGroup::diagnosis:
      return "Diagnosis";
    case OptionGroup::general:
      return "General";
    case OptionGroup::command:
      return "Options";
  }
  return {};
}

std::string_view help_text() {
  static const std::string text = make_help();
  return text;
}

std::string command_help_text(std::string_view name) {
  for (const CommandSpec& command : kCommands) {
    if (command.name != name) continue;
    std::string out(command.examples);
    append_options(out, command.options);
    return out;
  }
  return {};
}

}  // namespace rwin::app
