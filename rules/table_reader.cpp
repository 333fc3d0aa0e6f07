#include "rules/table_reader.h"

#include <fmt/format.h>

#include <algorithm>

#include "rules/template.h"

namespace rwin::rules {

void TableReader::error(const Value& at, std::string_view what) {
  ok_ = false;
  std::string line = fmt::format("{}:{}: {}", at.file, at.line, what);
  // A fault in a file that others build on shows in each of them.
  if (std::find(errors_.begin(), errors_.end(), line) == errors_.end()) {
    errors_.push_back(std::move(line));
  }
}

void TableReader::error_at_key(const Value& at, std::string_view what) {
  Value where;
  where.file = at.file;
  where.line = at.key_line;
  error(where, what);
}

void TableReader::allow_only(std::initializer_list<std::string_view> keys) {
  for (std::size_t i = 0; i < table_.keys.size(); ++i) {
    if (std::find(keys.begin(), keys.end(), table_.keys[i]) == keys.end()) {
      error_at_key(table_.items[i], fmt::format("unknown key '{}'", table_.keys[i]));
    }
  }
}

std::string TableReader::text(std::string_view key, bool required) {
  const Value* value = get(key);
  if (value == nullptr) {
    if (required) error(table_, fmt::format("key '{}' is missing", key));
    return {};
  }
  if (value->kind == Value::Kind::text) return value->text;
  error(*value, fmt::format("'{}' must be a text", key));
  return {};
}

std::vector<std::string> TableReader::texts(std::string_view key) {
  std::vector<std::string> result;
  const Value* value = get(key);
  if (value == nullptr) return result;
  if (value->kind != Value::Kind::list) {
    error(*value, fmt::format("'{}' must be a list", key));
    return result;
  }
  for (const Value& item : value->items) {
    if (item.kind == Value::Kind::text) {
      result.push_back(item.text);
    } else {
      error(item, fmt::format("'{}' must be a list of texts", key));
    }
  }
  return result;
}

std::vector<std::int64_t> TableReader::numbers(std::string_view key, std::int64_t least,
                                               std::int64_t most) {
  std::vector<std::int64_t> result;
  const Value* value = get(key);
  if (value == nullptr) return result;
  if (value->kind != Value::Kind::list) {
    error(*value, fmt::format("'{}' must be a list", key));
    return result;
  }
  for (const Value& item : value->items) {
    const bool fits = item.kind == Value::Kind::number && item.whole &&
                      item.number >= static_cast<double>(least) &&
                      item.number <= static_cast<double>(most);
    if (fits) {
      result.push_back(static_cast<std::int64_t>(item.number));
    } else {
      error(item,
            fmt::format("'{}' must be a list of whole numbers from {} to {}", key, least, most));
    }
  }
  return result;
}

std::optional<double> TableReader::number(std::string_view key, double least, double most) {
  const Value* value = get(key);
  if (value == nullptr) return std::nullopt;
  if (value->kind == Value::Kind::number && value->number >= least && value->number <= most) {
    return value->number;
  }
  error(*value, fmt::format("'{}' must be a number from {:.0f} to {:.0f}", key, least, most));
  return std::nullopt;
}

std::optional<bool> TableReader::flag(std::string_view key) {
  const Value* value = get(key);
  if (value == nullptr) return std::nullopt;
  if (value->kind == Value::Kind::flag) return value->flag;
  error(*value, fmt::format("'{}' must be true or false", key));
  return std::nullopt;
}

std::optional<std::size_t> TableReader::word(std::string_view key,
                                             std::span<const std::string_view> words) {
  const Value* value = get(key);
  if (value != nullptr && value->kind == Value::Kind::text) {
    const auto found = std::find(words.begin(), words.end(), value->text);
    if (found != words.end()) return static_cast<std::size_t>(found - words.begin());
  }
  error(value == nullptr ? table_ : *value,
        fmt::format("'{}' must be one of: {}", key, fmt::join(words, ", ")));
  return std::nullopt;
}

std::vector<const Value*> TableReader::tables(std::string_view key) {
  std::vector<const Value*> result;
  const Value* value = get(key);
  if (value == nullptr) return result;
  if (value->kind == Value::Kind::table) return {value};
  if (value->kind == Value::Kind::list) {
    for (const Value& item : value->items) {
      if (item.kind == Value::Kind::table) result.push_back(&item);
    }
    if (result.size() == value->items.size()) return result;
  }
  error_at_key(*value, fmt::format("'{}' must be a table", key));
  return {};
}

void TableReader::check_templates(std::string_view key, std::span<const std::string_view> known) {
  const Value* value = get(key);
  if (value == nullptr) return;
  const auto check = [&](const Value& text) {
    if (text.kind != Value::Kind::text) return;
    const std::string fault = check_template(text.text, known);
    if (!fault.empty()) error(text, fault);
  };
  check(*value);
  for (const Value& item : value->items) check(item);
}

}  // namespace rwin::rules
