#include <algorithm>
#include <stdexcept>

#include "rules/catalogue_data.h"
#include "rules/embedded.h"

namespace rwin::rules {

const Fix* Platform::fix(FixKind kind) const {
  const auto found =
      std::find_if(fixes.begin(), fixes.end(), [kind](const Fix& fix) { return fix.kind == kind; });
  return found == fixes.end() ? nullptr : &*found;
}

const Platform* CatalogueData::platform(std::string_view id) const {
  const auto found = std::find_if(platforms.begin(), platforms.end(),
                                  [id](const Platform& platform) { return platform.id == id; });
  return found == platforms.end() ? nullptr : &*found;
}

const Catalogue& Catalogue::built_in() {
  static const Catalogue catalogue = [] {
    std::vector<Text> platforms, fingerprints;
    for (const EmbeddedText& file : platform_texts()) platforms.push_back({file.name, file.text});
    for (const EmbeddedText& file : fingerprint_texts()) {
      fingerprints.push_back({file.name, file.text});
    }
    std::vector<std::string> errors;
    Catalogue built = parse(platforms, fingerprints, errors);
    if (!errors.empty()) throw std::logic_error("built-in rules: " + errors.front());
    return built;
  }();
  return catalogue;
}

}  // namespace rwin::rules
