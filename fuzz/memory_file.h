// A file in memory that has a path.
#pragma once

#include <string>

#include "fuzz/targets.h"

namespace rwin::fuzz {

class MemoryFile {
 public:
  MemoryFile();
  ~MemoryFile();
  MemoryFile(const MemoryFile&) = delete;
  MemoryFile& operator=(const MemoryFile&) = delete;

  // Replaces what is in it.
  void set(Input content);
  [[nodiscard]] std::string content() const;
  [[nodiscard]] const std::string& path() const { return path_; }
  // A descriptor of its own, at the start; the caller closes it.
  [[nodiscard]] int descriptor() const;

 private:
  int fd_;
  std::string path_;
};

}  // namespace rwin::fuzz
