// A settings file. What it says is taken or refused with a reason, and what --print-config writes
// of it reads back as the same.
#include "app/settings.h"

#include <algorithm>
#include <string>
#include <vector>

#include "app/option_words.h"
#include "app/options.h"
#include "fuzz/targets.h"

namespace rwin::fuzz {
namespace {

using app::Failure;
using app::Setting;

void check_refusal(const Failure& failure) {
  require(!failure.message.empty() && !failure.hint.empty(), "a refusal has a reason and advice");
  require(failure.code == app::ExitCode::usage, "wrong settings are wrong usage");
}

bool same(const Setting& a, const Setting& b) {
  return a.command == b.command && a.id == b.id && a.on == b.on && a.values == b.values;
}

}  // namespace

void settings(Input input) {
  const std::string text(input.begin(), input.end());
  app::Settings read;
  if (const auto failure = app::read_settings_text("f.toml", text, read.all)) {
    check_refusal(*failure);
    return;
  }
  for (const std::vector<std::string>& words : std::vector<std::vector<std::string>>{
           {"x"}, {"tune", "--rate", "50M", "--rtt", "184ms"}, {"calc"}, {"--print-config"}}) {
    const auto parsed = app::parse_options(
        words, [&](const std::optional<std::string>&) { return app::SettingsRead(read); });
    if (const auto* failure = std::get_if<Failure>(&parsed)) check_refusal(*failure);
  }
  std::vector<Setting> again;
  const auto failure =
      app::read_settings_text("again.toml", app::settings_text(read, app::Words{}), again);
  require(!failure, "what --print-config writes can be read");
  for (const Setting& one : read.all) {
    require(std::any_of(again.begin(), again.end(), [&](const Setting& s) { return same(s, one); }),
            "what --print-config writes says the same");
  }
}

}  // namespace rwin::fuzz
