#include "rules/template.h"

#include <algorithm>

namespace rwin::rules {
namespace {

void append_value(std::string& out, std::string_view name, const FixValues& values) {
  const auto number = [&out](std::uint64_t value) { out += std::to_string(value); };
  if (name == "window") return number(values.window);
  if (name == "window_now") return number(values.window_now);
  if (name == "buffer") return number(values.buffer);
  if (name == "rmem_max") return number(std::max<std::uint64_t>(values.buffer, 212'992));
  if (name == "cap") return number(values.cap);
  if (name == "flight") return number(values.flight);
  if (name == "mss") return number(values.mss);
  if (name == "connections") return number(values.connections);
  if (name == "connections_16") return number(std::min(values.connections, 16U));
  if (name == "shift") return number(values.shift);
  if (name == "host_port") return number(values.host_port);
  if (name == "peer_port") return number(values.peer_port);
  if (name == "autotuning") out += values.window > 16'776'960 ? "experimental" : "normal";
  if (name == "host") out += values.host;
  if (name == "peer") out += values.peer;
  if (name == "peer_ss") out += values.peer_ss;
}

}  // namespace

std::string fill(std::string_view text, const FixValues& values) {
  return fill_with(
      text, [&](std::string& out, std::string_view name) { append_value(out, name, values); });
}

std::string check_template(std::string_view text, std::span<const std::string_view> known) {
  while (true) {
    const auto brace =
        std::find_if(text.begin(), text.end(), [](char c) { return c == '{' || c == '}'; });
    if (brace == text.end()) return {};
    const auto open = static_cast<std::size_t>(brace - text.begin());
    if (text[open] == '}') return "'}' without '{'";
    const std::size_t close = text.find('}', open);
    if (close == std::string_view::npos) return "'{' without '}'";
    const std::string_view name = text.substr(open + 1, close - open - 1);
    if (std::find(known.begin(), known.end(), name) == known.end()) {
      return "unknown placeholder {" + std::string(name) + "}";
    }
    text.remove_prefix(close + 1);
  }
}

}  // namespace rwin::rules
