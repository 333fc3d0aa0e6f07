#include "rules/packed.h"

#include <cstddef>
#include <cstdint>
#include <cstring>

// Kind, line, line of the key; then the text, the number, the flag, or how many items and these,
// those of a table each behind its key. Counts and lines are numbers of 7 bits a byte, the lowest
// first; a set highest bit means that more follow.
namespace rwin::rules {
namespace {

void put_count(std::string& to, std::size_t n) {
  for (; n >= 0x80; n >>= 7U) to += static_cast<char>(static_cast<unsigned char>(n | 0x80U));
  to += static_cast<char>(n);
}

void put_text(std::string& to, std::string_view text) {
  put_count(to, text.size());
  to += text;
}

void put(std::string& to, const Value& value) {
  to += static_cast<char>(value.kind);
  put_count(to, value.line);
  put_count(to, value.key_line);
  switch (value.kind) {
    case Value::Kind::text:
      put_text(to, value.text);
      break;
    case Value::Kind::number:
      to.append(reinterpret_cast<const char*>(&value.number), sizeof value.number);
      to += static_cast<char>(value.whole);
      break;
    case Value::Kind::flag:
      to += static_cast<char>(value.flag);
      break;
    case Value::Kind::list:
    case Value::Kind::table:
      put_count(to, value.items.size());
      for (std::size_t i = 0; i < value.items.size(); ++i) {
        if (value.kind == Value::Kind::table) put_text(to, value.keys[i]);
        put(to, value.items[i]);
      }
      break;
    case Value::Kind::other:
      break;
  }
}

class Unpacker {
 public:
  Unpacker(std::string_view bytes, std::string_view file) : bytes_(bytes), file_(file) {}

  void read(Value& value) {
    value.file = file_;
    value.kind = static_cast<Value::Kind>(byte());
    value.line = static_cast<std::uint32_t>(count());
    value.key_line = static_cast<std::uint32_t>(count());
    switch (value.kind) {
      case Value::Kind::text:
        value.text = take(count());
        break;
      case Value::Kind::number:
        std::memcpy(&value.number, take(sizeof value.number).data(), sizeof value.number);
        value.whole = byte() != 0;
        break;
      case Value::Kind::flag:
        value.flag = byte() != 0;
        break;
      case Value::Kind::list:
      case Value::Kind::table: {
        const std::size_t n = count();
        const bool table = value.kind == Value::Kind::table;
        value.items.resize(n);
        if (table) value.keys.reserve(n);
        for (Value& item : value.items) {
          if (table) value.keys.emplace_back(take(count()));
          read(item);
        }
        break;
      }
      case Value::Kind::other:
        break;
    }
  }

 private:
  std::string_view take(std::size_t n) {
    const std::string_view taken = bytes_.substr(0, n);
    bytes_.remove_prefix(n);
    return taken;
  }
  std::uint8_t byte() { return static_cast<std::uint8_t>(take(1).front()); }
  std::size_t count() {
    std::size_t n = 0;
    for (unsigned shift = 0;; shift += 7) {
      const std::uint8_t b = byte();
      n |= std::size_t{b & 0x7fU} << shift;
      if (b < 0x80) return n;
    }
  }

  std::string_view bytes_, file_;
};

}  // namespace

std::string pack(const Value& value) {
  std::string bytes;
  put(bytes, value);
  return bytes;
}

Value unpack(std::string_view bytes, std::string_view file) {
  Value value;
  Unpacker(bytes, file).read(value);
  return value;
}

}  // namespace rwin::rules
