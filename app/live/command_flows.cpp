#include "app/live/command_flows.h"

#include <set>
#include <utility>
#include <vector>

#if defined(__linux__)
#include "capture/host/sockets.h"
#endif

namespace rwin::app {

struct CommandFlows::State {
  pid_t watcher = 0;
  std::set<std::pair<analysis::Endpoint, analysis::Endpoint>> ends;
#if defined(__linux__)
  capture::SocketOwners owners;
  capture::SocketTable table;
#endif
};

CommandFlows::CommandFlows(pid_t watcher) : state_(std::make_unique<State>()) {
  state_->watcher = watcher;
}
CommandFlows::~CommandFlows() = default;

void CommandFlows::look() {
#if defined(__linux__)
  State& s = *state_;
  std::vector<pid_t> tree = capture::process_tree(s.watcher);
  tree.erase(tree.begin());  // this program itself
  if (tree.empty()) return;
  s.owners.scan(tree);
  const auto sockets = s.table.read();
  if (!sockets.ok()) return;
  for (const capture::HostSocket& socket : sockets.value()) {
    if (socket.inode != 0 && !socket.listening && s.owners.find(socket.inode) != nullptr)
      s.ends.insert({socket.local, socket.remote});
  }
#endif
}

bool CommandFlows::has(const analysis::Endpoint& a, const analysis::Endpoint& b) const {
  return state_->ends.count({a, b}) > 0 || state_->ends.count({b, a}) > 0;
}

bool CommandFlows::empty() const { return state_->ends.empty(); }

}  // namespace rwin::app
