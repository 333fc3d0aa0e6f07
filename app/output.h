// Where a report goes: standard output, or a file that appears only when it is complete.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "app/exit_code.h"

namespace rwin::app {

class Output {
 public:
  Output() = default;
  // `fd`: where it goes without open().
  explicit Output(int fd) : fd_(fd) {}
  ~Output();
  Output(const Output&) = delete;
  Output& operator=(const Output&) = delete;

  // `path` empty or "-": standard output. Else a new file beside it is written and renamed by
  // commit(); what is no regular file (a device, a pipe) is written directly. Refuses a path that
  // is one of `inputs`. `in_place`: no new file and no renaming, for who gives up the right to
  // rename on the way. `option`: what gave the path.
  std::optional<Failure> open(const std::string& path, const std::vector<std::string>& inputs,
                              bool in_place = false, std::string_view option = "-o");

  // Hands bytes to the system. After the first failure further bytes are dropped; commit() tells.
  void write(std::string_view bytes);
  // The reader of standard output went away (EPIPE): no error, but no reason to go on either.
  [[nodiscard]] bool broken_pipe() const { return broken_pipe_; }
  std::optional<Failure> commit();

 private:
  int fd_ = 1;
  int error_ = 0;  // errno of the first failed write
  bool broken_pipe_ = false;
  std::string path_;  // as the user gave it
  std::string option_ = "-o";
  std::string target_;     // links followed
  std::string temporary_;  // empty: written directly
};

}  // namespace rwin::app
