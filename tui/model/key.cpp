#include "tui/model/key.h"

#include <array>

namespace rwin::tui {
namespace {

constexpr std::array kTable = {
    KeySpec{Command::up, Group::move, "up k", "one up"},
    KeySpec{Command::down, Group::move, "down j", "one down"},
    KeySpec{Command::page_up, Group::move, "pgup", "a page up"},
    KeySpec{Command::page_down, Group::move, "pgdn", "a page down"},
    KeySpec{Command::top, Group::move, "home g", "to the first; on Flow: to the beginning"},
    KeySpec{Command::bottom, Group::move, "end G", "to the last; on Flow: to the newest"},
    KeySpec{Command::left, Group::move, "left h", "columns; Flow: back in time; Fix: other fix"},
    KeySpec{Command::right, Group::move, "right l", "columns; Flow: on in time; Fix: other fix"},
    KeySpec{Command::open, Group::screens, "enter", "open what is selected"},
    KeySpec{Command::back, Group::screens, "esc", "back; ends a filter, a box, a time in the past"},
    KeySpec{Command::next_screen, Group::screens, "tab", "next screen"},
    KeySpec{Command::screen_flows, Group::screens, "1", "Flows: all transfers, the worst first"},
    KeySpec{Command::screen_flow, Group::screens, "2", "Flow: one transfer over time"},
    KeySpec{Command::screen_fix, Group::screens, "3", "Fix: what limits it, and what to change"},
    KeySpec{Command::screen_hosts, Group::screens, "4",
            "Hosts: by receiver, parallel streams added"},
    KeySpec{Command::diagnosis, Group::screens, "d", "Fix of what is selected"},
    KeySpec{Command::previous_flow, Group::screens, "[", "the flow before"},
    KeySpec{Command::next_flow, Group::screens, "]", "the flow after"},
    KeySpec{Command::filter, Group::list, "/", "filter: limit: host: port: state: process:"},
    KeySpec{Command::sort_next, Group::list, "s >", "sort by the next column"},
    KeySpec{Command::sort_previous, Group::list, "<", "sort by the column before"},
    KeySpec{Command::sort_turn, Group::list, "S", "turn the order round"},
    KeySpec{Command::follow, Group::list, "f", "the selection follows its flow"},
    KeySpec{Command::lock_order, Group::list, "o", "lock the order of the rows"},
    KeySpec{Command::show_closed, Group::list, "c", "hide or show closed flows"},
    KeySpec{Command::clear_closed, Group::list, "x", "clear closed flows (asks once)"},
    KeySpec{Command::names, Group::list, "n", "names of hosts (asks the name server)"},
    KeySpec{Command::units, Group::list, "u", "bits or bytes a second"},
    KeySpec{Command::pause, Group::time, "space p", "hold the picture, the capture goes on"},
    KeySpec{Command::earlier, Group::time, ",", "back in time, on every screen"},
    KeySpec{Command::later, Group::time, ".", "on in time, on every screen"},
    KeySpec{Command::plus, Group::time, "+ =", "Flow: zoom in; Fix: higher target rate"},
    KeySpec{Command::minus, Group::time, "-", "Flow: zoom out; Fix: lower target rate"},
    KeySpec{Command::copy, Group::fix, "y", "copy the fix to the clipboard"},
    KeySpec{Command::save, Group::fix, "w", "save report and JSON, say where"},
    KeySpec{Command::save_packets, Group::program, "W",
            "save packets from now on; again: end (live)"},
    KeySpec{Command::capture_filter, Group::program, "F", "change the capture filter (live)"},
    KeySpec{Command::help, Group::program, "? F1", "this help"},
    KeySpec{Command::redraw, Group::program, "ctrl-l", "draw everything anew"},
    KeySpec{Command::suspend, Group::program, "ctrl-z", "to the shell; fg comes back"},
    KeySpec{Command::quit, Group::program, "q ctrl-c", "quit; a short verdict stays"},
    KeySpec{Command::quit_report, Group::program, "Q", "quit; the full report stays"},
};

struct Named {
  std::string_view name;
  Key key;
};
constexpr std::array kNames = {
    Named{"up", key::kUp},
    Named{"down", key::kDown},
    Named{"left", key::kLeft},
    Named{"right", key::kRight},
    Named{"pgup", key::kPageUp},
    Named{"pgdn", key::kPageDown},
    Named{"home", key::kHome},
    Named{"end", key::kEnd},
    Named{"enter", key::kEnter},
    Named{"esc", key::kEscape},
    Named{"tab", key::kTab},
    Named{"space", ' '},
    Named{"F1", key::kF1},
    Named{"ctrl-c", key::kCtrlC},
    Named{"ctrl-l", key::kCtrlL},
    Named{"ctrl-z", key::kCtrlZ},
    Named{"backspace", key::kBackspace},
};

// Calls `f` with each word of `keys`; stops when it returns true.
template <class F>
bool any_word(std::string_view keys, F f) {
  while (!keys.empty()) {
    const std::size_t end = std::min(keys.find(' '), keys.size());
    if (f(keys.substr(0, end))) return true;
    keys.remove_prefix(std::min(end + 1, keys.size()));
  }
  return false;
}

}  // namespace

std::string_view heading(Group group) {
  switch (group) {
    case Group::move:
      return "Moving";
    case Group::screens:
      return "Screens";
    case Group::list:
      return "List";
    case Group::time:
      return "Time";
    case Group::fix:
      return "Fix";
    case Group::program:
      return "Program";
  }
  return {};
}

std::span<const KeySpec> key_table() { return kTable; }

Command command_of(Key k) {
  if (k == '\n') k = key::kEnter;
  if (k == key::kNone) return Command::none;
  for (const KeySpec& spec : kTable) {
    if (any_word(spec.keys, [&](std::string_view name) { return key_of(name) == k; }))
      return spec.command;
  }
  return Command::none;
}

std::string name_of(Key k) {
  for (const Named& named : kNames) {
    if (named.key == k) return std::string(named.name);
  }
  return k > ' ' && k < 0x7f ? std::string(1, static_cast<char>(k)) : std::string();
}

Key key_of(std::string_view name) {
  for (const Named& named : kNames) {
    if (named.name == name) return named.key;
  }
  return name.size() == 1 ? static_cast<Key>(static_cast<unsigned char>(name[0])) : key::kNone;
}

}  // namespace rwin::tui
