#include "app/completion.h"

#include <fmt/format.h>

#include <cstdint>
#include <map>
#include <string>
#include <tuple>
#include <vector>

#include "app/command_table.h"
#include "rules/explain.h"
#include "rules/host_check.h"
#include "rules/platform.h"

namespace rwin::app {
namespace {

// What may stand behind an option.
enum class Kind : std::uint8_t { flag, nothing_known, word, list, file, folder, interface, user };
struct Argument {
  Kind kind = Kind::flag;
  std::string words;  // of word and list, blanks between
  bool operator<(const Argument& other) const {
    return std::tie(kind, words) < std::tie(other.kind, other.words);
  }
};

std::string explained_words() { return fmt::format("{}", fmt::join(rules::explain_codes(), " ")); }

Argument argument_of(const OptionSpec& spec, std::string_view command) {
  if (spec.argument.empty()) return {};
  if (!spec.values.empty()) return {Kind::word, std::string(spec.values)};
  switch (spec.id) {
    case OptionId::explain:
      return {Kind::word, explained_words()};
    case OptionId::fail_on:
      return {Kind::list, command == "check"
                              ? fmt::format("any {}", fmt::join(rules::kHostFindings, " "))
                              : explained_words()};
    case OptionId::platform:
      if (command != "tune") return {Kind::nothing_known, {}};
      return {Kind::word,
              fmt::format("{}", fmt::join(rules::Catalogue::built_in().platform_words(), " "))};
    case OptionId::interface:
      return {Kind::interface, {}};
    case OptionId::user:
      return {Kind::user, {}};
    default:
      break;
  }
  if (spec.argument == "FILE") return {Kind::file, {}};
  if (spec.argument == "DIR") return {Kind::folder, {}};
  return {Kind::nothing_known, {}};
}

std::string command_names(std::string_view between) {
  std::vector<std::string_view> names;
  names.reserve(kCommands.size());
  for (const CommandSpec& command : kCommands) names.push_back(command.name);
  return fmt::format("{}", fmt::join(names, between));
}

// Calls f(command, its options): first the program's own, as "".
template <class F>
void for_all(F f) {
  f(std::string_view{}, std::span<const OptionSpec>(kOptions));
  for (const CommandSpec& command : kCommands) f(command.name, command.options);
}

// In front of each character of `special` a backslash.
std::string escaped(std::string_view text, std::string_view special) {
  std::string out;
  for (const char c : text) {
    if (special.find(c) != std::string_view::npos) out += '\\';
    out += c;
  }
  return out;
}

std::string bash_action(const Argument& argument) {
  const auto words = [&](std::string_view list) {
    return fmt::format("COMPREPLY=($(compgen -W \"{}\" -- \"$cur\"))", list);
  };
  switch (argument.kind) {
    case Kind::word:
      return words(argument.words);
    case Kind::list:
      return "[[ $cur == *,* ]] && before=${cur%,*},\n"
             "      compopt -o nospace 2>/dev/null\n" +
             fmt::format(
                 "      COMPREPLY=($(compgen -P \"$before\" -W \"{}\" -- \"${{cur##*,}}\"))",
                 argument.words);
    case Kind::folder:
      return "compopt -o filenames 2>/dev/null\n"
             "      local IFS=$'\\n'\n"
             "      COMPREPLY=($(compgen -d -- \"$cur\"))";
    case Kind::interface:
      return words("$(rwin -D 2>/dev/null | cut -d ' ' -f 1)");
    case Kind::user:
      return "COMPREPLY=($(compgen -u -- \"$cur\"))";
    case Kind::nothing_known:
      return "compopt +o default +o bashdefault 2>/dev/null";
    default:
      return ": files, which bash completes by itself";
  }
}

std::string bash() {
  std::map<Argument, std::vector<std::string>> behind;  // "tune:--link"
  std::string options;
  for_all([&](std::string_view command, std::span<const OptionSpec> specs) {
    std::vector<std::string_view> names;
    for (const OptionSpec& spec : specs) {
      if (!spec.help.empty()) names.push_back(long_name(spec));
      const Argument argument = argument_of(spec, command);
      if (argument.kind == Kind::flag) continue;
      behind[argument].push_back(fmt::format("{}:{}", command, long_name(spec)));
      if (!short_name(spec).empty())
        behind[argument].push_back(fmt::format("{}:{}", command, short_name(spec)));
    }
    options += fmt::format("      '{}') COMPREPLY=($(compgen -W \"{}\" -- \"$cur\")) ;;\n", command,
                           fmt::join(names, " "));
  });
  std::string out =
      "# Completes rwin's options in bash. Written by: rwin --completions bash\n"
      "_rwin() {\n"
      "  local cur=${COMP_WORDS[COMP_CWORD]} prev=${COMP_WORDS[COMP_CWORD - 1]} command= before= "
      "i\n"
      "  COMPREPLY=()\n"
      "  # --option=value are three words\n"
      "  if [[ $cur == = ]]; then\n"
      "    cur=\n"
      "  elif [[ $prev == = ]]; then\n"
      "    prev=${COMP_WORDS[COMP_CWORD - 2]}\n"
      "  fi\n"
      "  if ((COMP_CWORD > 1)); then\n";
  out += fmt::format("    case ${{COMP_WORDS[1]}} in {}) command=${{COMP_WORDS[1]}} ;; esac\n",
                     command_names(" | "));
  out +=
      "  fi\n"
      "  for ((i = 1; i < COMP_CWORD; ++i)); do\n"
      "    [[ ${COMP_WORDS[i]} == -- ]] || continue\n"
      "    [[ $command == run && $prev == -- ]] && COMPREPLY=($(compgen -c -- \"$cur\"))\n"
      "    return\n"
      "  done\n"
      "  case $command:$prev in\n";
  for (const auto& [argument, patterns] : behind)
    out += fmt::format("    {})\n      {}\n      return\n      ;;\n", fmt::join(patterns, " | "),
                       bash_action(argument));
  out +=
      "  esac\n"
      "  if [[ $cur == -* ]]; then\n"
      "    case $command in\n" +
      options +
      "    esac\n"
      "  elif ((COMP_CWORD == 1)); then\n"
      "    local IFS=$'\\n'\n"
      "    compopt -o filenames 2>/dev/null\n";
  out += fmt::format("    COMPREPLY=($(compgen -W $'{}' -- \"$cur\") $(compgen -f -- \"$cur\"))\n",
                     command_names("\\n"));
  out +=
      "  fi\n"
      "}\n"
      "complete -o bashdefault -o default -F _rwin rwin\n";
  return out;
}

std::string zsh_action(const Argument& argument, std::string_view name) {
  switch (argument.kind) {
    case Kind::word:
      return fmt::format("({})", argument.words);
    case Kind::list:
      return fmt::format(" _values -s , {} {}", name, argument.words);
    case Kind::file:
      return "_files";
    case Kind::folder:
      return "_files -/";
    case Kind::interface:
      return "_rwin_interfaces";
    case Kind::user:
      return "_users";
    default:
      return " ";
  }
}

std::string zsh_option(const OptionSpec& spec, std::string_view command) {
  const Argument argument = argument_of(spec, command);
  std::string help = escaped(spec.help, "\\[]:");
  for (std::size_t at = 0; (at = help.find('\'', at)) != std::string::npos; at += 4)
    help.replace(at, 1, "'\\''");
  if (argument.kind == Kind::flag) {
    std::string out;
    if (!short_name(spec).empty()) out += fmt::format("    '{}[{}]' \\\n", short_name(spec), help);
    return out + fmt::format("    '{}[{}]' \\\n", long_name(spec), help);
  }
  const bool optional = spec.argument.front() == '[';
  const std::string_view name =
      optional ? spec.argument.substr(1, spec.argument.size() - 2) : spec.argument;
  const std::string value =
      fmt::format("[{}]:{}{}:{}", help, optional ? ":" : "", name, zsh_action(argument, name));
  std::string out;
  if (!short_name(spec).empty()) out += fmt::format("    '*{}+{}' \\\n", short_name(spec), value);
  return out + fmt::format("    '*{}{}{}' \\\n", long_name(spec), optional ? "" : "=", value);
}

std::string zsh() {
  std::string out =
      "#compdef rwin\n"
      "# Completes rwin's options in zsh. Written by: rwin --completions zsh\n"
      "_rwin_interfaces() {\n"
      "  local -a interfaces\n"
      "  interfaces=(${(f)\"$(rwin -D 2>/dev/null | cut -d ' ' -f 1)\"})\n"
      "  compadd -a interfaces\n"
      "}\n"
      "_rwin_words() {\n"
      "  local -a commands\n"
      "  commands=(\n";
  for (const CommandSpec& command : kCommands)
    out += fmt::format("    '{}:{}'\n", command.name, escaped(command.help, ":"));
  out +=
      "  )\n"
      "  (( CURRENT == 2 )) && _describe command commands\n"
      "  _files\n"
      "}\n";
  for_all([&](std::string_view command, std::span<const OptionSpec> specs) {
    out +=
        fmt::format("_rwin_of_{}() {{\n  _arguments -s -S \\\n", command.empty() ? "all" : command);
    for (const OptionSpec& spec : specs) {
      if (!spec.help.empty()) out += zsh_option(spec, command);
    }
    out += command.empty()    ? "    '*: :_rwin_words'\n}\n"
           : command == "run" ? "    '(-):command: _command_names -e' '*::argument: _normal'\n}\n"
                              : "    '*:file:_files'\n}\n";
  });
  out += fmt::format(
      "_rwin() {{\n"
      "  if (( CURRENT > 2 )); then\n"
      "    case $words[2] in\n"
      "      {})\n"
      "        local command=$words[2]\n"
      "        shift words\n"
      "        (( CURRENT-- ))\n"
      "        _rwin_of_$command\n"
      "        return\n"
      "        ;;\n"
      "    esac\n"
      "  fi\n"
      "  _rwin_of_all\n"
      "}}\n"
      "if [[ $funcstack[1] == _rwin ]]; then\n"
      "  _rwin \"$@\"\n"
      "else\n"
      "  compdef _rwin rwin\n"
      "fi\n",
      command_names("|"));
  return out;
}

std::string fish_argument(const Argument& argument) {
  switch (argument.kind) {
    case Kind::flag:
      return "";
    case Kind::word:
    case Kind::list:
      return fmt::format(" -xa '{}'", argument.words);
    case Kind::file:
      return " -r";
    case Kind::folder:
      return " -xa '(__fish_complete_directories)'";
    case Kind::interface:
      return " -xa '(rwin -D 2>/dev/null | string replace -r \" .*\" \"\")'";
    case Kind::user:
      return " -xa '(__fish_complete_users)'";
    case Kind::nothing_known:
      return " -x";
  }
  return "";
}

std::string fish() {
  std::string out = fmt::format(
      "# Completes rwin's options in fish. Written by: rwin --completions fish\n"
      "function __rwin_in --argument-names wanted\n"
      "    set -l words (commandline -opc)\n"
      "    set -l command all\n"
      "    if test (count $words) -gt 1; and contains -- $words[2] {}\n"
      "        set command $words[2]\n"
      "    end\n"
      "    test $command = $wanted\n"
      "end\n",
      command_names(" "));
  for (const CommandSpec& command : kCommands) {
    out +=
        fmt::format("complete -c rwin -n 'test (count (commandline -opc)) -eq 1' -a {} -d '{}'\n",
                    command.name, escaped(command.help, "\\'"));
  }
  out += "complete -c rwin -n '__rwin_in run' -a '(__fish_complete_command)'\n";
  for_all([&](std::string_view command, std::span<const OptionSpec> specs) {
    for (const OptionSpec& spec : specs) {
      if (spec.help.empty()) continue;
      std::string names;
      if (!short_name(spec).empty()) names = fmt::format(" -s {}", short_name(spec).substr(1));
      names += fmt::format(" -l {}", long_name(spec).substr(2));
      out += fmt::format("complete -c rwin -n '__rwin_in {}'{}{} -d '{}'\n",
                         command.empty() ? "all" : command, names,
                         fish_argument(argument_of(spec, command)), escaped(spec.help, "\\'"));
    }
  });
  return out;
}

}  // namespace

std::optional<std::string> completions(std::string_view shell) {
  if (shell == "bash") return bash();
  if (shell == "zsh") return zsh();
  if (shell == "fish") return fish();
  return std::nullopt;
}

}  // namespace rwin::app
