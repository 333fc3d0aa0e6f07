#include "fuzz/memory_file.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

#include "fuzz/targets.h"

namespace rwin::fuzz {

MemoryFile::MemoryFile()
    : fd_(memfd_create("rwin-fuzz", MFD_CLOEXEC)), path_("/proc/self/fd/" + std::to_string(fd_)) {
  require(fd_ >= 0, "memfd_create works");
}
MemoryFile::~MemoryFile() { close(fd_); }

void MemoryFile::set(Input content) {
  require(ftruncate(fd_, 0) == 0, "ftruncate works");
  if (content.empty()) return;
  require(pwrite(fd_, content.data(), content.size(), 0) == static_cast<ssize_t>(content.size()),
          "pwrite works");
}

std::string MemoryFile::content() const {
  const off_t size = lseek(fd_, 0, SEEK_END);
  std::string text(static_cast<std::size_t>(size), '\0');
  require(pread(fd_, text.data(), text.size(), 0) == size, "pread works");
  return text;
}

int MemoryFile::descriptor() const { return open(path_.c_str(), O_RDWR | O_CLOEXEC); }

}  // namespace rwin::fuzz
