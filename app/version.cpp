#include "app/version.h"

#include <fmt/format.h>

#include <array>

namespace rwin::app {
namespace {

struct Feature {
  bool built_in;
  std::string_view library;
  std::string_view gives;
};

#ifdef RWIN_WITH_ARCHIVE
constexpr bool kArchive = true;
#else
constexpr bool kArchive = false;
#endif
#ifdef RWIN_WITH_MNL
constexpr bool kMnl = true;
#else
constexpr bool kMnl = false;
#endif

constexpr std::array<Feature, 2> kFeatures = {{
    {kArchive, "libarchive", "compressed captures"},
    {kMnl, "libmnl", "the kernel's figures of this host's connections"},
}};

}  // namespace

std::string version_text() {
  std::string text = fmt::format("rwin {}\n", kVersion);
  for (const Feature& f : kFeatures)
    text += fmt::format("{} {}: {}\n", f.built_in ? "with" : "without", f.library, f.gives);
  return text;
}

}  // namespace rwin::app
