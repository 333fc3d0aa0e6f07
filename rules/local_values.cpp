#include "rules/local_values.h"

#include <string_view>

#include "rules/host_facts.h"

namespace rwin::rules {
namespace {

constexpr std::string_view kCall = "sysctl -w ";

// KEY=VALUE or KEY="VALUE" at the start of `text`.
bool take_assignment(std::string_view text, std::string_view& key, std::string_view& value) {
  const std::size_t equals = text.find('=');
  if (equals == std::string_view::npos || text.find(' ') < equals) return false;
  key = text.substr(0, equals);
  value = text.substr(equals + 1);
  const bool quoted = !value.empty() && value.front() == '"';
  if (quoted) value.remove_prefix(1);
  value = value.substr(0, value.find_first_of(quoted ? "\"" : " \t"));
  return !key.empty() && !value.empty();
}

}  // namespace

std::vector<std::string> now_and_new(const Advice& advice, const LocalValues& values) {
  std::vector<std::string> out;
  for (const std::string& line : advice.change) {
    const std::size_t call = line.find(kCall);
    if (call == std::string::npos || line.rfind('#', call) != std::string::npos) continue;
    std::string_view key;
    std::string_view value;
    if (!take_assignment(std::string_view(line).substr(call + kCall.size()), key, value)) continue;
    const auto now = values.find(key);
    if (now == values.end()) continue;
    const std::string before = one_blank(now->second);
    const std::string after = one_blank(value);
    std::string& line_of_key = out.emplace_back(key);
    if (before == after)
      line_of_key.append(" is ").append(after).append(" already");
    else
      line_of_key.append(": ").append(before).append(" -> ").append(after);
  }
  return out;
}

}  // namespace rwin::rules
