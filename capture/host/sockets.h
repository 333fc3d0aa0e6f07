// This host's TCP sockets as its kernel sees them (sock_diag(7)), and the processes that own them.
// No privilege is needed for the sockets; processes are seen where they belong to the same user.
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

#include "analysis/segment.h"
#include "capture/result.h"

namespace rwin::capture {

struct HostSocket {
  analysis::Endpoint local, remote;  // IPv4 inside IPv6 is given as IPv4
  std::uint64_t inode = 0;           // 0: no process has it any more
  bool listening = false;
  // tcp_info; times in microseconds. Sending side.
  bool has_info = false;
  std::uint64_t busy_us = 0, rwnd_limited_us = 0, sndbuf_limited_us = 0;
  std::uint64_t retransmits = 0;
  std::uint32_t rtt_us = 0;
  // Receiving side, and buffers (bytes, as the kernel counts them: with its overhead).
  std::uint32_t receive_space = 0, receive_buffer = 0, send_buffer = 0;
};

// Those of this network namespace. Error not_readable: the kernel has no sock_diag;
// unsupported: built without libmnl.
class SocketTable {
 public:
  SocketTable();
  ~SocketTable();
  SocketTable(const SocketTable&) = delete;
  SocketTable& operator=(const SocketTable&) = delete;
  [[nodiscard]] Result<std::vector<HostSocket>> read();

 private:
  [[maybe_unused]] void* socket_ = nullptr;  // mnl_socket
  [[maybe_unused]] std::uint32_t sequence_ = 0;
};

struct Process {
  pid_t pid = 0;
  std::string name;
};

// Which process has which socket: the numbers (inodes) in /proc/*/fd. `root` is "/proc", or another
// folder for tests.
class SocketOwners {
 public:
  explicit SocketOwners(std::string root = "/proc");
  // Looks through all processes that may be read: milliseconds per hundred processes.
  void scan();
  // Only these processes; what is known of others stays.
  void scan(const std::vector<pid_t>& processes);
  [[nodiscard]] const Process* find(std::uint64_t inode) const;

 private:
  void scan_one(pid_t pid);
  std::string root_;
  std::unordered_map<std::uint64_t, Process> owners_;
};

// All processes below `ancestor`, itself included.
std::vector<pid_t> process_tree(pid_t ancestor, const std::string& root = "/proc");

// Buffers that the program fixed with SO_RCVBUF or SO_SNDBUF (SO_BUF_LOCK, Linux 5.14), which
// switches automatic growth off. nullopt: the process may not be asked.
struct FixedBuffers {
  bool receive = false, send = false;
};
std::optional<FixedBuffers> fixed_buffers(pid_t pid, std::uint64_t inode);

}  // namespace rwin::capture
