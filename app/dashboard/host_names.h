// Reverse names of addresses, asked for in the background: the screen never waits for a name
// server.
#pragma once

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "analysis/segment.h"

namespace rwin::app {

class HostNames {
 public:
  HostNames();
  ~HostNames();  // does not wait for answers that are still out
  HostNames(const HostNames&) = delete;
  HostNames& operator=(const HostNames&) = delete;

  // Once for each address; at most some thousand addresses, the rest keep their numbers.
  void ask(const analysis::Address& address);
  // Answers since the last call; an address without a name never comes.
  std::vector<std::pair<analysis::Address, std::string>> take();

 private:
  struct Shared;
  std::shared_ptr<Shared> shared_;
  bool started_ = false;
};

}  // namespace rwin::app
