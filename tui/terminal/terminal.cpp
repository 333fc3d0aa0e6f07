#include "tui/terminal/terminal.h"

#include <curses.h>
#include <fcntl.h>
#include <poll.h>
#include <sys/ioctl.h>
#include <term.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cwchar>
#include <optional>

#include "tui/terminal/colours.h"
#include "tui/terminal/restore.h"

// curses.h makes macros of words that are used here.
#undef timeout

namespace rwin::tui {

struct Terminal::State {
  TerminalOptions options;
  FILE* in = nullptr;
  FILE* out = nullptr;
  SCREEN* screen = nullptr;
  int signals = -1;
  std::optional<Canvas> drawn;
};

namespace {

// Terminal descriptions may carry "$<5>": delays that nothing needs today.
std::string capability(const char* name) {
  const char* value = tigetstr(const_cast<char*>(name));
  if (value == nullptr || reinterpret_cast<std::intptr_t>(value) == -1) return {};
  std::string text(value);
  for (std::size_t at = 0; (at = text.find("$<", at)) != std::string::npos;) {
    const std::size_t end = text.find('>', at);
    if (end == std::string::npos) break;
    text.erase(at, end - at + 1);
  }
  return text;
}

constexpr std::string_view kMouseOff = "\033[?1000l\033[?1002l\033[?1003l\033[?1006l";

// From every mode of the dashboard back: mouse, keypad, colours, cursor, alternate screen.
std::string bytes_that_reset() {
  return std::string(kMouseOff) + capability("rmkx") + capability("sgr0") + capability("cnorm") +
         capability("rmcup");
}

Key special_key(wint_t code) {
  switch (code) {
    case KEY_UP:
      return key::kUp;
    case KEY_DOWN:
      return key::kDown;
    case KEY_LEFT:
      return key::kLeft;
    case KEY_RIGHT:
      return key::kRight;
    case KEY_PPAGE:
      return key::kPageUp;
    case KEY_NPAGE:
      return key::kPageDown;
    case KEY_HOME:
      return key::kHome;
    case KEY_END:
      return key::kEnd;
    case KEY_F(1):
      return key::kF1;
    case KEY_ENTER:
      return key::kEnter;
    case KEY_BACKSPACE:
      return key::kBackspace;
    default:
      return key::kNone;
  }
}

std::optional<Mouse> read_mouse() {
  MEVENT event;
  if (getmouse(&event) != OK) return std::nullopt;
  Mouse mouse;
  mouse.x = event.x;
  mouse.y = event.y;
  if ((event.bstate & BUTTON4_PRESSED) != 0) {
    mouse.what = Mouse::What::wheel_up;
  } else if ((event.bstate & BUTTON5_PRESSED) != 0) {
    mouse.what = Mouse::What::wheel_down;
  } else if ((event.bstate & (BUTTON1_PRESSED | BUTTON1_CLICKED)) == 0) {
    return std::nullopt;
  }
  return mouse;
}

// The terminal itself where standard input or output is something else (a capture comes through a
// pipe).
FILE* open_side(int fd, const char* mode) {
  if (isatty(fd) == 1) return fdopen(dup(fd), mode);
  return std::fopen("/dev/tty", mode);
}

}  // namespace

std::unique_ptr<Terminal> Terminal::open(const TerminalOptions& options, std::string& error) {
  std::unique_ptr<Terminal> terminal(new Terminal());
  terminal->state_ = std::make_unique<State>();
  State& s = *terminal->state_;
  s.options = options;
  s.in = open_side(STDIN_FILENO, "r");
  s.out = open_side(STDOUT_FILENO, "w");
  if (s.in == nullptr || s.out == nullptr) {
    error = "there is no terminal";
    return nullptr;
  }
  guard_terminal(fileno(s.out), "");
  s.screen = newterm(nullptr, s.out, s.in);
  if (s.screen == nullptr) {
    release_guard();
    const char* name = std::getenv("TERM");
    error = "the terminal type " + std::string(name == nullptr ? "(none)" : name) + " is not known";
    return nullptr;
  }
  set_reset_bytes(bytes_that_reset());
  set_term(s.screen);
  prepare_colours(options.theme);
  raw();  // ctrl-c and ctrl-z come as keys
  noecho();
  nonl();
  curs_set(0);
  keypad(stdscr, TRUE);
  nodelay(stdscr, TRUE);
  set_escdelay(25);
  if (options.mouse) {
    mousemask(BUTTON1_PRESSED | BUTTON1_CLICKED | BUTTON4_PRESSED | BUTTON5_PRESSED, nullptr);
    mouseinterval(0);
  }
  s.signals = catch_signals();
  return terminal;
}

Terminal::~Terminal() { close(); }

void Terminal::close() {
  if (!state_) return;
  if (state_->screen != nullptr) {
    endwin();
    release_guard();
    release_signals();
    delscreen(state_->screen);
  }
  if (state_->in != nullptr) std::fclose(state_->in);
  if (state_->out != nullptr) std::fclose(state_->out);
  state_.reset();
}

int Terminal::width() const { return getmaxx(stdscr); }
int Terminal::height() const { return getmaxy(stdscr); }

void Terminal::forget() {
  state_->drawn.reset();
  clearok(stdscr, TRUE);
}

void Terminal::draw(const Canvas& canvas) {
  State& s = *state_;
  const bool whole =
      !s.drawn || s.drawn->width() != canvas.width() || s.drawn->height() != canvas.height();
  if (!whole && *s.drawn == canvas) return;
  if (whole) erase();
  for (int y = 0; y < canvas.height(); ++y) {
    for (int x = 0; x < canvas.width(); ++x) {
      const Cell& cell = canvas.at(x, y);
      if (!whole && s.drawn->at(x, y) == cell) continue;
      // Everything is one cell wide; what is not would shift the rest of the line.
      const auto wide = static_cast<wchar_t>(cell.glyph);
      const wchar_t text[2] = {wcwidth(wide) == 1 ? wide : L'?', L'\0'};
      const Shown how = shown(cell, s.options.theme);
      cchar_t c;
      setcchar(&c, text, static_cast<attr_t>(how.attributes), how.pair, nullptr);
      mvadd_wch(y, x, &c);
    }
  }
  refresh();
  s.drawn = canvas;
}

Event Terminal::wait(int timeout_ms) {
  State& s = *state_;
  Event event;
  // A key may be waiting inside ncurses.
  for (int turn = 0; turn < 2; ++turn) {
    wint_t code = 0;
    const int kind = get_wch(&code);
    if (kind == OK) {
      event.what = Event::What::key;
      event.key = static_cast<Key>(code);
      return event;
    }
    if (kind == KEY_CODE_YES && code == KEY_MOUSE) {
      if (const auto mouse = read_mouse()) {
        event.what = Event::What::mouse;
        event.mouse = *mouse;
      }
      return event;
    }
    if (kind == KEY_CODE_YES) {
      event.what = Event::What::key;
      event.key = special_key(code);
      return event;
    }
    if (turn == 1) break;
    pollfd fds[2] = {{fileno(s.in), POLLIN, 0}, {s.signals, POLLIN, 0}};
    if (poll(fds, s.signals >= 0 ? 2 : 1, timeout_ms) <= 0) return event;
    if ((fds[1].revents & POLLIN) != 0) {
      char number = 0;
      if (read(s.signals, &number, 1) != 1) return event;
      if (number == SIGWINCH) {
        // A storm of them is one change.
        while (read(s.signals, &number, 1) == 1 && number == SIGWINCH) {
        }
        winsize size{};
        if (ioctl(fileno(s.out), TIOCGWINSZ, &size) == 0 && size.ws_row > 0 && size.ws_col > 0)
          resizeterm(size.ws_row, size.ws_col);
        s.drawn.reset();
        clearok(stdscr, TRUE);
        event.what = Event::What::resized;
        if (number == SIGWINCH) return event;
      }
      event.what = number == SIGHUP ? Event::What::closed : Event::What::stop;
      return event;
    }
    if ((fds[0].revents & (POLLHUP | POLLERR | POLLNVAL)) != 0 && (fds[0].revents & POLLIN) == 0) {
      event.what = Event::What::closed;
      return event;
    }
    if ((fds[0].revents & POLLIN) != 0) {
      // Readable, and nothing to read: the other side is gone.
      int bytes = 0;
      if (ioctl(fileno(s.in), FIONREAD, &bytes) != 0 ||
          (bytes == 0 && (fds[0].revents & POLLHUP) != 0)) {
        event.what = Event::What::closed;
        return event;
      }
    }
  }
  return event;
}

void Terminal::suspend() {
  endwin();
  raise(SIGSTOP);
  // Here again after SIGCONT.
  forget();
  refresh();
}

void Terminal::copy(std::string_view text) {
  std::fputs(("\033]52;c;" + base64(text) + "\a").c_str(), state_->out);
  std::fflush(state_->out);
}

std::string base64(std::string_view bytes) {
  static constexpr std::string_view kDigits =
      "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  std::string out;
  for (std::size_t i = 0; i < bytes.size(); i += 3) {
    std::uint32_t group = 0;
    const std::size_t count = std::min<std::size_t>(3, bytes.size() - i);
    for (std::size_t k = 0; k < 3; ++k)
      group = group << 8 | (k < count ? static_cast<unsigned char>(bytes[i + k]) : 0U);
    for (std::size_t k = 0; k < 4; ++k)
      out += k <= count ? kDigits[group >> (18 - 6 * k) & 63] : '=';
  }
  return out;
}

}  // namespace rwin::tui
