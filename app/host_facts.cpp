#include "app/host_facts.h"

#if defined(__linux__)

#include "capture/host/change.h"
#include "capture/host/routes.h"
#include "capture/host/settings.h"
#include "capture/host/sockets.h"
#include "text/address.h"

namespace rwin::app {
namespace {

// Connections and listeners that a process has, and whether it fixed their buffers.
std::optional<std::vector<rules::SocketFacts>> read_sockets() {
  capture::SocketTable table;
  const auto read = table.read();
  if (!read.ok()) return std::nullopt;
  capture::SocketOwners owners;
  owners.scan();
  std::vector<rules::SocketFacts> facts;
  for (const capture::HostSocket& socket : read.value()) {
    if (socket.inode == 0) continue;
    rules::SocketFacts one;
    one.local = endpoint_text(socket.local);
    if (!socket.listening) one.peer = endpoint_text(socket.remote);
    one.rcvbuf = socket.receive_buffer;
    if (const capture::Process* process = owners.find(socket.inode)) {
      one.program = process->name;
      if (const auto fixed = capture::fixed_buffers(process->pid, socket.inode))
        one.fixed = fixed->receive;
    }
    facts.push_back(std::move(one));
  }
  return facts;
}

}  // namespace

bool host_readable() { return true; }

std::variant<rules::HostFacts, Failure> gather_host(const std::string& root, bool connections) {
  std::vector<std::string> keys;
  for (const rules::Knob& knob : rules::linux_knobs()) keys.emplace_back(knob.name);
  auto read = capture::read_settings(root, keys);
  if (!read.ok()) {
    const capture::Error& error = read.error();
    return Failure{ExitCode::failed, error.message, error.hint, {}, -1};
  }
  const capture::HostSettings& settings = read.value();
  rules::HostFacts facts;
  facts.release = settings.release;
  facts.own_namespace = settings.own_namespace;
  facts.page_bytes = settings.page_bytes;
  for (const auto& [key, one] : settings.values) facts.knobs[key] = {one.value, one.writable};
  for (const capture::Persisted& kept : settings.persisted)
    facts.persisted.push_back({kept.key, kept.value, kept.file});
  facts.interrupted = capture::HostChange(root).interrupted();
  if (!connections || !root.empty()) return facts;
  if (const auto routes = capture::read_routes(); routes.ok()) {
    facts.routes.emplace();
    for (const capture::Route& route : routes.value())
      facts.routes->push_back({route.destination, route.words, route.device, route.window});
  }
  facts.sockets = read_sockets();
  return facts;
}

}  // namespace rwin::app

#else

namespace rwin::app {

bool host_readable() { return false; }

std::variant<rules::HostFacts, Failure> gather_host(const std::string&, bool) {
  return Failure{ExitCode::failed,
                 "this host's settings can be read on Linux only",
                 "rwin tune --platform NAME prints the settings for another system",
                 {},
                 -1};
}

}  // namespace rwin::app

#endif
