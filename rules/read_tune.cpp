// [tune] of a platform.
#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "rules/readers.h"
#include "rules/table_reader.h"
#include "rules/template.h"

namespace rwin::rules {
namespace {

constexpr std::array<std::string_view, 4> kPersist = {"sysctl.d", "sysctl.conf", "launchd",
                                                      "itself"};

// The number behind the last '=' of a registry line, or the placeholder of a size.
bool is_registry_value(std::string_view text) {
  const std::size_t equals = text.rfind('=');
  if (equals == std::string_view::npos || text.rfind('\\', equals) == std::string_view::npos) {
    return false;
  }
  const std::string_view value = text.substr(equals + 1);
  for (const std::string_view size : {"{window}", "{buffer}", "{cap}"}) {
    if (value == size) return true;
  }
  return !value.empty() && value.size() <= 9 &&
         value.find_first_not_of("0123456789") == std::string_view::npos;
}

}  // namespace

std::optional<Tune> read_tune(const Value& table, std::vector<std::string>& errors, bool& ok) {
  const Value* root = table.get("tune");
  if (root == nullptr) return std::nullopt;
  TableReader reader(*root, errors);
  if (root->kind != Value::Kind::table) {
    reader.error(*root, "'tune' must be a table");
    ok = false;
    return std::nullopt;
  }
  reader.allow_only({"sysctl", "registry", "commands", "powershell", "look", "undo", "warnings",
                     "persist", "takes_effect", "untouched_window", "buffer_step", "cap_step",
                     "step_because", "least_buffer", "cap_untouched"});
  Tune tune;
  tune.sysctl = reader.texts("sysctl");
  tune.registry = reader.texts("registry");
  tune.commands = reader.texts("commands");
  tune.powershell = reader.texts("powershell");
  tune.look = reader.texts("look");
  tune.undo = reader.texts("undo");
  tune.warnings = reader.texts("warnings");
  for (const std::string_view key : {"sysctl", "registry", "commands", "powershell", "look", "undo",
                                     "warnings", "takes_effect"}) {
    reader.check_templates(key, kPlaceholders);
  }
  for (const std::string& text : tune.sysctl) {
    if (text.find('=') == std::string::npos) {
      reader.error(*reader.get("sysctl"), fmt::format("'{}' is not key=value", text));
    }
  }
  for (const std::string& text : tune.registry) {
    if (!is_registry_value(text)) {
      reader.error(*reader.get("registry"), fmt::format("'{}' is not path\\name=number", text));
    }
  }
  tune.persist = static_cast<Persist>(reader.word("persist", kPersist).value_or(3));
  tune.takes_effect = reader.text("takes_effect", true);
  constexpr auto kMostBytes = static_cast<double>(1ULL << 31);
  if (const auto untouched = reader.number("untouched_window", 1, kMostBytes)) {
    tune.untouched_window = static_cast<std::uint64_t>(*untouched);
  }
  tune.buffer_step =
      static_cast<std::uint64_t>(reader.number("buffer_step", 0, kMostBytes).value_or(0));
  tune.cap_step = static_cast<std::uint64_t>(reader.number("cap_step", 0, kMostBytes).value_or(0));
  tune.least_buffer =
      static_cast<std::uint64_t>(reader.number("least_buffer", 0, kMostBytes).value_or(0));
  tune.cap_untouched =
      static_cast<std::uint64_t>(reader.number("cap_untouched", 0, kMostBytes).value_or(0));
  tune.step_because = reader.text("step_because", tune.buffer_step > 0);
  ok = ok && reader.ok();
  return tune;
}

}  // namespace rwin::rules
