#include "app/settings.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <map>

#include "app/closest.h"
#include "app/command_table.h"
#include "app/option_words.h"
#include "app/setting_keys.h"
#include "rules/toml_value.h"

namespace rwin::app {
namespace {

using rules::Value;

constexpr std::size_t kMostBytes = 1 << 20;

// Keys at the top count for commands as well, but for words that mean something else there.
bool means_the_same(std::string_view command, OptionId id) {
  if (command == "tune") return id != OptionId::platform;
  if (command == "check") return id != OptionId::fail_on;
  // Two of the three are given, and the third is what is asked for.
  if (command == "calc")
    return id != OptionId::rate && id != OptionId::rtt && id != OptionId::window;
  return true;
}

// A number as it would be typed.
std::string number_text(const Value& value) {
  return value.whole ? fmt::format("{:.0f}", value.number) : fmt::format("{}", value.number);
}

// False where the value does not fit the option.
bool take_value(const OptionSpec& spec, const Value& value, Setting& out) {
  const bool optional = !spec.argument.empty() && spec.argument.front() == '[';
  if (value.kind == Value::Kind::flag) {
    out.on = value.flag;
    return spec.argument.empty() || optional;
  }
  if (spec.argument.empty()) return false;
  const auto add = [&](const Value& one) {
    if (one.kind == Value::Kind::text) {
      out.values.push_back(one.text);
    } else if (one.kind == Value::Kind::number) {
      out.values.push_back(number_text(one));
    } else {
      return false;
    }
    return true;
  };
  if (value.kind != Value::Kind::list) return add(value);
  return !value.items.empty() && std::all_of(value.items.begin(), value.items.end(), add);
}

std::optional<Failure> read_table(const std::string& file, const Value& table,
                                  std::string_view command, std::vector<Setting>& out) {
  for (std::size_t i = 0; i < table.keys.size(); ++i) {
    const std::string& key = table.keys[i];
    const Value& value = table.items[i];
    const std::string where = fmt::format("{}:{}", file, value.key_line);
    if (command.empty() && value.kind == Value::Kind::table) {
      const CommandSpec* named = find_command(key);
      if (named == nullptr) {
        const std::string meant = closest_command(key);
        return usage_failure(fmt::format("{}: there is no command {}", where, key),
                             meant.empty() ? "tables are calc, compare, tune, check and run"
                                           : fmt::format("did you mean [{}]?", meant));
      }
      if (auto failure = read_table(file, value, named->name, out)) return failure;
      continue;
    }
    const OptionSpec* spec =
        command.empty() ? find_anywhere(key) : find_key(find_command(command)->options, key);
    if (spec == nullptr || spec->id == OptionId::config) {
      const std::string meant = closest(key, keys_of(command));
      return usage_failure(fmt::format("{}: unknown key {}", where, key),
                           meant.empty() ? "keys are the long options without their hyphens in "
                                           "front: rwin --print-config shows all"
                                         : fmt::format("did you mean {}?", meant));
    }
    Setting setting{command, spec->id};
    if (!take_value(*spec, value, setting)) {
      return usage_failure(
          fmt::format("{}: {} has a value of another kind", where, key),
          spec->argument.empty()
              ? fmt::format("use {} = true or {} = false", key, key)
              : fmt::format("use {} = \"{}\", a number, or a list of them", key, spec->argument));
    }
    setting.where = where;
    out.push_back(std::move(setting));
  }
  return std::nullopt;
}

enum class Read { absent, refused, done };
struct TextFile {
  Read state = Read::absent;
  std::string text;
  std::string why;
};

// `guarded`: only what the user himself or root wrote; a program that runs as root obeys nobody
// else.
TextFile read_text(const std::string& path, bool guarded, unsigned user) {
  // Without waiting for whoever writes to a pipe of that name.
  const int fd = open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK);
  if (fd < 0) {
    if (errno == ENOENT || errno == ENOTDIR) return {};
    return {Read::refused, {}, std::strerror(errno)};
  }
  TextFile out{Read::done, {}, {}};
  struct stat status {};
  if (fstat(fd, &status) != 0) out = {Read::refused, {}, std::strerror(errno)};
  if (guarded && out.state == Read::done) {
    if (!S_ISREG(status.st_mode)) {
      out = {Read::refused, {}, "it is no regular file"};
    } else if (status.st_uid != user && status.st_uid != 0) {
      out = {Read::refused, {}, "it belongs to another user"};
    } else if (user == 0 && (status.st_mode & (S_IWGRP | S_IWOTH)) != 0) {
      out = {Read::refused, {}, "others may write to it"};
    }
  }
  std::array<char, 4096> block{};
  while (out.state == Read::done) {
    const ssize_t got = read(fd, block.data(), block.size());
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) out = {Read::refused, {}, std::strerror(errno)};
    if (got <= 0) break;
    out.text.append(block.data(), static_cast<std::size_t>(got));
    if (out.text.size() > kMostBytes) out = {Read::refused, {}, "it is larger than 1 MiB"};
  }
  close(fd);
  return out;
}

