#include "capture/host/durable_file.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <filesystem>

namespace rwin::capture {
namespace {

constexpr std::size_t kMost = 1U << 20;

class Descriptor {
 public:
  explicit Descriptor(int fd) : fd_(fd) {}
  ~Descriptor() {
    if (fd_ >= 0) close(fd_);
  }
  Descriptor(const Descriptor&) = delete;
  Descriptor& operator=(const Descriptor&) = delete;
  [[nodiscard]] int get() const { return fd_; }
  [[nodiscard]] bool open() const { return fd_ >= 0; }

 private:
  int fd_;
};

std::string folder_of(const std::string& path) {
  const std::size_t slash = path.rfind('/');
  if (slash == std::string::npos) return ".";
  return slash == 0 ? "/" : path.substr(0, slash);
}

bool write_all(int fd, const std::string& content) {
  std::size_t done = 0;
  while (done < content.size()) {
    const ssize_t n = write(fd, content.data() + done, content.size() - done);
    if (n < 0 && errno == EINTR) continue;
    if (n <= 0) return false;
    done += static_cast<std::size_t>(n);
  }
  return true;
}

// File systems that cannot sync a folder say EINVAL: nothing more can be done there.
bool sync_folder(const std::string& folder) {
  const Descriptor fd(open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  return fd.open() && (fsync(fd.get()) == 0 || errno == EINVAL);
}

}  // namespace

Error system_error(const std::string& what) {
  Error error;
  error.code =
      errno == EACCES || errno == EPERM ? ErrorCode::missing_privilege : ErrorCode::not_readable;
  error.message = what + ": " + std::strerror(errno);
  return error;
}

Result<std::optional<std::string>> read_small_file(const std::string& path) {
  const Descriptor fd(open(path.c_str(), O_RDONLY | O_CLOEXEC));
  if (!fd.open()) {
    if (errno == ENOENT || errno == ENOTDIR) return std::optional<std::string>();
    return system_error("cannot read " + path);
  }
  std::string content;
  char buffer[4096];
  while (content.size() <= kMost) {
    const ssize_t n = read(fd.get(), buffer, sizeof buffer);
    if (n < 0 && errno == EINTR) continue;
    if (n < 0) return system_error("cannot read " + path);
    if (n == 0) return std::optional(std::move(content));
    content.append(buffer, static_cast<std::size_t>(n));
  }
  return Error{ErrorCode::not_readable, path + " is larger than a settings file can be",
               "look at it", -1};
}

std::optional<Error> replace_file(const std::string& path, const std::string& content) {
  const std::string folder = folder_of(path);
  std::error_code fault;
  std::filesystem::create_directories(folder, fault);
  const std::string part = path + ".part";
  {
    const Descriptor fd(
        open(part.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC | O_NOFOLLOW, 0644));
    if (!fd.open()) return system_error("cannot write " + path);
    if (!write_all(fd.get(), content) || fchmod(fd.get(), 0644) != 0 || fsync(fd.get()) != 0) {
      const Error error = system_error("cannot write " + path);
      unlink(part.c_str());
      return error;
    }
  }
  if (rename(part.c_str(), path.c_str()) != 0) {
    const Error error = system_error("cannot write " + path);
    unlink(part.c_str());
    return error;
  }
  if (!sync_folder(folder)) return system_error("cannot sync " + folder);
  return std::nullopt;
}

std::optional<Error> remove_file(const std::string& path) {
  if (unlink(path.c_str()) != 0 && errno != ENOENT) return system_error("cannot remove " + path);
  if (!sync_folder(folder_of(path))) return system_error("cannot sync " + folder_of(path));
  return std::nullopt;
}

}  // namespace rwin::capture
