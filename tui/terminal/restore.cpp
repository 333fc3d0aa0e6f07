#include "tui/terminal/restore.h"

#include <fcntl.h>
#include <termios.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <csignal>
#include <cstdlib>
#include <cstring>

namespace rwin::tui {
namespace {

// Only what a signal handler may touch: plain data, written before the handlers are set.
int guarded_fd = -1;
termios guarded_mode{};
bool mode_known = false;
std::array<char, 512> reset_bytes{};
volatile std::sig_atomic_t reset_length = 0;
volatile std::sig_atomic_t guarding = 0;
int signal_pipe[2] = {-1, -1};

constexpr std::array kDeadly = {SIGABRT, SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGQUIT};
constexpr std::array kCaught = {SIGINT, SIGTERM, SIGHUP, SIGWINCH};
std::array<struct sigaction, kDeadly.size()> before_deadly{};
std::array<struct sigaction, kCaught.size()> before_caught{};

void write_all(int fd, const char* bytes, std::size_t length) {
  while (length > 0) {
    const ssize_t n = write(fd, bytes, length);
    if (n < 0 && errno == EINTR) continue;
    if (n <= 0) return;
    bytes += n;
    length -= static_cast<std::size_t>(n);
  }
}

void restore() {
  if (guarding == 0) return;
  guarding = 0;
  write_all(guarded_fd, reset_bytes.data(), static_cast<std::size_t>(reset_length));
  if (mode_known) tcsetattr(guarded_fd, TCSANOW, &guarded_mode);
}

extern "C" void on_deadly(int number) {
  restore();
  if (number != SIGQUIT) {
    static constexpr char kText[] =
        "rwin: stopped by a fault of its own; the terminal is restored\n";
    write_all(STDERR_FILENO, kText, sizeof kText - 1);
  }
  // The handler is gone (SA_RESETHAND): the signal does now what it does without one.
  raise(number);
}

extern "C" void on_caught(int number) {
  const int saved = errno;
  const auto byte = static_cast<char>(number);
  // A full pipe loses nothing that matters: something is waiting there already.
  if (write(signal_pipe[1], &byte, 1) < 0) errno = saved;
  errno = saved;
}

extern "C" void at_exit() { restore(); }

}  // namespace

void set_reset_bytes(const std::string& reset) {
  const std::size_t length = std::min(reset.size(), reset_bytes.size());
  std::memcpy(reset_bytes.data(), reset.data(), length);
  reset_length = static_cast<std::sig_atomic_t>(length);
}

void guard_terminal(int fd, const std::string& reset) {
  guarded_fd = fd;
  mode_known = tcgetattr(fd, &guarded_mode) == 0;
  set_reset_bytes(reset);
  static bool registered = false;
  if (!registered) {
    registered = true;
    std::atexit(at_exit);
  }
  guarding = 1;
  struct sigaction action {};
  action.sa_handler = on_deadly;
  action.sa_flags = static_cast<int>(SA_RESETHAND | SA_NODEFER);
  sigemptyset(&action.sa_mask);
  for (std::size_t i = 0; i < kDeadly.size(); ++i)
    sigaction(kDeadly[i], &action, &before_deadly[i]);
}

void release_guard() {
  guarding = 0;
  for (std::size_t i = 0; i < kDeadly.size(); ++i)
    sigaction(kDeadly[i], &before_deadly[i], nullptr);
}

int catch_signals() {
  if (signal_pipe[0] < 0) {
    if (pipe(signal_pipe) != 0) return -1;
    for (const int end : signal_pipe) {
      fcntl(end, F_SETFD, FD_CLOEXEC);
      fcntl(end, F_SETFL, O_NONBLOCK);
    }
  }
  struct sigaction action {};
  action.sa_handler = on_caught;
  action.sa_flags = SA_RESTART;
  sigemptyset(&action.sa_mask);
  for (std::size_t i = 0; i < kCaught.size(); ++i)
    sigaction(kCaught[i], &action, &before_caught[i]);
  return signal_pipe[0];
}

void release_signals() {
  for (std::size_t i = 0; i < kCaught.size(); ++i)
    sigaction(kCaught[i], &before_caught[i], nullptr);
}

}  // namespace rwin::tui
