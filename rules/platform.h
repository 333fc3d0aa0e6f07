// The platform catalogue: rules/platforms/*.toml and rules/fingerprints.toml, built into the
// binary.
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "rules/fingerprint.h"

namespace rwin::rules {

struct CatalogueData;  // catalogue_data.h

class Catalogue {
 public:
  // The built-in files. They are checked by a test; a fault in them is a programming error.
  static const Catalogue& built_in();

  // Texts in the form of the files here (schema: platforms/README.md). Faults go to `errors`, one
  // line each, "name:line: what is wrong"; what is at fault is left out of the catalogue. Of
  // several layers a later one adds to the earlier ones and replaces entries with the same id.
  struct Text {
    std::string_view name;
    std::string_view text;
    bool packed = false;  // by the build: packed.h
  };
  struct Texts {
    std::vector<Text> platforms, applications, fingerprints;
  };
  static Texts built_in_texts();
  static Catalogue parse(const std::vector<Texts>& layers, std::vector<std::string>& errors);

  // `offer` is one end's SYN (is_syn_ack false) or SYN-ACK. Not seen: an empty guess.
  [[nodiscard]] OsGuess guess(const analysis::HandshakeSide& offer, bool is_syn_ack) const;
  // By its id or one of its aliases.
  [[nodiscard]] bool has_platform(std::string_view id) const;
  // In the order of the files.
  [[nodiscard]] std::vector<std::string> platform_ids() const;
  // The words that mean a platform: ids, each with its aliases behind it.
  [[nodiscard]] std::vector<std::string> platform_words() const;
  [[nodiscard]] const CatalogueData& data() const { return *data_; }

 private:
  std::shared_ptr<const CatalogueData> data_;
};

}  // namespace rwin::rules
