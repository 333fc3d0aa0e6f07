#include <algorithm>
#include <optional>
#include <stdexcept>
#include <utility>

#include "rules/catalogue_data.h"
#include "rules/embedded.h"
#include "rules/use_rules.h"

namespace rwin::rules {

const Platform* CatalogueData::platform(std::string_view id) const {
  auto found = std::find_if(platforms.begin(), platforms.end(),
                            [id](const Platform& platform) { return platform.id == id; });
  if (found == platforms.end()) {
    found = std::find_if(platforms.begin(), platforms.end(), [id](const Platform& platform) {
      return std::find(platform.aliases.begin(), platform.aliases.end(), id) !=
             platform.aliases.end();
    });
  }
  return found == platforms.end() ? nullptr : &*found;
}

Catalogue::Texts Catalogue::built_in_texts() {
  const auto all = [](std::span<const EmbeddedText> files) {
    std::vector<Text> texts;
    for (const EmbeddedText& file : files) texts.push_back({file.name, file.text, true});
    return texts;
  };
  return {all(platform_files()), all(application_files()), all(fingerprint_files())};
}

namespace {

std::optional<Catalogue>& of_the_user() {
  static std::optional<Catalogue> catalogue;
  return catalogue;
}

}  // namespace

void use_rules(Catalogue catalogue) { of_the_user() = std::move(catalogue); }

const Catalogue& Catalogue::built_in() {
  if (of_the_user()) return *of_the_user();
  static const Catalogue catalogue = [] {
    std::vector<std::string> errors;
    Catalogue built = parse({built_in_texts()}, errors);
    if (!errors.empty()) throw std::logic_error("built-in rules: " + errors.front());
    return built;
  }();
  return catalogue;
}

bool Catalogue::has_platform(std::string_view id) const { return data_->platform(id) != nullptr; }

std::vector<std::string> Catalogue::platform_ids() const {
  std::vector<std::string> ids;
  for (const Platform& platform : data_->platforms) ids.push_back(platform.id);
  return ids;
}

std::vector<std::string> Catalogue::platform_words() const {
  std::vector<std::string> words;
  for (const Platform& platform : data_->platforms) {
    if (platform.id == "generic") continue;
    words.push_back(platform.id);
    words.insert(words.end(), platform.aliases.begin(), platform.aliases.end());
  }
  return words;
}

}  // namespace rwin::rules
