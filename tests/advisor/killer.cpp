// Preloaded into rwin by advisor_test.py: ends the process with SIGKILL just before call number
// RWIN_KILL_AT of those that change files (write, fsync, rename, unlink): a real kill at every
// place.
#include <dlfcn.h>
#include <unistd.h>

#include <csignal>
#include <cstdio>
#include <cstdlib>

namespace {

void count() {
  static int calls = 0;
  const char* at = std::getenv("RWIN_KILL_AT");
  if (at != nullptr && ++calls == std::atoi(at)) kill(getpid(), SIGKILL);
}

template <class Function>
Function* next(const char* name) {
  return reinterpret_cast<Function*>(dlsym(RTLD_NEXT, name));
}

}  // namespace

// The names of the parameters are libc's own, with underscores.
// NOLINTBEGIN(readability-inconsistent-declaration-parameter-name)
extern "C" {

ssize_t write(int fd, const void* data, std::size_t size) {
  static auto* const real = next<ssize_t(int, const void*, std::size_t)>("write");
  count();
  return real(fd, data, size);
}

int fsync(int fd) {
  static auto* const real = next<int(int)>("fsync");
  count();
  return real(fd);
}

int rename(const char* from, const char* to) noexcept {
  static auto* const real = next<int(const char*, const char*)>("rename");
  count();
  return real(from, to);
}

int unlink(const char* path) noexcept {
  static auto* const real = next<int(const char*)>("unlink");
  count();
  return real(path);
}
}
// NOLINTEND(readability-inconsistent-declaration-parameter-name)
