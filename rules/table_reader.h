// Takes typed keys out of one table of a data file and reports what is wrong with its line. Inside
// rules/ only.
#pragma once

#include <initializer_list>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "rules/toml_value.h"

namespace rwin::rules {

class TableReader {
 public:
  TableReader(const Value& table, std::vector<std::string>& errors)
      : table_(table), errors_(errors) {}

  // "file:line: what"; the line is the value's, the key's, or the table's.
  void error(const Value& at, std::string_view what);
  void error_at_key(const Value& at, std::string_view what);
  [[nodiscard]] bool ok() const { return ok_; }
  void failed() { ok_ = false; }

  [[nodiscard]] const Value& table() const { return table_; }
  [[nodiscard]] const Value* get(std::string_view key) const { return table_.get(key); }

  void allow_only(std::initializer_list<std::string_view> keys);
  std::string text(std::string_view key, bool required);
  std::vector<std::string> texts(std::string_view key);
  // Each from `least` to `most`.
  std::vector<std::int64_t> numbers(std::string_view key, std::int64_t least, std::int64_t most);
  std::optional<double> number(std::string_view key, double least, double most);
  std::optional<bool> flag(std::string_view key);
  // Index into `words`; an error that names them all where the key is missing or something else.
  std::optional<std::size_t> word(std::string_view key, std::span<const std::string_view> words);
  // Tables under a key that holds a table, or a list of tables; empty where the key is absent.
  std::vector<const Value*> tables(std::string_view key);
  // Reports braces of the texts under `key` that belong to no placeholder in `known`.
  void check_templates(std::string_view key, std::span<const std::string_view> known);

 private:
  const Value& table_;
  std::vector<std::string>& errors_;
  bool ok_ = true;
};

}  // namespace rwin::rules
