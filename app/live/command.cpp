#include "app/live/command.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <grp.h>
#include <pwd.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <csignal>
#include <cstdlib>
#include <cstring>

namespace rwin::app {
namespace {

constexpr int kNotFound = 127, kNotExecutable = 126;  // as shells

void close_if_open(int& fd) {
  if (fd >= 0) ::close(fd);
  fd = -1;
}

// Not handed on to programs. No thread runs yet that could start one in between.
bool make_pipe(std::array<int, 2>& ends) {
  if (pipe(ends.data()) != 0) return false;
  for (const int end : ends) fcntl(end, F_SETFD, FD_CLOEXEC);
  return true;
}

// Between fork and exec: no return on failure.
[[noreturn]] void become_and_execute(const std::vector<std::string>& words,
                                     const capture::User& user, int output, int go, int report) {
  const auto fail = [&] {
    const int error = errno;
    [[maybe_unused]] const auto n = ::write(report, &error, sizeof error);
    _exit(error == ENOENT ? kNotFound : kNotExecutable);
  };
  if (user.uid != geteuid()) {
    if (initgroups(user.name.c_str(), user.gid) != 0 || setgid(user.gid) != 0 ||
        setuid(user.uid) != 0)
      fail();
    if (const passwd* entry = getpwuid(user.uid)) {
      setenv("HOME", entry->pw_dir, 1);
      setenv("USER", entry->pw_name, 1);
      setenv("LOGNAME", entry->pw_name, 1);
    }
  }
  char byte = 0;
  ssize_t got = 0;
  while ((got = ::read(go, &byte, 1)) < 0 && errno == EINTR) {
  }
  if (got != 1) _exit(0);  // never to be started
  for (const int number : {SIGINT, SIGTERM, SIGHUP, SIGPIPE}) std::signal(number, SIG_DFL);
  if (output >= 0) {
    const int nothing = ::open("/dev/null", O_RDONLY);
    if (nothing < 0 || dup2(nothing, STDIN_FILENO) < 0 || dup2(output, STDOUT_FILENO) < 0 ||
        dup2(output, STDERR_FILENO) < 0)
      fail();
  }
  std::vector<char*> arguments;
  arguments.reserve(words.size() + 1);
  for (const std::string& word : words) arguments.push_back(const_cast<char*>(word.c_str()));
  arguments.push_back(nullptr);
  execvp(arguments[0], arguments.data());
  fail();
  _exit(kNotExecutable);
}

}  // namespace

Command::~Command() {
  close_if_open(go_);
  close_if_open(report_);
  // Never started: it ends by itself, as its pipe is closed.
  if (pid_ > 0 && !code_) waitpid(pid_, nullptr, started_ ? WNOHANG : 0);
}

std::optional<Failure> Command::prepare(const std::vector<std::string>& words,
                                        const capture::User& user, int output, Command& out) {
  std::array<int, 2> go{}, report{};
  if (!make_pipe(go) || !make_pipe(report))
    return Failure{ExitCode::failed, fmt::format("no pipe: {}", std::strerror(errno)), "", {}, -1};
  capture::adopt_orphans();  // what it leaves behind stays in sight
  out.pid_ = fork();
  if (out.pid_ < 0)
    return Failure{
        ExitCode::failed, fmt::format("no process: {}", std::strerror(errno)), "", {}, -1};
  if (out.pid_ == 0) {
    ::close(go[1]);
    become_and_execute(words, user, output, go[0], report[1]);
  }
  ::close(go[0]);
  ::close(report[1]);
  out.go_ = go[1];
  out.report_ = report[0];
  return std::nullopt;
}

std::optional<Failure> Command::start() {
  const char byte = 'g';
  started_ = true;
  const bool told = ::write(go_, &byte, 1) == 1;
  close_if_open(go_);
  int error = told ? 0 : errno;
  // The pipe closes when the program is executed: no bytes.
  while (told && ::read(report_, &error, sizeof error) < 0 && errno == EINTR) {
  }
  close_if_open(report_);
  if (error == 0) return std::nullopt;
  int status = 0;
  waitpid(pid_, &status, 0);
  code_ = error == ENOENT ? kNotFound : kNotExecutable;
  return Failure{ExitCode::failed, std::strerror(error), "", {}, -1};
}

std::optional<int> Command::poll() {
  int status = 0;
  pid_t ended = 0;
  // Orphans that were left to this process end here as well.
  while (!code_ && (ended = waitpid(-1, &status, WNOHANG)) > 0) {
    if (ended != pid_) continue;
    code_ = WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status);
  }
  return code_;
}

void Command::signal(int number) const {
  if (pid_ > 0 && !code_) kill(pid_, number);
}

}  // namespace rwin::app
