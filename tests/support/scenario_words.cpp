#include "tests/support/scenario_words.h"

#include <array>
#include <charconv>
#include <cmath>
#include <sstream>

#include "tests/support/scenario.h"

namespace rwin::test {
namespace {

struct NamedUnit {
  const char* name;
  double factor;
};
// Times in nanoseconds, sizes in bytes, rates in bit/s.
constexpr std::array<NamedUnit, 20> kUnits = {
    {{"ns", 1},   {"us", 1e3},   {"ms", 1e6},     {"s", 1e9},      {"min", 60e9},
     {"B", 1},    {"kB", 1e3},   {"KiB", 1024},   {"MB", 1e6},     {"MiB", 1048576},
     {"GB", 1e9}, {"bit/s", 1},  {"kbit/s", 1e3}, {"Mbit/s", 1e6}, {"Gbit/s", 1e9},
     {"B/s", 8},  {"kB/s", 8e3}, {"MB/s", 8e6},   {"%", 0.01},     {"", 1}}};

bool ipv4(const std::string& text, analysis::Address& out) {
  std::istringstream in(text);
  std::string part;
  std::size_t i = 0;
  while (std::getline(in, part, '.')) {
    int v = -1;
    const auto r = std::from_chars(part.data(), part.data() + part.size(), v);
    if (r.ec != std::errc{} || r.ptr != part.data() + part.size() || v < 0 || v > 255 || i > 3)
      return false;
    out.bytes[i++] = static_cast<std::uint8_t>(v);
  }
  out.family = 4;
  return i == 4;
}

}  // namespace

std::optional<double> quantity(const std::string& text) {
  double value = 0;
  const char* begin = text.c_str();
  if (*begin == '+') ++begin;
  const auto r = std::from_chars(begin, text.c_str() + text.size(), value);
  if (r.ec != std::errc{} || r.ptr == begin) return std::nullopt;
  for (const NamedUnit& u : kUnits) {
    if (std::string(r.ptr) == u.name) return value * u.factor;
  }
  return std::nullopt;
}

void Words::fail(const std::string& what) const { throw ScenarioError(place_ + ": " + what); }

const std::string& Words::peek() const {
  static const std::string kNone;
  return empty() ? kNone : words_[at_];
}

bool Words::peek_is_quantity() const { return test::quantity(peek()).has_value(); }

std::string Words::rest() const {
  std::string out;
  for (std::size_t i = at_; i < words_.size(); ++i) out += (out.empty() ? "" : " ") + words_[i];
  return out;
}

bool Words::take(const std::string& word) {
  if (empty() || words_[at_] != word) return false;
  ++at_;
  return true;
}

void Words::must(const std::string& word) {
  if (!take(word)) fail("'" + word + "' is expected" + (empty() ? "" : ", not '" + peek() + "'"));
}

void Words::done() const {
  if (!empty()) fail("'" + peek() + "' is not understood here");
}

std::string Words::next(const std::string& what) {
  if (empty()) fail(what + " is missing");
  return words_[at_++];
}

std::vector<std::string> Words::all() {
  std::vector<std::string> out(words_.begin() + static_cast<std::ptrdiff_t>(at_), words_.end());
  at_ = words_.size();
  return out;
}

std::string Words::longest(const std::vector<std::string>& names) {
  std::string best;
  const std::string line = rest() + " ";
  for (const std::string& n : names) {
    if (n.size() > best.size() && line.starts_with(n + " ")) best = n;
  }
  for (std::size_t left = best.size(); left > 0;) {
    const std::size_t length = words_[at_++].size();
    left -= std::min(left, length + 1);
  }
  return best;
}

std::int64_t Words::integer(std::int64_t low, std::int64_t high) {
  const std::string text = next("a number");
  const char* begin = text.c_str() + (text[0] == '+' ? 1 : 0);
  const char* end = text.c_str() + text.size();
  std::int64_t v = 0;
  const auto r = std::from_chars(begin, end, v);
  if (r.ec != std::errc{} || r.ptr != end) fail("'" + text + "' is no whole number");
  if (v < low || v > high) fail("'" + text + "' is out of range");
  return v;
}

double Words::quantity(const std::string& what) {
  const std::string text = next(what);
  const auto v = test::quantity(text);
  if (!v) fail("'" + text + "' is no " + what);
  return *v;
}

std::int64_t Words::time() { return as_time(next("a time")); }

std::int64_t Words::as_time(const std::string& text) const {
  const auto v = test::quantity(text);
  const bool has_unit = text.find('s') != std::string::npos || text.ends_with("min");
  if (!v || (!has_unit && *v != 0)) fail("'" + text + "' is no time: 20ms");
  return std::llround(*v);
}

std::int64_t Words::size() {
  const double v = quantity("size");
  return std::llround(v);
}

analysis::Address Words::address() {
  const std::string text = next("a host");
  analysis::Address out;
  if (!ipv4(text, out)) fail("'" + text + "' is no IPv4 address");
  return out;
}

analysis::Endpoint Words::endpoint() {
  const std::string text = next("address:port");
  analysis::Endpoint out;
  const auto colon = text.rfind(':');
  if (colon == std::string::npos || !ipv4(text.substr(0, colon), out.address))
    fail("'" + text + "' is no IPv4 address with a port");
  const std::string port = text.substr(colon + 1);
  int v = 0;
  const auto r = std::from_chars(port.data(), port.data() + port.size(), v);
  if (r.ec != std::errc{} || r.ptr != port.data() + port.size() || v < 1 || v > 65535)
    fail("'" + port + "' is no port");
  out.port = static_cast<std::uint16_t>(v);
  return out;
}

}  // namespace rwin::test
