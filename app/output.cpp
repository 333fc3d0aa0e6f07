#include "app/output.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <memory>

namespace rwin::app {
namespace {

Failure cannot_write(const std::string& path, int error, const std::string& option) {
  const std::string name = path.empty() ? "standard output" : path;
  return {ExitCode::failed,
          fmt::format("cannot write {}: {}", name, std::strerror(error)),
          error == ENOSPC ? "free some space"
                          : "check the folder and its permissions, or use another " + option,
          {},
          -1};
}

std::string follow_links(const std::string& path) {
  const std::unique_ptr<char, decltype(&std::free)> real(realpath(path.c_str(), nullptr),
                                                         &std::free);
  return real ? real.get() : path;
}

}  // namespace

Output::~Output() {
  if (fd_ > 2) close(fd_);
  if (!temporary_.empty()) unlink(temporary_.c_str());
}

std::optional<Failure> Output::open(const std::string& path, const std::vector<std::string>& inputs,
                                    bool in_place, std::string_view option) {
  if (path.empty() || path == "-") return std::nullopt;
  path_ = path;
  option_ = option;
  target_ = follow_links(path);
  struct stat there {};
  const bool exists = stat(target_.c_str(), &there) == 0;
  for (const std::string& input : inputs) {
    struct stat other {};
    const bool known = input == "-" ? fstat(0, &other) == 0 : stat(input.c_str(), &other) == 0;
    if (exists && known && S_ISREG(there.st_mode) && there.st_dev == other.st_dev &&
        there.st_ino == other.st_ino) {
      return Failure{ExitCode::usage,
                     fmt::format("{} {} is the capture that is read", option, path),
                     "choose another name",
                     {},
                     -1};
    }
  }
  if (exists && S_ISDIR(there.st_mode)) {
    return Failure{ExitCode::failed,
                   fmt::format("cannot write {}: it is a folder", path),
                   "give a file name",
                   {},
                   -1};
  }
  if (in_place || (exists && !S_ISREG(there.st_mode))) {
    fd_ = ::open(target_.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
    if (fd_ < 0) return cannot_write(path_, errno, option_);
    return std::nullopt;
  }
  std::string name = target_ + ".XXXXXX";
  fd_ = mkostemp(name.data(), O_CLOEXEC);
  if (fd_ < 0) return cannot_write(path_, errno, option_);
  temporary_ = name;
  // mkstemp makes it private; the report gets what any new file would, or what the old one had.
  const mode_t mask = umask(0);
  umask(mask);
  if (fchmod(fd_, exists ? there.st_mode & 07777 : 0666 & ~mask) != 0)
    return cannot_write(path_, errno, option_);
  return std::nullopt;
}

void Output::write(std::string_view bytes) {
  while (!bytes.empty() && error_ == 0) {
    const ssize_t n = ::write(fd_, bytes.data(), bytes.size());
    if (n >= 0) {
      bytes.remove_prefix(static_cast<std::size_t>(n));
    } else if (errno == EPIPE) {
      broken_pipe_ = true;
      return;
    } else if (errno != EINTR) {
      error_ = errno;
    }
  }
}

std::optional<Failure> Output::commit() {
  if (error_ != 0) return cannot_write(path_, error_, option_);
  if (fd_ <= 2) return std::nullopt;
  const int closed = close(fd_);
  const int close_error = errno;
  fd_ = 1;
  if (closed != 0) return cannot_write(path_, close_error, option_);
  if (temporary_.empty()) return std::nullopt;
  if (std::rename(temporary_.c_str(), target_.c_str()) != 0)
    return cannot_write(path_, errno, option_);
  temporary_.clear();
  return std::nullopt;
}

}  // namespace rwin::app
