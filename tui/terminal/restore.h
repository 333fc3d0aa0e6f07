// Gives the terminal back, whatever ends the program. Inside tui/terminal only.
#pragma once

#include <string>

namespace rwin::tui {

// Remembers how the terminal of `fd` is now, and `reset`, the bytes that end the dashboard's mode;
// catches deadly signals. Before the terminal is changed.
void guard_terminal(int fd, const std::string& reset);
// The bytes may depend on what the terminal can: set again once it is known.
void set_reset_bytes(const std::string& reset);
// The terminal was given back in an orderly way.
void release_guard();

// SIGINT, SIGTERM, SIGHUP and SIGWINCH as bytes (their numbers) to read from the descriptor that
// comes back; -1: no descriptor could be had.
int catch_signals();
void release_signals();

}  // namespace rwin::tui
