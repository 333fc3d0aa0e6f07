// The platform catalogue: rules/platforms/*.toml and rules/fingerprints.toml, built into the binary.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "rules/fingerprint.h"

namespace rwin::rules {

struct CatalogueData;  // defined in the .cpp files of this folder

class Catalogue {
 public:
  // The built-in files. They are checked by a test; a fault in them is a programming error.
  static const Catalogue& built_in();

  // `offer` is one end's SYN (is_syn_ack false) or SYN-ACK. Not seen: an empty guess.
  [[nodiscard]] OsGuess guess(const analysis::HandshakeSide& offer, bool is_syn_ack) const;
  [[nodiscard]] const CatalogueData& data() const { return *data_; }

 private:
  std::shared_ptr<const CatalogueData> data_;
};

}  // namespace rwin::rules
