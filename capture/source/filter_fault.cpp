// Where in a filter expression the fault is. libpcap says only "syntax error", so the place is
// found by trying.
#include <array>
#include <cctype>
#include <cstddef>
#include <string_view>

#include "capture/source/filter.h"
#include "capture/source/stream.h"

namespace rwin::capture {
namespace {

struct Word {
  std::size_t start = 0;
  std::string_view text;
};

bool is_word_char(char c) {
  return std::isalnum(static_cast<unsigned char>(c)) != 0 ||
         std::string_view("_.:/-\\*").find(c) != std::string_view::npos;
}

// Words and operators; a '-' inside a word belongs to it (tcp-syn), as in libpcap's scanner.
std::vector<Word> split(std::string_view text) {
  static constexpr std::array<std::string_view, 8> kPairs = {
      "&&", "||", "==", "!=", ">=", "<=", "<<", ">>"};
  std::vector<Word> words;
  std::size_t at = 0;
  while (at < text.size()) {
    if (std::isspace(static_cast<unsigned char>(text[at])) != 0) {
      ++at;
      continue;
    }
    std::size_t length = 1;
    if (is_word_char(text[at])) {
      while (at + length < text.size() && is_word_char(text[at + length])) ++length;
    } else {
      for (const std::string_view pair : kPairs) {
        if (text.substr(at, 2) == pair) length = 2;
      }
    }
    words.push_back({at, text.substr(at, length)});
    at += length;
  }
  return words;
}

bool is_syntax_error(const std::string& message) {
  return message.find("syntax error") != std::string::npos;
}

// Host names would be looked up again with every trial; an address stands in for them.
bool looks_like_host_name(std::string_view word, std::string_view before) {
  bool letter = false;
  bool hex_only = true;
  for (const char c : word) {
    const auto byte = static_cast<unsigned char>(c);
    letter = letter || std::isalpha(byte) != 0;
    hex_only = hex_only && (std::isxdigit(byte) != 0 || c == ':');
  }
  if (!letter || (hex_only && word.find(':') != std::string_view::npos)) return false;
  if (word.find('.') != std::string_view::npos) return true;
  static constexpr std::array<std::string_view, 14> kKeywords = {
      "host", "net", "port", "portrange", "or", "and", "src",
      "dst",  "not", "tcp",  "udp",       "ip", "ip6", "proto"};
  for (const std::string_view keyword : kKeywords) {
    if (word == keyword) return false;
  }
  return before == "host" || before == "src" || before == "dst" || before == "gateway";
}

// Can any continuation make `text` an expression? Faults of meaning ("unknown port") count as
// parsed.
bool can_go_on(const std::string& text, int open_brackets, std::uint32_t link_type) {
  static constexpr std::array<std::string_view, 14> kMore = {
      "",     " 1",     " tcp",  " host 1.2.3.4", " 1.2.3.4", " port 1", " 1:2:3:4:5:6",
      " = 1", " 1 = 1", "] = 1", " 1] = 1",       " mgt",     "(1",      " beacon"};
  const std::string close(static_cast<std::size_t>(open_brackets > 0 ? open_brackets : 0), ')');
  for (const std::string_view more : kMore) {
    for (const std::string_view end : {"", " = 1", "] = 1"}) {
      std::string trial = text;
      trial.append(more).append(close).append(end);
      if (!is_syntax_error(compile_message(trial, link_type))) return true;
    }
  }
  return false;
}

int syntax_position(const std::string& expression, std::uint32_t link_type) {
  const std::vector<Word> words = split(expression);
  if (words.size() > 200)
    return -1;  // nobody counts so far; each word costs some dozen compilations
  std::string text;
  std::string_view before;
  std::size_t copied = 0;
  int open_brackets = 0;
  for (const Word& word : words) {
    text.append(expression, copied, word.start - copied);
    text += looks_like_host_name(word.text, before) ? std::string_view("127.0.0.1") : word.text;
    copied = word.start + word.text.size();
    before = word.text;
    if (word.text == "(") ++open_brackets;
    if (word.text == ")") --open_brackets;
    if (!can_go_on(text, open_brackets, link_type)) return static_cast<int>(word.start);
  }
  return static_cast<int>(expression.size());
}

// A fault of meaning: the word that libpcap quotes, else the word that completes the shortest text
// with this fault.
int meaning_position(const std::string& expression, const std::string& message,
                     std::uint32_t link_type) {
  const std::vector<Word> words = split(expression);
  const std::size_t open = message.find('\'');
  const std::size_t close = open == std::string::npos ? open : message.find('\'', open + 1);
  if (close != std::string::npos) {
    const std::string quoted = message.substr(open + 1, close - open - 1);
    for (const Word& word : words) {
      if (word.text == quoted) return static_cast<int>(word.start);
    }
  }
  if (words.size() > 200) return -1;
  for (const Word& word : words) {
    if (compile_message(expression.substr(0, word.start + word.text.size()), link_type) ==
        message) {
      return static_cast<int>(word.start);
    }
  }
  return -1;
}

}  // namespace

int fault_position(const std::string& expression, const std::string& message,
                   std::uint32_t link_type) {
  return is_syntax_error(message) ? syntax_position(expression, link_type)
                                  : meaning_position(expression, message, link_type);
}

std::string fault_message(const std::string& expression, const std::string& message, int position) {
  if (!is_syntax_error(message) || position < 0) return printable(message);
  if (static_cast<std::size_t>(position) >= expression.size())
    return "the expression ends too early";
  for (const Word& word : split(expression)) {
    if (word.start == static_cast<std::size_t>(position)) {
      return "syntax error at '" + printable(std::string(word.text)) + "'";
    }
  }
  return printable(message);
}

}  // namespace rwin::capture
