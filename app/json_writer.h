// Writes JSON piece by piece into a buffer, so that a document of any size never stands in memory
// as a tree. The caller keeps brackets balanced; commas, escapes and number forms are kept right
// here.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>

namespace rwin::app {

class JsonWriter {
 public:
  explicit JsonWriter(std::string& out) : out_(out) {}

  void begin_object() { open('{'); }
  void end_object() { close('}'); }
  void begin_array() { open('['); }
  void end_array() { close(']'); }
  // Starts the next member or element on a new line. Call it only when one follows.
  void line();
  void key(std::string_view name);

  // Text: invalid UTF-8 becomes U+FFFD, so that the document is always valid; what would steer a
  // terminal is written as \uNNNN.
  void value(std::string_view text);
  void value(const char* text) { value(std::string_view(text)); }
  void value(const std::string& text) { value(std::string_view(text)); }
  void value(bool truth);
  // Shortest form that reads back as the same number; whole numbers without a point; not finite:
  // null.
  void value(double number);
  template <class T>
  requires(std::is_integral_v<T> && !std::is_same_v<T, bool>) void value(T number) {
    if constexpr (std::is_signed_v<T>) {
      signed_number(number);
    } else {
      unsigned_number(number);
    }
  }
  template <class T>
  void value(const std::optional<T>& maybe) {
    if (maybe) {
      value(*maybe);
    } else {
      null();
    }
  }
  void null();

  template <class T>
  void field(std::string_view name, const T& v) {
    key(name);
    value(v);
  }
  void null_field(std::string_view name) {
    key(name);
    null();
  }
  // Null for an empty text: "not known" is never "".
  void text_or_null(std::string_view name, std::string_view text);
  // bit/s and the like: rounded to a whole number.
  void rounded_field(std::string_view name, const std::optional<double>& v);

 private:
  void open(char bracket);
  void close(char bracket);
  void separate();
  void signed_number(std::int64_t number);
  void unsigned_number(std::uint64_t number);

  std::string& out_;
  bool comma_ = false;  // the next member or element needs a comma before it
};

}  // namespace rwin::app