// The user's file, then the system's: those that there may be.
std::vector<std::string> usual_files(const Surroundings& from) {
  std::vector<std::string> files;
  const auto home = from.variable("HOME");
  const auto xdg = from.variable("XDG_CONFIG_HOME");
  if (xdg && xdg->starts_with('/')) {
    files.push_back(*xdg + "/rwin/config.toml");
  } else if (home && home->starts_with('/')) {
    files.push_back(*home + "/.config/rwin/config.toml");
  }
  files.push_back(from.system_file);
  return files;
}

std::optional<bool> truth(std::string_view word) {
  for (const std::string_view yes : {"1", "true", "yes", "on"}) {
    if (word == yes) return true;
  }
  for (const std::string_view no : {"", "0", "false", "no", "off"}) {
    if (word == no) return false;
  }
  return std::nullopt;
}

std::optional<Failure> read_variables(const Surroundings& from, std::string_view command,
                                      std::span<const OptionSpec> specs,
                                      std::vector<Setting>& out) {
  for (const OptionSpec& spec : specs) {
    if (spec.id == OptionId::config) continue;
    const std::string name = variable_name(command, spec);
    const auto text = from.variable(name);
    if (!text) continue;
    Setting setting{command, spec.id};
    setting.where = name;
    setting.environment = true;
    if (spec.argument.empty()) {
      const auto on = truth(*text);
      if (!on)
        return usage_failure(fmt::format("{}={}: not understood", name, *text), "use 1 or 0");
      setting.on = *on;
    } else if (text->empty()) {
      continue;
    } else {
      setting.values.push_back(*text);
    }
    out.push_back(std::move(setting));
  }
  return std::nullopt;
}

}  // namespace

Surroundings surroundings() {
  return {[](const std::string& name) -> std::optional<std::string> {
            const char* value = std::getenv(name.c_str());
            return value == nullptr ? std::nullopt : std::optional<std::string>(value);
          },
          "/etc/rwin/config.toml", static_cast<unsigned>(geteuid())};
}

std::optional<Failure> read_settings_text(const std::string& file, std::string_view text,
                                          std::vector<Setting>& out) {
  std::vector<std::string> errors;
  const auto table = rules::read_toml(file, text, errors);
  if (!table)
    return usage_failure(errors.front(), "the form is TOML: rwin --print-config shows it");
  return read_table(file, *table, {}, out);
}

SettingsRead read_settings(const Surroundings& from, const std::optional<std::string>& file) {
  Settings settings;
  // A command's own before what is for all.
  for (const CommandSpec& command : kCommands) {
    if (auto failure = read_variables(from, command.name, command.options, settings.all))
      return *failure;
    std::vector<OptionSpec> others;
    for (const OptionSpec& spec : command.options) {
      if (find_key(kOptions, long_name(spec).substr(2)) == nullptr) others.push_back(spec);
    }
    if (auto failure = read_variables(from, {}, others, settings.all)) return *failure;
  }
  if (auto failure = read_variables(from, {}, kOptions, settings.all)) return *failure;

  std::optional<std::string> named = file ? file : from.variable("RWIN_CONFIG");
  const bool guarded = !named;
  std::vector<std::string> files;
  if (guarded) {
    files = usual_files(from);
  } else if (!named->empty()) {
    files = {*named};
  }
  for (const std::string& path : files) {
    const TextFile text = read_text(path, guarded, from.user);
    if (text.state != Read::done && !guarded) {
      return usage_failure(
          fmt::format("--config {}: {}", path,
                      text.state == Read::absent ? "there is no such file" : text.why),
          "rwin --print-config shows what may be in it");
    }
    if (text.state == Read::refused)
      settings.warnings.push_back(
          fmt::format("{} is not read: {} (--config FILE reads any)", path, text.why));
    if (text.state != Read::done) continue;
    if (auto failure = read_settings_text(path, text.text, settings.all)) return *failure;
  }
  return settings;
}

