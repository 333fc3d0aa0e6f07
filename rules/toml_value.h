// A TOML text as a tree that remembers where each value stands. Inside rules/ only.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace rwin::rules {

struct Value {
  enum class Kind : std::uint8_t { text, number, flag, list, table, other };
  Kind kind = Kind::other;
  std::string text;
  double number = 0;
  bool whole = false;  // a number written without a fraction
  bool flag = false;
  std::vector<std::string> keys;  // table: names of `items`
  std::vector<Value> items;       // list or table
  std::string_view file;          // as given to read_toml; must outlive the value
  std::uint32_t line = 0;
  std::uint32_t key_line = 0;  // of the key in front of it

  bool operator==(const Value&) const = default;
  [[nodiscard]] const Value* get(std::string_view key) const;
  Value& member(std::string_view key);  // added where missing
};

// Nullopt with one line "file:line: reason" in `errors` where the text is no TOML.
std::optional<Value> read_toml(std::string_view file, std::string_view text,
                               std::vector<std::string>& errors);

// `over` wins; tables are joined key by key, everything else is replaced.
Value merged(Value base, const Value& over);

}  // namespace rwin::rules
