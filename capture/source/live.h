// Packets as they pass: one or several interfaces through libpcap.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "capture/decode/decode.h"
#include "capture/result.h"

namespace rwin::capture {

struct LiveOptions {
  std::vector<std::string> interfaces;  // names; "any": all of them
  std::string filter;                   // the user's words (pcap-filter(7)), may be empty
  int snap_length = 192;                // link, IPv6 and all TCP options
  bool promiscuous = false;
  int buffer_bytes = 64 << 20;  // of the kernel's ring, each interface
};

enum class InterfaceState : std::uint8_t {
  up,    // delivers
  down,  // switched off; goes on by itself when it is switched on
  gone   // removed: the other interfaces go on
};

// One interface. The drops are the system's own counts: what it received and could not hand over
// (the ring was full), and what the device lost before.
struct InterfaceStatus {
  std::string name;
  std::uint32_t link_type = 0;
  InterfaceState state = InterfaceState::up;
  std::uint64_t packets = 0;  // handed out by read()
  std::uint64_t kernel_drops = 0;
  std::uint64_t interface_drops = 0;
};

class LiveSource {
 public:
  virtual ~LiveSource() = default;
  // Waits up to `timeout_ms` for packets, then hands out all that are there (at most some ten
  // thousand); their bytes are valid inside the call only. `record` is left 0. One thread only.
  virtual std::size_t read(int timeout_ms, const std::function<void(const RawPacket&)>& sink) = 0;
  // Other words for the filter of all interfaces. From any thread but the one that reads; compiles
  // here (names are looked up, which may take seconds) and waits until the reading thread has set
  // it. Errors: bad_filter (with position), not_readable (nothing reads); the old one stays. What
  // came before stays read; a packet that arrives at the very moment of the change may be lost
  // without being counted.
  virtual Result<bool> change_filter(const std::string& words) = 0;
  // Ends a read() that waits. From any thread, and from a signal handler.
  virtual void wake() = 0;
  // As of now; from the thread that reads.
  [[nodiscard]] virtual std::vector<InterfaceStatus> status() = 0;
  // Nothing comes any more: every interface is gone.
  [[nodiscard]] virtual bool ended() const = 0;
};

// Opens all interfaces, or none. Errors: missing_privilege, bad_filter (with position),
// not_readable (no such interface, the device refuses), unsupported (link type without decoder).
Result<std::unique_ptr<LiveSource>> open_live(const LiveOptions& options);

// What the kernel is asked for: TCP, everything that may carry TCP (tags, PPPoE, MPLS, IPv6
// extension headers, tunnels), narrowed by the user's words. The plain word "tcp" would lose all
// carriers. For link types on which this cannot be said: the user's words alone.
std::string live_filter(const std::string& words, std::uint32_t link_type);

struct InterfaceInfo {
  std::string name;
  std::string description;  // addresses, or what libpcap says
  bool up = false, loopback = false;
};
// Interfaces that can be captured on, "any" included.
Result<std::vector<InterfaceInfo>> list_interfaces();

}  // namespace rwin::capture
