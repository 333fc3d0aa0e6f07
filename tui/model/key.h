// Keys, the commands behind them, and the one table from which the dispatcher, the help, the manual
// page and the tests are made.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>

namespace rwin::tui {

// A key press: a Unicode character, or one of these.
using Key = char32_t;
namespace key {
inline constexpr Key kUp = 0x110000, kDown = 0x110001, kLeft = 0x110002, kRight = 0x110003,
                     kPageUp = 0x110004, kPageDown = 0x110005, kHome = 0x110006, kEnd = 0x110007,
                     kF1 = 0x110008, kEnter = '\r', kEscape = 0x1b, kTab = '\t', kBackspace = 0x7f,
                     kCtrlC = 0x03, kCtrlL = 0x0c, kCtrlZ = 0x1a, kNone = 0x11ffff;
}  // namespace key

enum class Command : std::uint8_t {
  none,
  up,
  down,
  page_up,
  page_down,
  top,
  bottom,
  left,
  right,
  open,
  back,
  next_screen,
  screen_flows,
  screen_flow,
  screen_fix,
  screen_hosts,
  previous_flow,
  next_flow,
  pause,
  follow,
  lock_order,
  sort_next,
  sort_previous,
  sort_turn,
  filter,
  capture_filter,
  plus,
  minus,
  earlier,
  later,
  names,
  units,
  show_closed,
  clear_closed,
  diagnosis,
  copy,
  save,
  save_packets,
  help,
  redraw,
  suspend,
  quit,
  quit_report,
};

enum class Group : std::uint8_t { move, screens, list, time, fix, program };
std::string_view heading(Group group);

struct KeySpec {
  Command command;
  Group group;
  std::string_view keys;  // as people read them, blanks between: "up k"
  std::string_view help;  // what it does, at most 44 characters
};
std::span<const KeySpec> key_table();

// The command of a key, none where there is none. The same on every screen.
Command command_of(Key key);
// "up", "ctrl-l", "space", "j"; empty when there is no such key.
std::string name_of(Key key);
// The key of a name in the table; key::kNone when there is no such name.
Key key_of(std::string_view name);

}  // namespace rwin::tui
