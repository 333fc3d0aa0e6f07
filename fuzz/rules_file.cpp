// Data files of the user: platforms, applications, fingerprints.
// Form of the input: a byte that chooses the kind, then the text.
#include <string>

#include "fuzz/targets.h"
#include "rules/platform.h"

namespace rwin::fuzz {
namespace {

// A SYN as Linux sends it: every signature is held against it.
analysis::HandshakeSide linux_syn() {
  analysis::HandshakeSide side;
  side.seen = true;
  side.mss = analysis::Tri<std::uint16_t>::of(1460);
  side.window_scale = analysis::Tri<std::uint8_t>::of(7);
  side.sack = analysis::Tri<bool>::of(true);
  side.timestamps = analysis::Tri<bool>::of(true);
  side.window = 64240;
  side.ttl = 64;
  side.dont_fragment = true;
  side.option_kind_count = 5;
  side.option_kinds = {2, 4, 8, 1, 3};
  return side;
}

}  // namespace

void rules_file(Input input) {
  using rules::Catalogue;
  Reader reader(input);
  const std::uint8_t kind = reader.u8();
  const Input rest = reader.rest();
  const std::string text(rest.begin(), rest.end());
  Catalogue::Texts texts;
  auto& list = kind % 3 == 0   ? texts.platforms
               : kind % 3 == 1 ? texts.applications
                               : texts.fingerprints;
  list.push_back({"user.toml", text});
  // Sometimes twice: what builds on what, and what replaces what.
  std::vector<Catalogue::Texts> layers(kind < 128 ? 1 : 2, texts);
  std::vector<std::string> errors;
  const Catalogue catalogue = Catalogue::parse(layers, errors);
  for (const std::string& error : errors)
    require(error.rfind("user.toml:", 0) == 0, "a fault names its file");
  for (const bool answer : {false, true}) {
    const rules::OsGuess guess = catalogue.guess(linux_syn(), answer);
    require(guess.confidence >= 0 && guess.confidence <= 1, "confidence is a share");
  }
}

}  // namespace rwin::fuzz
