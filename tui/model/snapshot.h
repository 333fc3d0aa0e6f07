// What the dashboard shows at one moment: values only, immutable, shared with whoever made it. Made
// by app/ from a running capture or from a file.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "analysis/result.h"
#include "rules/assess.h"
#include "rules/local_values.h"

namespace rwin::tui {

// This host's end of a connection, where the system tells.
struct LocalEnd {
  bool client = false;  // this host is the client, else the server
  std::string process;  // "curl", empty: not known
  int pid = 0;
  // The kernel's own share of busy time in which the peer's window held it (tcpi_rwnd_limited); of
  // the data that this host sends.
  std::optional<double> kernel_window_share;
  std::optional<bool> receive_buffer_fixed;            // the program set it itself: certain
  std::shared_ptr<const rules::LocalValues> settings;  // of this host; null: not read
};

struct Connection {
  std::uint64_t id = 0;
  std::shared_ptr<const analysis::ConnectionResult> result;  // never null
  std::shared_ptr<const std::vector<rules::Assessment>>
      assessments;                   // one a direction of result; never null
  std::string client_os, server_os;  // empty: not recognised
  bool closed = false;
  std::int64_t last_ns = 0;
  // Payload over the last moments: from the client, from the server. nullopt: not measured (files).
  std::optional<std::array<double, 2>> rate_bps;
  std::optional<LocalEnd> local;
};

struct Snapshot {
  bool live = false;   // packets may still come
  bool ended = false;  // a live capture that is over
  std::string source;  // "eth0", "slow.pcap"
  std::string filter;  // of the capture, empty: none
  bool filter_can_change = false;
  std::int64_t first_ns = 0,
               now_ns = 0;  // of the packets: the first, and how far the capture has come
  std::uint64_t packets = 0;
  std::optional<double> packets_per_second;
  std::optional<std::uint64_t> drops;  // by the kernel and the device; files do not tell
  std::uint64_t left_out = 0;          // connections that are over and no longer listed
  bool saving_packets = false;         // key W: into a file, until W again
  std::string trouble;                 // one line about the source, empty: none ("eth0 is down")
  rules::Settings settings;
  std::vector<Connection> connections;  // in order of the first packet
};

using SnapshotPtr = std::shared_ptr<const Snapshot>;

}  // namespace rwin::tui
