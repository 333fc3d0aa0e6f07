#include "tui/model/filter.h"

#include <algorithm>
#include <array>

#include "text/address.h"
#include "text/limit_text.h"
#include "text/units.h"

namespace rwin::tui {
namespace {

std::string lower(std::string_view text) {
  std::string out(text);
  for (char& c : out) c = c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
  return out;
}

bool has(std::string_view text, std::string_view part) {
  return lower(text).find(part) != std::string::npos;
}

bool is_limit(std::string_view part) {
  return std::any_of(analysis::kAllLimits.begin(), analysis::kAllLimits.end(),
                     [&](analysis::Limit limit) {
                       return has(analysis::word(limit), part) ||
                              has(limit_text(limit).name, part) || has(limit_text(limit).tag, part);
                     });
}

bool host_has(const analysis::Address& address, const Names& names, std::string_view part) {
  if (has(address_text(address), part)) return true;
  const auto name = names.find(address);
  return name != names.end() && has(name->second, part);
}

bool limit_has(const Row& row, std::string_view part) {
  const rules::Verdict& v = row.assessment->verdict;
  return has(analysis::word(v.limit), part) || has(limit_text(v.limit).name, part) ||
         has(limit_text(v.limit).tag, part) || has(v.cause, part);
}

bool process_has(const Row& row, std::string_view part) {
  return row.connection->local && has(row.connection->local->process, part);
}

}  // namespace

Filter Filter::parse(std::string_view text) {
  static constexpr std::array<std::pair<std::string_view, What>, 7> kKeys = {
      {{"limit", What::limit},
       {"host", What::host},
       {"from", What::from},
       {"to", What::to},
       {"port", What::port},
       {"state", What::state},
       {"process", What::process}}};
  Filter out;
  while (!text.empty()) {
    const std::size_t end = std::min(text.find(' '), text.size());
    std::string_view part = text.substr(0, end);
    text.remove_prefix(std::min(end + 1, text.size()));
    if (part.empty()) continue;
    Word word;
    if (part.front() == '!') {
      word.turned = true;
      part.remove_prefix(1);
    }
    const std::size_t colon = part.find(':');
    for (const auto& [name, what] : kKeys) {
      if (part.substr(0, colon) == name && colon != std::string_view::npos) word.what = what;
    }
    if (word.what != What::any) part.remove_prefix(colon + 1);
    word.text = lower(part);
    const auto complain = [&](std::string_view wants) {
      if (out.fault_.empty()) out.fault_ = std::string(part) + ": " + std::string(wants);
    };
    if (part.empty()) continue;  // still being typed
    if (word.what == What::port) {
      const auto port = parse_count(part, 0, 65535);
      if (!port) complain("a port is a number to 65535");
      word.port = static_cast<unsigned>(port.value_or(0));
    } else if (word.what == What::state) {
      word.closed = word.text == "closed";
      if (!word.closed && word.text != "open") complain("a state is open or closed");
    } else if (word.what == What::limit && !is_limit(word.text) &&
               word.text.find('-') == std::string::npos) {
      complain("no limit has that in its name");
    }
    out.words_.push_back(std::move(word));
  }
  return out;
}

bool Filter::passes(const Row& row, const Names& names) const {
  if (!fault_.empty()) return true;
  const auto fits = [&](const Word& w) {
    switch (w.what) {
      case What::limit:
        return limit_has(row, w.text);
      case What::host:
        return host_has(row.sender->address, names, w.text) ||
               host_has(row.receiver->address, names, w.text);
      case What::from:
        return host_has(row.sender->address, names, w.text);
      case What::to:
        return host_has(row.receiver->address, names, w.text);
      case What::port:
        return row.sender->port == w.port || row.receiver->port == w.port;
      case What::state:
        return row.connection->closed == w.closed;
      case What::process:
        return process_has(row, w.text);
      case What::any:
        break;
    }
    return has(endpoint_text(*row.sender), w.text) || has(endpoint_text(*row.receiver), w.text) ||
           host_has(row.sender->address, names, w.text) ||
           host_has(row.receiver->address, names, w.text) || limit_has(row, w.text) ||
           process_has(row, w.text);
  };
  return std::all_of(words_.begin(), words_.end(),
                     [&](const Word& w) { return fits(w) != w.turned; });
}

}  // namespace rwin::tui
