// The only file that reads TOML: platforms and fingerprints into CatalogueData.
#include <toml++/toml.h>

#include <algorithm>
#include <initializer_list>

#include "rules/catalogue_data.h"
#include "rules/template.h"

namespace rwin::rules {
namespace {

// One file being read: takes keys out of tables and reports what is wrong with its line.
class Reader {
 public:
  Reader(std::string_view file, std::vector<std::string>& errors) : file_(file), errors_(errors) {}

  void error(const toml::source_region& where, std::string_view what) {
    errors_.push_back(std::string(file_) + ":" + std::to_string(where.begin.line) + ": " +
                      std::string(what));
    ok_ = false;
  }
  [[nodiscard]] bool ok() const { return ok_; }

  void allow_only(const toml::table& table, std::initializer_list<std::string_view> keys) {
    for (const auto& [key, node] : table) {
      if (std::find(keys.begin(), keys.end(), key.str()) == keys.end()) {
        error(key.source(), "unknown key '" + std::string(key.str()) + "'");
      }
    }
  }

  std::string text(const toml::table& table, std::string_view key, bool required) {
    const toml::node* node = table.get(key);
    if (node == nullptr) {
      if (required) error(table.source(), "key '" + std::string(key) + "' is missing");
      return {};
    }
    if (const auto value = node->value_exact<std::string>()) return *value;
    error(node->source(), "'" + std::string(key) + "' must be a text");
    return {};
  }

  std::vector<std::string> texts(const toml::table& table, std::string_view key) {
    std::vector<std::string> result;
    each(table, key, [&](const toml::node& node) {
      const auto value = node.value_exact<std::string>();
      if (value) result.push_back(*value);
      return value.has_value();
    });
    return result;
  }

  template <class Integer>
  std::vector<Integer> numbers(const toml::table& table, std::string_view key, std::int64_t least,
                               std::int64_t most) {
    std::vector<Integer> result;
    each(table, key, [&](const toml::node& node) {
      const auto value = node.value_exact<std::int64_t>();
      if (!value || *value < least || *value > most) return false;
      result.push_back(static_cast<Integer>(*value));
      return true;
    });
    return result;
  }

  std::optional<double> number(const toml::table& table, std::string_view key, double least,
                               double most) {
    const toml::node* node = table.get(key);
    if (node == nullptr) return std::nullopt;
    const auto value = node->value<double>();
    if (value && *value >= least && *value <= most) return value;
    error(node->source(), "'" + std::string(key) + "' must be a number in its range");
    return std::nullopt;
  }

  std::optional<bool> flag(const toml::table& table, std::string_view key) {
    const toml::node* node = table.get(key);
    if (node == nullptr) return std::nullopt;
    if (const auto value = node->value_exact<bool>()) return value;
    error(node->source(), "'" + std::string(key) + "' must be true or false");
    return std::nullopt;
  }

  void templates(const toml::table& table, std::string_view key,
                 const std::vector<std::string>& texts) {
    for (const std::string& text : texts) {
      const std::string fault = check_template(text);
      if (!fault.empty()) error(table.get(key)->source(), fault);
    }
  }

 private:
  template <class Take>
  void each(const toml::table& table, std::string_view key, Take take) {
    const toml::node* node = table.get(key);
    if (node == nullptr) return;
    const toml::array* array = node->as_array();
    if (array == nullptr) return error(node->source(), "'" + std::string(key) + "' must be a list");
    for (const toml::node& element : *array) {
      if (!take(element)) error(element.source(), "wrong value in '" + std::string(key) + "'");
    }
  }

