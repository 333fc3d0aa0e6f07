// Which connections belong to the command of `rwin run`.
#pragma once

#include <sys/types.h>

#include <memory>

#include "analysis/result.h"

namespace rwin::app {

// Connections of a process and all that it starts. Where the system does not tell (only Linux
// does), it stays empty.
class CommandFlows {
 public:
  // `watcher`: process whose descendants count, orphans included (prctl PR_SET_CHILD_SUBREAPER).
  explicit CommandFlows(pid_t watcher);
  ~CommandFlows();
  CommandFlows(const CommandFlows&) = delete;
  CommandFlows& operator=(const CommandFlows&) = delete;
  // Looks at what they have open now. Cheap: some hundred microseconds for a few processes.
  void look();
  [[nodiscard]] bool has(const analysis::Endpoint& a, const analysis::Endpoint& b) const;
  [[nodiscard]] bool empty() const;

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace rwin::app
