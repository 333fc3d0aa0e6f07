// Names that others chose (files, hosts, processes): they neither steer a terminal nor break a
// document nor run as a formula.
#include <nlohmann/json.hpp>
#include <string>

#include "app/json_writer.h"
#include "app/report.h"
#include "fuzz/targets.h"
#include "text/shell.h"
#include "text/text.h"

namespace rwin::fuzz {
namespace {

bool steers(char32_t c) {
  return c < 0x20 || (c >= 0x7f && c < 0xa0) || (c >= 0x202a && c <= 0x202e) ||
         (c >= 0x2066 && c <= 0x2069) || c == 0x200e || c == 0x200f || c == 0x061c;
}

void check_terminal(const std::string& name, bool ascii) {
  const std::string safe = escape_terminal(name, ascii);
  std::string_view rest = safe;
  while (!rest.empty()) {
    char32_t c = 0;
    const std::size_t length = utf8_sequence(rest, c);
    require(length > 0, "a terminal gets valid UTF-8");
    require(!steers(c), "nothing steers the terminal");
    require(!ascii || c < 0x7f, "7-bit where that is asked for");
    rest.remove_prefix(length);
  }
}

// The value that a reader of RFC 4180 gets from a field.
std::string csv_value(const std::string& field) {
  if (field.empty() || field.front() != '"') {
    require(field.find_first_of(",\"\r\n") == std::string::npos, "a plain field stays one field");
    return field;
  }
  require(field.size() >= 2 && field.back() == '"', "a quoted field is closed");
  std::string value;
  for (std::size_t i = 1; i + 1 < field.size(); ++i) {
    if (field[i] == '"') {
      ++i;
      require(i + 1 < field.size() && field[i] == '"', "quotes inside are doubled");
    }
    value += field[i];
  }
  return value;
}

// What a POSIX shell makes of one word: plain characters, and single quotes with \\' between them.
std::string shell_value(const std::string& text) {
  std::string value;
  bool inside = false;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] == '\'') {
      inside = !inside;
    } else if (!inside && text[i] == '\\') {
      ++i;
      require(i < text.size(), "a backslash escapes something");
      value += text[i];
    } else {
      require(inside || std::string_view(" \t\n;&|<>()$`\"*?[]#~!{}").find(text[i]) ==
                            std::string_view::npos,
              "nothing outside of quotes means anything to a shell");
      value += text[i];
    }
  }
  require(!inside && !text.empty(), "quotes are closed, and a word is there");
  return value;
}

}  // namespace

void outside_text(Input input) {
  const std::string name(input.begin(), input.end());
  check_terminal(name, false);
  check_terminal(name, true);

  std::string field;
  app::append_csv_text(field, name);
  const std::string value = csv_value(field);
  const bool formula = value.find_first_of("=+-@\t\r") == 0;
  require(!formula, "a spreadsheet runs nothing");
  const std::string shown = escape_terminal(name, false);
  require(value == shown || value == "'" + shown, "and the name is all there");

  require(shell_value(shell_word(name)) == name, "a shell gets the name");

  std::string document;
  app::JsonWriter json(document);
  json.begin_object();
  json.field("name", name);
  json.end_object();
  require(nlohmann::json::accept(document), "JSON stays valid");
  require(escape_terminal(document, false) == document, "and steers no terminal");
}

}  // namespace rwin::fuzz