  std::string_view file_;
  std::vector<std::string>& errors_;
  bool ok_ = true;
};

template <class Enum>
std::optional<Enum> pick(std::string_view word, std::initializer_list<std::string_view> words) {
  int index = 0;
  for (const std::string_view candidate : words) {
    if (candidate == word) return static_cast<Enum>(index);
    ++index;
  }
  return std::nullopt;
}

std::string fix_id(std::string_view platform, std::string_view kind) {
  std::string id = std::string(platform) + "." + std::string(kind);
  std::replace(id.begin(), id.end(), '_', '-');
  return id;
}

Fix read_fix(Reader& reader, const toml::table& table, std::string_view platform,
             std::size_t kind_index) {
  reader.allow_only(table, {"role", "title", "because", "look", "change", "persist", "undo",
                            "takes_effect", "warnings", "certainty", "buffer_per_window"});
  Fix fix;
  fix.kind = static_cast<FixKind>(kind_index);
  fix.id = fix_id(platform, kFixKinds[kind_index]);
  fix.title = reader.text(table, "title", true);
  fix.because = reader.text(table, "because", false);
  fix.takes_effect = reader.text(table, "takes_effect", true);
  fix.buffer_per_window = reader.number(table, "buffer_per_window", 0, 64);
  const auto role = pick<Role>(reader.text(table, "role", true),
                               {"receiver", "sender", "middlebox", "application"});
  if (role) fix.role = *role;
  if (!role)
    reader.error(table.source(), "'role' must be receiver, sender, middlebox or application");
  const auto certainty =
      pick<Certainty>(reader.text(table, "certainty", true), {"sourced", "derived", "memory"});
  if (certainty) fix.certainty = *certainty;
  if (!certainty) reader.error(table.source(), "'certainty' must be sourced, derived or memory");
  struct List {
    std::string_view key;
    std::vector<std::string>& target;
  };
  for (const List& list :
       {List{"look", fix.look}, List{"change", fix.change}, List{"persist", fix.persist},
        List{"undo", fix.undo}, List{"warnings", fix.warnings}}) {
    list.target = reader.texts(table, list.key);
    reader.templates(table, list.key, list.target);
  }
  reader.templates(table, "title", {fix.title});
  if (!fix.because.empty()) reader.templates(table, "because", {fix.because});
  reader.templates(table, "takes_effect", {fix.takes_effect});
  return fix;
}

void read_fixes(Reader& reader, const toml::table& table, Platform& platform) {
  const toml::node* node = table.get("fix");
  if (node == nullptr || node->as_table() == nullptr) {
    return reader.error(table.source(), "no [fix.*] table");
  }
  for (const auto& [key, value] : *node->as_table()) {
    const auto found = std::find(kFixKinds.begin(), kFixKinds.end(), key.str());
    if (found == kFixKinds.end() || value.as_table() == nullptr) {
      reader.error(key.source(), "unknown kind of fix '" + std::string(key.str()) + "'");
      continue;
    }
    platform.fixes.push_back(read_fix(reader, *value.as_table(), platform.id,
                                      static_cast<std::size_t>(found - kFixKinds.begin())));
  }
}

// The number behind the last '=' of a registry line, or the placeholder of a size.
bool has_number(const std::string& text) {
  const std::size_t equals = text.rfind('=');
  if (equals == std::string::npos || text.rfind('\\', equals) == std::string::npos) return false;
  const std::string value = text.substr(equals + 1);
  for (const std::string_view size : {"{window}", "{buffer}", "{cap}"}) {
    if (value == size) return true;
  }
  return !value.empty() && value.size() <= 9 &&
         value.find_first_not_of("0123456789") == std::string::npos;
}

void read_tune(Reader& reader, const toml::table& all, Platform& platform) {
  if (all.get("tune") == nullptr) return;
  const toml::table* table = all.get("tune")->as_table();
  if (table == nullptr) return reader.error(all.get("tune")->source(), "'tune' must be a table");
  reader.allow_only(*table,
                    {"sysctl", "registry", "commands", "powershell", "look", "undo", "warnings",
                     "persist", "takes_effect", "untouched_window", "buffer_step", "cap_step",
                     "step_because", "least_buffer", "cap_untouched"});
  Tune tune;
  const auto list = [&](std::string_view key, std::vector<std::string>& target) {
    target = reader.texts(*table, key);
    reader.templates(*table, key, target);
  };
  list("sysctl", tune.sysctl);
  list("registry", tune.registry);
  list("commands", tune.commands);
  list("powershell", tune.powershell);
  list("look", tune.look);
  list("undo", tune.undo);
  list("warnings", tune.warnings);
  for (const std::string& text : tune.sysctl) {
    if (text.find('=') == std::string::npos)
      reader.error(table->get("sysctl")->source(), "'" + text + "' is not key=value");
  }
  for (const std::string& text : tune.registry) {
    if (!has_number(text))
      reader.error(table->get("registry")->source(), "'" + text + "' is not path\\name=number");
  }
  const auto persist = pick<Persist>(reader.text(*table, "persist", true),
                                     {"sysctl.d", "sysctl.conf", "launchd", "itself"});
  if (persist) tune.persist = *persist;
  if (!persist)
    reader.error(table->source(), "'persist' must be sysctl.d, sysctl.conf, launchd or itself");
  tune.takes_effect = reader.text(*table, "takes_effect", true);
  reader.templates(*table, "takes_effect", {tune.takes_effect});
  constexpr auto kMost = static_cast<double>(1ULL << 31);
  const auto size = [&](std::string_view key) { return reader.number(*table, key, 1, kMost); };
  if (const auto untouched = size("untouched_window"))
    tune.untouched_window = static_cast<std::uint64_t>(*untouched);
  tune.buffer_step = static_cast<std::uint64_t>(size("buffer_step").value_or(0));
  tune.cap_step = static_cast<std::uint64_t>(size("cap_step").value_or(0));
  tune.least_buffer = static_cast<std::uint64_t>(size("least_buffer").value_or(0));
  tune.cap_untouched = static_cast<std::uint64_t>(size("cap_untouched").value_or(0));
  tune.step_because = reader.text(*table, "step_because", tune.buffer_step > 0);
  platform.tune = std::move(tune);
}

Platform read_platform(Reader& reader, const toml::table& table) {
  reader.allow_only(table,
                    {"id", "title", "likely", "tunable", "buffer_per_window", "cap_per_buffer",
                     "largest_window", "default_window", "default_flight", "fix", "tune"});
  constexpr auto kMost = static_cast<double>(1ULL << 31);
  Platform platform;
  platform.id = reader.text(table, "id", true);
  platform.title = reader.text(table, "title", true);
  platform.likely = static_cast<int>(reader.number(table, "likely", 0, 99).value_or(0));
  platform.tunable = reader.flag(table, "tunable").value_or(true);
  platform.buffer_per_window = reader.number(table, "buffer_per_window", 0, 64).value_or(1);
  platform.cap_per_buffer = reader.number(table, "cap_per_buffer", 1, 64).value_or(1);
  const auto size = [&](std::string_view key) {
    return static_cast<std::uint64_t>(reader.number(table, key, 0, kMost).value_or(0));
  };
  platform.largest_window = size("largest_window");
  platform.default_window = size("default_window");
  platform.default_flight = size("default_flight");
  read_fixes(reader, table, platform);
  read_tune(reader, table, platform);
  return platform;
}

Signature read_signature(Reader& reader, const toml::table& table) {
  reader.allow_only(table, {"os", "platforms", "ttl", "layout", "window", "window_segments",
                            "answer_window", "scale", "always_scales"});
  Signature signature;
  signature.os = reader.text(table, "os", true);
  signature.platforms = reader.texts(table, "platforms");
  signature.ttl = static_cast<std::uint8_t>(reader.number(table, "ttl", 0, 255).value_or(64));
  for (const std::string& text : reader.texts(table, "layout")) {
    if (const auto layout = parse_layout(text)) {
      signature.layouts.push_back(*layout);
    } else {
      reader.error(table.get("layout")->source(), "unknown option in '" + text + "'");
    }
  }
  if (signature.layouts.empty()) reader.error(table.source(), "key 'layout' is missing");
  signature.windows = reader.numbers<std::uint16_t>(table, "window", 0, 65535);
  signature.window_segments = reader.numbers<std::uint16_t>(table, "window_segments", 1, 200);
  signature.answer_windows = reader.numbers<std::uint16_t>(table, "answer_window", 0, 65535);
  signature.scales = reader.numbers<int>(table, "scale", -1, 14);
  signature.always_scales = reader.flag(table, "always_scales").value_or(false);
  return signature;
}

std::optional<toml::table> read_table(Reader& reader, const Catalogue::Text& text) {
  try {
    return toml::parse(text.text, text.name);
  } catch (const toml::parse_error& fault) {
    reader.error(fault.source(), fault.description());
    return std::nullopt;
  }
}

void read_fingerprints(const Catalogue::Text& text, std::vector<std::string>& errors,
                       CatalogueData& data) {
  Reader file(text.name, errors);
  const auto table = read_table(file, text);
  if (!table) return;
  file.allow_only(*table, {"signature"});
  const toml::array* list = table->get_as<toml::array>("signature");
  if (list == nullptr) return file.error(table->source(), "no [[signature]]");
  for (const toml::node& node : *list) {
    Reader reader(text.name, errors);
    if (node.as_table() == nullptr) {
      reader.error(node.source(), "a signature must be a table");
      continue;
    }
    Signature signature = read_signature(reader, *node.as_table());
    for (const std::string& id : signature.platforms) {
      if (data.platform(id) == nullptr)
        reader.error(node.source(), "unknown platform '" + id + "'");
    }
    if (reader.ok()) data.signatures.push_back(std::move(signature));
  }
}

}  // namespace

Catalogue Catalogue::parse(const std::vector<Text>& platforms,
                           const std::vector<Text>& fingerprints,
                           std::vector<std::string>& errors) {
  auto data = std::make_shared<CatalogueData>();
  for (const Text& text : platforms) {
    Reader reader(text.name, errors);
    const auto table = read_table(reader, text);
    if (!table) continue;
    Platform platform = read_platform(reader, *table);
    if (data->platform(platform.id) != nullptr) {
      reader.error(table->source(), "platform '" + platform.id + "' is there twice");
    }
    if (reader.ok()) data->platforms.push_back(std::move(platform));
  }
  for (const Text& text : fingerprints) read_fingerprints(text, errors, *data);
  for (const Platform& platform : data->platforms) {
    if (platform.likely > 0) data->likely.push_back(&platform);
  }
  std::sort(data->likely.begin(), data->likely.end(),
            [](const Platform* a, const Platform* b) { return a->likely < b->likely; });
  Catalogue catalogue;
  catalogue.data_ = std::move(data);
  return catalogue;
}

}  // namespace rwin::rules
