// Platforms, applications and signatures.
#include <algorithm>
#include <charconv>

#include "rules/readers.h"
#include "rules/table_reader.h"

namespace rwin::rules {
namespace {

constexpr auto kMost = static_cast<double>(1ULL << 31);
constexpr std::array<std::string_view, 3> kEnds = {"server", "client", "both"};

template <class Integer>
std::vector<Integer> as(const std::vector<std::int64_t>& numbers) {
  std::vector<Integer> result;
  result.reserve(numbers.size());
  for (const std::int64_t number : numbers) result.push_back(static_cast<Integer>(number));
  return result;
}

std::vector<Application::Plateau> read_plateaus(TableReader& reader, std::string_view key,
                                                std::vector<std::string>& errors) {
  std::vector<Application::Plateau> result;
  for (const Value* table : reader.tables(key)) {
    TableReader plateau(*table, errors);
    plateau.allow_only({"bytes", "name"});
    result.push_back({static_cast<std::uint64_t>(plateau.number("bytes", 1, kMost).value_or(0)),
                      plateau.text("name", true)});
    if (!plateau.ok()) reader.failed();
  }
  return result;
}

// { absent = "autotuning off", 2 = "highly restricted" }
std::vector<std::pair<int, std::string>> read_shift_means(TableReader& reader) {
  std::vector<std::pair<int, std::string>> result;
  for (const Value* table : reader.tables("shift_means")) {
    for (std::size_t i = 0; i < table->keys.size(); ++i) {
      const std::string& key = table->keys[i];
      int shift = -1;
      const auto [end, fault] = std::from_chars(key.data(), key.data() + key.size(), shift);
      const bool number = fault == std::errc{} && end == key.data() + key.size();
      const bool fits = key == "absent" || (number && shift >= 0 && shift <= 14);
      if (!fits || table->items[i].kind != Value::Kind::text) {
        reader.error_at_key(table->items[i], "'shift_means' has texts for 0 to 14 and absent");
        continue;
      }
      result.emplace_back(key == "absent" ? -1 : shift, table->items[i].text);
    }
  }
  return result;
}

Signature read_signature(const Value& table, const std::string& platform, const CatalogueData& data,
                         std::vector<std::string>& errors, bool& ok) {
  TableReader reader(table, errors);
  reader.allow_only({"os", "platforms", "ttl", "layout", "window", "window_segments",
                     "answer_window", "scale", "always_scales"});
  Signature signature;
  signature.os = reader.text("os", true);
  signature.platforms = reader.texts("platforms");
  if (signature.platforms.empty() && !platform.empty()) signature.platforms = {platform};
  for (const std::string& id : signature.platforms) {
    if (data.platform(id) == nullptr) reader.error(table, "unknown platform '" + id + "'");
  }
  signature.ttl = static_cast<std::uint8_t>(reader.number("ttl", 0, 255).value_or(64));
  for (const std::string& text : reader.texts("layout")) {
    if (const auto layout = parse_layout(text)) {
      signature.layouts.push_back(*layout);
    } else {
      reader.error(*reader.get("layout"), "unknown option in '" + text + "'");
    }
  }
  if (signature.layouts.empty()) reader.error(table, "key 'layout' is missing");
  signature.windows = as<std::uint16_t>(reader.numbers("window", 0, 65535));
  signature.window_segments = as<std::uint16_t>(reader.numbers("window_segments", 1, 200));
  signature.answer_windows = as<std::uint16_t>(reader.numbers("answer_window", 0, 65535));
  signature.scales = as<int>(reader.numbers("scale", -1, 14));
  signature.always_scales = reader.flag("always_scales").value_or(false);
  ok = reader.ok();
  return signature;
}

}  // namespace

std::optional<Platform> read_platform(const Value& table, const Value* words,
                                      std::vector<std::string>& errors) {
  TableReader reader(table, errors);
  reader.allow_only({"id", "title", "aliases", "like", "family", "without", "likely", "tunable",
                     "buffer_per_window", "cap_per_buffer", "largest_window", "default_window",
                     "default_flight", "beyond", "shift_means", "fix", "tune", "signature"});
  Platform platform;
  platform.id = reader.text("id", true);
  platform.title = reader.text("title", true);
  platform.aliases = reader.texts("aliases");
  platform.family = reader.text("family", false);
  if (platform.family.empty()) platform.family = platform.id;
  platform.likely = static_cast<int>(reader.number("likely", 0, 99).value_or(0));
  platform.tunable = reader.flag("tunable").value_or(true);
  platform.buffer_per_window = reader.number("buffer_per_window", 0, 64).value_or(1);
  platform.cap_per_buffer = reader.number("cap_per_buffer", 1, 64).value_or(1);
  const auto size = [&](std::string_view key) {
    return static_cast<std::uint64_t>(reader.number(key, 0, kMost).value_or(0));
  };
  platform.largest_window = size("largest_window");
  platform.default_window = size("default_window");
  platform.default_flight = size("default_flight");
  platform.beyond = reader.text("beyond", false);
  platform.shift_means = read_shift_means(reader);
  bool ok = true;
  platform.fixes = read_fixes(table, platform.id, words, errors, ok);
  platform.tune = read_tune(table, errors, ok);
  if (!ok || !reader.ok()) return std::nullopt;
  return platform;
}

std::optional<Application> read_application(const Value& table, const Value* words,
                                            std::vector<std::string>& errors) {
  TableReader reader(table, errors);
  reader.allow_only({"id", "title", "ports", "programs", "end", "buffer", "flight", "fix"});
  Application application;
  application.id = reader.text("id", true);
  application.title = reader.text("title", true);
  application.ports = as<std::uint16_t>(reader.numbers("ports", 1, 65535));
  application.programs = reader.texts("programs");
  application.end = static_cast<Application::End>(reader.word("end", kEnds).value_or(2));
  application.buffers = read_plateaus(reader, "buffer", errors);
  application.flights = read_plateaus(reader, "flight", errors);
  if (application.ports.empty() && application.programs.empty()) {
    reader.error(table, "neither 'ports' nor 'programs': nothing to recognise it by");
  }
  bool ok = true;
  application.fixes = read_fixes(table, application.id, words, errors, ok);
  if (!ok || !reader.ok()) return std::nullopt;
  return application;
}

std::vector<Signature> read_signatures(const Value& table, const std::string& platform,
                                       const CatalogueData& data,
                                       std::vector<std::string>& errors) {
  std::vector<Signature> result;
  TableReader reader(table, errors);
  for (const Value* signature : reader.tables("signature")) {
    bool ok = true;
    Signature read = read_signature(*signature, platform, data, errors, ok);
    if (ok) result.push_back(std::move(read));
  }
  return result;
}

}  // namespace rwin::rules
