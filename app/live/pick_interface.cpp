#include "app/live/pick_interface.h"

#include <fmt/format.h>

#include <algorithm>
#include <istream>
#include <ostream>

#include "text/text.h"
#include "text/units.h"

namespace rwin::app {
namespace {

// Up, then all of them at once, then loopback, then what is down.
int place_in_list(const capture::InterfaceInfo& i) {
  if (!i.up) return 3;
  return i.loopback ? 2 : i.name == "any" ? 1 : 0;
}

std::string_view state_text(const capture::InterfaceInfo& i) {
  if (i.name == "any") return "all interfaces at once";
  if (!i.up) return "down";
  return i.loopback ? "this host to itself" : "up";
}

}  // namespace

std::optional<std::string> pick_interface(std::vector<capture::InterfaceInfo> interfaces,
                                          std::istream& in, std::ostream& out) {
  if (interfaces.empty()) return std::nullopt;
  std::stable_sort(interfaces.begin(), interfaces.end(), [](const auto& a, const auto& b) {
    return place_in_list(a) < place_in_list(b);
  });
  out << "rwin: which interface to watch? (rwin FILE reads a capture, rwin --help tells the "
         "rest)\n";
  for (std::size_t i = 0; i < interfaces.size(); ++i)
    out << fmt::format("{:>4}  {:<16}{}\n", i + 1, escape_terminal(interfaces[i].name, true),
                       state_text(interfaces[i]));
  for (;;) {
    out << "number or name, Enter for 1, q to quit: " << std::flush;
    std::string line;
    if (!std::getline(in, line) || line == "q") return std::nullopt;
    if (line.empty()) return interfaces[0].name;
    for (const capture::InterfaceInfo& i : interfaces) {
      if (i.name == line) return line;
    }
    if (const auto number = parse_count(line, 1, interfaces.size()))
      return interfaces[*number - 1].name;
  }
}

}  // namespace rwin::app
