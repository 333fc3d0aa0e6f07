// This host's end of a connection: whose it is, and what the kernel itself says of it.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>

#include "analysis/result.h"
#include "rules/local_values.h"

namespace rwin::app {

// Figures of the kernel, of the data that this host sends (tcp_info, Linux 4.9 and later).
struct KernelFigures {
  std::uint64_t busy_us = 0;            // tcpi_busy_time
  std::uint64_t rwnd_limited_us = 0;    // of it, held by the peer's window
  std::uint64_t sndbuf_limited_us = 0;  // of it, held by the send buffer
  std::uint64_t retransmits = 0;        // tcpi_total_retrans
  std::uint32_t rtt_us = 0;
  // Of the data that this host receives.
  std::uint32_t receive_space = 0;   // tcpi_rcv_space
  std::uint32_t receive_buffer = 0;  // sk_rcvbuf, bytes
  std::uint32_t send_buffer = 0;     // sk_sndbuf, bytes
};

struct LocalSocket {
  bool client = false;  // this host is the client of the connection, else the server
  int pid = 0;          // 0: not known
  std::string process;  // empty: not known
  std::optional<KernelFigures> kernel;
  // The program set the buffer itself (SO_BUF_LOCK): certain; nullopt where it cannot be read.
  std::optional<bool> receive_buffer_fixed, send_buffer_fixed;
  std::shared_ptr<const rules::LocalValues> settings;  // of this host; null: not read
};

// Did the program set its receive buffer itself? Where the process may not be asked: a buffer that
// is just the most of tcp_rmem is the system's.
std::optional<bool> receive_buffer_fixed(const LocalSocket& socket);

// Where they are looked up. One thread only.
class LocalSockets {
 public:
  virtual ~LocalSockets() = default;
  // Asks the system anew; find() answers from that.
  virtual void refresh() = 0;
  // Null: neither end of it is a socket of this host, or it is closed.
  [[nodiscard]] virtual std::shared_ptr<const LocalSocket> find(
      const analysis::Endpoint& client, const analysis::Endpoint& server) const = 0;
};

}  // namespace rwin::app
