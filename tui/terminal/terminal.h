// The terminal: pictures out, keys in. Whatever ends the program, the terminal is as it was before:
// by close(), by the destructor, at exit(), and in the handler of deadly signals. The only folder
// that knows ncurses.
#pragma once

#include <memory>
#include <string>
#include <string_view>

#include "tui/model/key.h"
#include "tui/model/model.h"
#include "tui/paint/canvas.h"

namespace rwin::tui {

enum class Theme : std::uint8_t { none, dark, light };

struct TerminalOptions {
  Theme theme = Theme::dark;
  bool mouse = true;
};

struct Event {
  enum class What : std::uint8_t {
    nothing,  // the time is up, or the wake descriptor is readable
    key,
    mouse,
    resized,
    stop,    // SIGINT, SIGTERM
    closed,  // the terminal is gone (SIGHUP, end of file)
  } what = What::nothing;
  Key key = key::kNone;
  Mouse mouse;
};

class Terminal {
 public:
  // Takes over the terminal; there may be one at a time. Null with a reason in `error`: no
  // terminal, or one that cannot move its cursor. Signals SIGINT, SIGTERM, SIGHUP, SIGWINCH are its
  // own until it is closed.
  static std::unique_ptr<Terminal> open(const TerminalOptions& options, std::string& error);
  ~Terminal();
  Terminal(const Terminal&) = delete;
  Terminal& operator=(const Terminal&) = delete;

  [[nodiscard]] int width() const;
  [[nodiscard]] int height() const;
  // Draws what is different from the last picture.
  void draw(const Canvas& canvas);
  // The next event; waits at most `timeout_ms`.
  Event wait(int timeout_ms);
  // Everything is drawn anew by the next draw().
  void forget();
  // To the shell, and back after SIGCONT.
  void suspend();
  // Into the clipboard of the terminal (OSC 52), also through ssh; whether it takes it cannot be
  // known.
  void copy(std::string_view text);
  void close();

 private:
  Terminal() = default;
  struct State;
  std::unique_ptr<State> state_;
};

// Light or dark background as COLORFGBG tells it; dark where it does not. `text`: the value of the
// variable.
Theme theme_from_colorfgbg(std::string_view text);
std::string base64(std::string_view bytes);

}  // namespace rwin::tui
