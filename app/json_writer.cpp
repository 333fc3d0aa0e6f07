#include "app/json_writer.h"

#include <array>
#include <charconv>
#include <cmath>

#include "text/text.h"

namespace rwin::app {
namespace {

constexpr double kLargestWhole = 9007199254740992.0;  // 2^53: above it doubles skip integers

// `c` is below U+10000.
void append_escaped(std::string& out, char32_t c) {
  static constexpr std::string_view kHex = "0123456789abcdef";
  switch (c) {
    case '"':
      out += "\\\"";
      return;
    case '\\':
      out += "\\\\";
      return;
    case '\n':
      out += "\\n";
      return;
    case '\r':
      out += "\\r";
      return;
    case '\t':
      out += "\\t";
      return;
    default:
      out += "\\u";
      for (const int shift : {12, 8, 4, 0}) out += kHex[(c >> shift) & 15];
  }
}

template <class T>
void append_number(std::string& out, T number) {
  std::array<char, 32> digits;
  const auto [end, error] = std::to_chars(digits.data(), digits.data() + digits.size(), number);
  out.append(digits.data(), end);
}

}  // namespace

void JsonWriter::separate() {
  if (comma_) out_ += ',';
  comma_ = true;
}

void JsonWriter::open(char bracket) {
  separate();
  out_ += bracket;
  comma_ = false;
}

void JsonWriter::close(char bracket) {
  out_ += bracket;
  comma_ = true;
}

void JsonWriter::line() {
  if (comma_) out_ += ',';
  comma_ = false;
  out_ += '\n';
}

void JsonWriter::key(std::string_view name) {
  separate();
  out_ += '"';
  out_ += name;
  out_ += "\":";
  comma_ = false;
}

void JsonWriter::value(std::string_view text) {
  separate();
  out_ += '"';
  while (!text.empty()) {
    // The usual case first: a run of bytes that stand for themselves.
    std::size_t plain = 0;
    while (plain < text.size()) {
      const auto c = static_cast<unsigned char>(text[plain]);
      if (c < 0x20 || c >= 0x7F || c == '"' || c == '\\') break;
      ++plain;
    }
    out_.append(text.substr(0, plain));
    text.remove_prefix(plain);
    if (text.empty()) break;
    char32_t code_point = 0;
    const std::size_t length = utf8_sequence(text, code_point);
    if (length == 0) {
      out_ += "\xEF\xBF\xBD";  // U+FFFD
      text.remove_prefix(1);
    } else {
      if (length == 1 || steers_terminal(code_point)) {
        append_escaped(out_, code_point);
      } else {
        out_.append(text.substr(0, length));
      }
      text.remove_prefix(length);
    }
  }
  out_ += '"';
}

void JsonWriter::value(bool truth) {
  separate();
  out_ += truth ? "true" : "false";
}

void JsonWriter::value(double number) {
  separate();
  if (!std::isfinite(number)) {
    out_ += "null";
  } else if (std::fabs(number) <= kLargestWhole && number == std::trunc(number)) {
    append_number(out_, static_cast<std::int64_t>(number));
  } else {
    append_number(out_, number);
  }
}

void JsonWriter::null() {
  separate();
  out_ += "null";
}

void JsonWriter::signed_number(std::int64_t number) {
  separate();
  append_number(out_, number);
}

void JsonWriter::unsigned_number(std::uint64_t number) {
  separate();
  append_number(out_, number);
}

void JsonWriter::text_or_null(std::string_view name, std::string_view text) {
  key(name);
  if (text.empty()) {
    null();
  } else {
    value(text);
  }
}

void JsonWriter::rounded_field(std::string_view name, const std::optional<double>& v) {
  key(name);
  if (v) {
    value(std::round(*v));
  } else {
    null();
  }
}

}  // namespace rwin::app
