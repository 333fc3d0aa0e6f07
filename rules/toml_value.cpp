// The only file that reads TOML.
#include "rules/toml_value.h"

#include <toml++/toml.h>

#include <algorithm>
#include <utility>

namespace rwin::rules {
namespace {

Value convert(const toml::node& node, std::string_view file) {
  Value value;
  value.file = file;
  value.line = value.key_line = static_cast<std::uint32_t>(node.source().begin.line);
  if (const auto text = node.value_exact<std::string>()) {
    value.kind = Value::Kind::text;
    value.text = *text;
  } else if (const auto flag = node.value_exact<bool>()) {
    value.kind = Value::Kind::flag;
    value.flag = *flag;
  } else if (const auto number = node.value<double>(); number && node.is_number()) {
    value.kind = Value::Kind::number;
    value.number = *number;
    value.whole = node.is_integer();
  } else if (const toml::array* list = node.as_array()) {
    value.kind = Value::Kind::list;
    for (const toml::node& item : *list) value.items.push_back(convert(item, file));
  } else if (const toml::table* table = node.as_table()) {
    value.kind = Value::Kind::table;
    for (const auto& [key, item] : *table) {
      value.keys.emplace_back(key.str());
      value.items.push_back(convert(item, file));
      value.items.back().key_line = static_cast<std::uint32_t>(key.source().begin.line);
    }
  }
  return value;
}

}  // namespace

const Value* Value::get(std::string_view key) const {
  const auto found = std::find(keys.begin(), keys.end(), key);
  return found == keys.end() ? nullptr : &items[static_cast<std::size_t>(found - keys.begin())];
}

Value& Value::member(std::string_view key) {
  const auto found = std::find(keys.begin(), keys.end(), key);
  if (found != keys.end()) return items[static_cast<std::size_t>(found - keys.begin())];
  keys.emplace_back(key);
  return items.emplace_back();
}

std::optional<Value> read_toml(std::string_view file, std::string_view text,
                               std::vector<std::string>& errors) {
  try {
    return convert(toml::parse(text, file), file);
  } catch (const toml::parse_error& fault) {
    errors.push_back(std::string(file) + ":" + std::to_string(fault.source().begin.line) + ": " +
                     std::string(fault.description()));
    return std::nullopt;
  }
}

Value merged(Value base, const Value& over) {
  if (base.kind != Value::Kind::table || over.kind != Value::Kind::table) return over;
  base.file = over.file;
  base.line = over.line;
  base.key_line = over.key_line;
  for (std::size_t i = 0; i < over.keys.size(); ++i) {
    Value& member = base.member(over.keys[i]);
    member = merged(std::move(member), over.items[i]);
  }
  return base;
}

}  // namespace rwin::rules
