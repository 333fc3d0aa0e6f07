// From trees to the catalogue's entries; faults go to `errors`. Inside rules/ only.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "rules/catalogue_data.h"
#include "rules/toml_value.h"

namespace rwin::rules {

// `words`: texts for fixes that leave them out, by kind (the generic platform's), null: none.
std::optional<Platform> read_platform(const Value& table, const Value* words,
                                      std::vector<std::string>& errors);
std::optional<Application> read_application(const Value& table, const Value* words,
                                            std::vector<std::string>& errors);
// [[signature]] tables under `table`; `platform` is meant where a signature names none.
std::vector<Signature> read_signatures(const Value& table, const std::string& platform,
                                       const CatalogueData& data, std::vector<std::string>& errors);

// The [fix.*] tables; used by both.
std::vector<Fix> read_fixes(const Value& table, const std::string& id, const Value* words,
                            std::vector<std::string>& errors, bool& ok);
// [tune] of a platform; nullopt where it has none.
std::optional<Tune> read_tune(const Value& table, std::vector<std::string>& errors, bool& ok);

}  // namespace rwin::rules
