// The command of `rwin run`: made early, while the program may still become its caller, and started
// when the capture is ready.
#pragma once

#include <sys/types.h>

#include <optional>
#include <string>
#include <vector>

#include "app/exit_code.h"
#include "capture/privilege/privilege.h"

namespace rwin::app {

class Command {
 public:
  // Makes the process, with the groups, ids and home of `user`; it waits. Before any thread.
  // `output`: where all that it says goes, its input is empty then (the dashboard has the
  // terminal); -1: it has what this program has.
  static std::optional<Failure> prepare(const std::vector<std::string>& words,
                                        const capture::User& user, int output, Command& out);
  Command() = default;
  ~Command();  // one that never started is ended
  Command(const Command&) = delete;
  Command& operator=(const Command&) = delete;

  // Lets it run. A failure: it cannot be executed (exit code 127 or 126 in exit_code()).
  std::optional<Failure> start();
  // Its exit code (128 + n after signal n) once it has ended.
  std::optional<int> poll();
  void signal(int number) const;
  [[nodiscard]] pid_t pid() const { return pid_; }

 private:
  pid_t pid_ = -1;
  int go_ = -1, report_ = -1;  // pipes: start; errno of a failed exec
  bool started_ = false;
  std::optional<int> code_;
};

}  // namespace rwin::app
