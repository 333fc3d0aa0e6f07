// One interface that packets are read from: a libpcap handle, its filter, its counters.
#pragma once

#include <pcap/pcap.h>

#include <cstdint>
#include <functional>
#include <memory>
#include <string>

#include "capture/source/live.h"

namespace rwin::capture {

struct FreeProgram {
  void operator()(bpf_program* program) const;
};
// A compiled filter; null: none.
using Program = std::unique_ptr<bpf_program, FreeProgram>;

// The kernel's counters are 32 bits wide.
class Counter {
 public:
  void set(std::uint32_t now) {
    total_ += static_cast<std::uint32_t>(now - last_);
    last_ = now;
  }
  [[nodiscard]] std::uint64_t total() const { return total_; }

 private:
  std::uint32_t last_ = 0;
  std::uint64_t total_ = 0;
};

// Belongs to the thread that reads, but for compile().
class LiveInterface {
 public:
  explicit LiveInterface(std::string name) { status_.name = std::move(name); }
  ~LiveInterface() {
    if (pcap_ != nullptr) pcap_close(pcap_);
  }
  LiveInterface(const LiveInterface&) = delete;
  LiveInterface& operator=(const LiveInterface&) = delete;

  Result<bool> open(const LiveOptions& options);
  // Packets at hand go to `sink`; their number.
  std::size_t read(std::size_t most, const std::function<void(const RawPacket&)>& sink);
  const InterfaceStatus& look(int socket);
  // The filter for these words. From any thread, one at a time: looks names up, may take seconds.
  [[nodiscard]] Result<Program> compile(const std::string& words) const;
  // Sets it; then `program` is the one before. An error: that one stays.
  Result<bool> exchange(Program& program);
  [[nodiscard]] int descriptor() const { return gone() ? -1 : pcap_get_selectable_fd(pcap_); }
  [[nodiscard]] bool gone() const { return status_.state == InterfaceState::gone; }

 private:
  struct Call {
    LiveInterface* self;
    const std::function<void(const RawPacket&)>* sink;
  };
  static void on_packet(u_char* call, const pcap_pkthdr* header, const u_char* bytes);

  pcap_t* pcap_ = nullptr;
  Program program_;  // in force
  InterfaceStatus status_;
  bool nanoseconds_ = false, any_ = false;
  Counter kernel_drops_, interface_drops_;
};

}  // namespace rwin::capture
