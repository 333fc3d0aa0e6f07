#include "app/live/host_sockets.h"

#if defined(__linux__)

#include <map>
#include <utility>

#include "capture/host/settings.h"
#include "capture/host/sockets.h"
#include "rules/host_facts.h"

namespace rwin::app {
namespace {

using analysis::Endpoint;
using capture::HostSocket;

class HostSockets final : public LocalSockets {
 public:
  HostSockets() { refresh(); }

  void refresh() override {
    auto read = table_.read();
    if (!read.ok()) return;  // figures stay away; nothing else depends on them
    const auto settings = read_values();
    std::map<Ends, std::shared_ptr<const LocalSocket>> sockets;
    bool scanned = false;
    for (const HostSocket& s : read.value()) {
      if (s.listening) continue;
      auto socket = std::make_shared<LocalSocket>();
      fill(s, *socket);
      socket->settings = settings;
      if (s.inode != 0) own(s.inode, scanned, *socket);
      sockets.emplace(Ends{s.local, s.remote}, std::move(socket));
    }
    sockets_ = std::move(sockets);
    std::erase_if(owned_, [&](const auto& entry) { return entry.second.round + 4 < round_; });
    ++round_;
  }

  [[nodiscard]] std::shared_ptr<const LocalSocket> find(const Endpoint& client,
                                                        const Endpoint& server) const override {
    if (const auto at = sockets_.find({client, server}); at != sockets_.end())
      return as(*at->second, true);
    if (const auto at = sockets_.find({server, client}); at != sockets_.end())
      return as(*at->second, false);
    return nullptr;
  }

 private:
  using Ends = std::pair<Endpoint, Endpoint>;  // here, there
  struct Owned {
    capture::Process process;
    std::optional<capture::FixedBuffers> fixed;
    std::uint64_t round = 0;  // when it was last seen
    std::uint64_t turn = 0;   // refreshes that saw it
  };

  // Read again each time: somebody may follow the advice while he watches.
  static std::shared_ptr<const rules::LocalValues> read_values() {
    auto values = std::make_shared<rules::LocalValues>();
    for (const rules::Knob& knob : rules::linux_knobs()) {
      if (auto value = capture::read_sysctl("", knob.name))
        values->emplace(std::string(knob.name), std::move(*value));
    }
    return values;
  }

  static void fill(const HostSocket& s, LocalSocket& out) {
    if (!s.has_info) return;
    out.kernel = KernelFigures{s.busy_us, s.rwnd_limited_us, s.sndbuf_limited_us, s.retransmits,
                               s.rtt_us,  s.receive_space,   s.receive_buffer,    s.send_buffer};
  }

  // Processes are looked through at most once a refresh, and for a socket that nobody may see only
  // every 16th time.
  void own(std::uint64_t inode, bool& scanned, LocalSocket& out) {
    Owned& owned = owned_[inode];
    owned.round = round_;
    const std::uint64_t turn = owned.turn++;
    if (owned.process.pid == 0 && turn % 16 == 0) {
      if (!scanned) owners_.scan();
      scanned = true;
      if (const capture::Process* process = owners_.find(inode)) owned.process = *process;
    }
    out.pid = owned.process.pid;
    out.process = owned.process.name;
    if (owned.process.pid == 0) return;
    // A program may set its buffers at any time: asked again now and then.
    if (turn % 4 == 0) {
      if (const auto fixed = capture::fixed_buffers(owned.process.pid, inode)) owned.fixed = fixed;
    }
    if (owned.fixed) {
      out.receive_buffer_fixed = owned.fixed->receive;
      out.send_buffer_fixed = owned.fixed->send;
    }
  }

  static std::shared_ptr<const LocalSocket> as(const LocalSocket& socket, bool client) {
    auto out = std::make_shared<LocalSocket>(socket);
    out->client = client;
    return out;
  }

  capture::SocketTable table_;
  capture::SocketOwners owners_;
  std::map<Ends, std::shared_ptr<const LocalSocket>> sockets_;
  std::map<std::uint64_t, Owned> owned_;  // by inode
  std::uint64_t round_ = 0;
};

}  // namespace

std::shared_ptr<LocalSockets> host_sockets() { return std::make_shared<HostSockets>(); }

}  // namespace rwin::app

#else

namespace rwin::app {

std::shared_ptr<LocalSockets> host_sockets() { return nullptr; }

}  // namespace rwin::app

#endif