namespace {

// Where one of a pair is given, the other counts only if it was not merely set somewhere else.
struct Pair {
  OptionId a, b;
};
constexpr std::array<Pair, 14> kExclude = {{
    {OptionId::json, OptionId::jsonl},
    {OptionId::json, OptionId::csv},
    {OptionId::jsonl, OptionId::csv},
    {OptionId::tui, OptionId::json},
    {OptionId::tui, OptionId::jsonl},
    {OptionId::tui, OptionId::csv},
    {OptionId::tui, OptionId::output},
    {OptionId::names, OptionId::numeric},
    {OptionId::interface, OptionId::read},
    {OptionId::promiscuous, OptionId::no_promiscuous},
    {OptionId::apply, OptionId::revert},
    {OptionId::revert, OptionId::rate},
    {OptionId::format, OptionId::json},
    {OptionId::tui, OptionId::report},
}};
// What is set somewhere, and without the other has no meaning.
constexpr std::array<Pair, 4> kNeed = {{
    {OptionId::rotate_size, OptionId::write},
    {OptionId::rotate_files, OptionId::rotate_size},
    {OptionId::rate, OptionId::rtt},
    {OptionId::link, OptionId::rate},
}};

bool set(const Words& words, OptionId id) { return words.has(id) && !words.typed(id); }

void drop(Words& words, OptionId id) { words.options[id] = Given{}; }

}  // namespace

void add_settings(const Settings& settings, std::string_view command,
                  std::span<const OptionSpec> specs, Words& words) {
  std::map<OptionId, std::size_t> rank;
  for (const OptionSpec& spec : specs) {
    Given& given = words.options[spec.id];
    if (given.count > 0 || given.refused) continue;
    // In the environment as in files a command's own comes before what is for all.
    const Setting* best = nullptr;
    for (const Setting& one : settings.all) {
      if (one.id != spec.id) continue;
      const bool own = !command.empty() && one.command == command;
      if (!own && !(one.command.empty() && means_the_same(command, spec.id))) continue;
      if (best == nullptr || (own && best->command.empty() && one.environment == best->environment))
        best = &one;
    }
    if (best == nullptr || !best->on) continue;
    given.count = std::max<std::size_t>(1, best->values.size());
    given.values = best->values;
    given.where = best->where;
    rank[spec.id] = static_cast<std::size_t>(best - settings.all.data());
  }
  const bool files_named = command.empty() && !words.rest.empty();
  for (const OptionId id : {OptionId::interface, OptionId::read}) {
    if (files_named && set(words, id)) drop(words, id);
  }
  const auto layer = [&](OptionId id) {
    const Setting& from = settings.all[rank[id]];
    return from.environment ? std::string() : from.where.substr(0, from.where.rfind(':'));
  };
  for (const auto& [a, b] : kExclude) {
    if (!words.has(a) || !words.has(b)) continue;
    if (set(words, a) && words.typed(b)) {
      drop(words, a);
    } else if (words.typed(a) && set(words, b)) {
      drop(words, b);
    } else if (set(words, a) && set(words, b) && layer(a) != layer(b)) {
      drop(words, rank[a] < rank[b] ? b : a);
    }
  }
  if (words.typed(OptionId::revert)) {
    for (const OptionId id : {OptionId::rtt, OptionId::link}) {
      if (set(words, id)) drop(words, id);
    }
  }
  for (const auto& [a, b] : kNeed) {
    if (a == OptionId::rate && command == "calc") continue;
    if (set(words, a) && !words.has(b)) drop(words, a);
  }
  if (set(words, OptionId::yes) && !words.has(OptionId::apply) && !words.has(OptionId::revert))
    drop(words, OptionId::yes);
  if (set(words, OptionId::platform) &&
      (words.typed(OptionId::apply) || words.typed(OptionId::revert)))
    drop(words, OptionId::platform);
}

}  // namespace rwin::app
