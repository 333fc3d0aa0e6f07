#include "app/live/metrics.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <iterator>

#include "text/text.h"

namespace rwin::app {
namespace {

std::string label(std::string_view value) {
  std::string out;
  for (const char c : escape_terminal(value, true)) {
    if (c == '\\' || c == '"') out += '\\';
    out += c;
  }
  return out;
}

// A counter never goes back: figures that are judged again may.
template <class T>
void grow(T& total, T& seen, T now) {
  if (now > seen) {
    total += now - seen;
    seen = now;
  }
}

std::string_view state_word(capture::InterfaceState state) {
  switch (state) {
    case capture::InterfaceState::up:
      return "up";
    case capture::InterfaceState::down:
      return "down";
    case capture::InterfaceState::gone:
      return "gone";
  }
  return {};
}

class Text {
 public:
  void family(std::string_view name, std::string_view type, std::string_view help,
              std::string_view unit = "") {
    fmt::format_to(std::back_inserter(out), "# TYPE {} {}\n", name, type);
    if (!unit.empty()) fmt::format_to(std::back_inserter(out), "# UNIT {} {}\n", name, unit);
    fmt::format_to(std::back_inserter(out), "# HELP {} {}\n", name, help);
  }
  template <class T>
  void sample(std::string_view name, T value) {
    fmt::format_to(std::back_inserter(out), "{} {}\n", name, value);
  }
  template <class T>
  void sample(std::string_view name, std::string_view key, std::string_view word, T value) {
    fmt::format_to(std::back_inserter(out), "{}{{{}=\"{}\"}} {}\n", name, key, label(word), value);
  }
  std::string out;
};

}  // namespace

void Metrics::add(const LiveSnapshot& snapshot) {
  std::map<std::uint64_t, Sums> seen;
  now_ = {};
  open_ = 0;
  for (const LiveFlow& flow : snapshot.flows) {
    Sums& s = seen[flow.id];
    if (const auto before = seen_.find(flow.id); before != seen_.end()) s = before->second;
    for (std::size_t side = 0; side < 2; ++side)
      grow(total_.bytes[side], s.bytes[side], flow.bytes[side]);
    Sums fresh;
    for (const analysis::DirectionResult& d : flow.judged->connection.directions) {
      for (std::size_t i = 0; i < fresh.limit_us.size(); ++i) fresh.limit_us[i] += d.limit_us[i];
      fresh.blocked_us += d.blocked_us.value_or(0);
      fresh.retransmitted += d.retransmitted_segments;
    }
    for (std::size_t i = 0; i < fresh.limit_us.size(); ++i)
      grow(total_.limit_us[i], s.limit_us[i], fresh.limit_us[i]);
    grow(total_.blocked_us, s.blocked_us, fresh.blocked_us);
    grow(total_.retransmitted, s.retransmitted, fresh.retransmitted);
    if (flow.closed || flow.over) continue;
    ++open_;
    analysis::Limit limit = analysis::Limit::unknown;
    if (!flow.judged->assessments.empty()) limit = flow.judged->assessments[0].verdict.limit;
    ++now_[static_cast<std::size_t>(limit)];
  }
  seen_ = std::move(seen);
  last_.info = snapshot.info;
  last_.interfaces = snapshot.interfaces;
}

std::string Metrics::text() const {
  Text t;
  t.family("rwin_packets", "counter", "Packets seen.");
  t.sample("rwin_packets_total", last_.info.decode.packets);
  t.family("rwin_tcp_packets", "counter", "Packets with a TCP header.");
  t.sample("rwin_tcp_packets_total", last_.info.decode.tcp_packets);
  t.family("rwin_kernel_drops", "counter",
           "Packets that the system dropped before they were read.");
  for (const auto& i : last_.interfaces)
    t.sample("rwin_kernel_drops_total", "interface", i.name, i.kernel_drops);
  t.family("rwin_interface_drops", "counter", "Packets that the device dropped.");
  for (const auto& i : last_.interfaces)
    t.sample("rwin_interface_drops_total", "interface", i.name, i.interface_drops);
  t.family("rwin_interface_up", "gauge", "1: the interface delivers.");
  for (const auto& i : last_.interfaces)
    t.sample("rwin_interface_up", "interface", i.name, state_word(i.state) == "up" ? 1 : 0);
  t.family("rwin_connections", "counter", "Connections seen.");
  t.sample("rwin_connections_total", last_.info.connections);
  t.family("rwin_open_connections", "gauge",
           "Connections open now, by what limits their larger direction.");
  for (const analysis::Limit limit : analysis::kAllLimits)
    t.sample("rwin_open_connections", "limit", analysis::word(limit),
             now_[static_cast<std::size_t>(limit)]);
  t.family("rwin_payload_bytes", "counter", "Unique payload, by its sender.", "bytes");
  t.sample("rwin_payload_bytes_total", "sender", "client", total_.bytes[0]);
  t.sample("rwin_payload_bytes_total", "sender", "server", total_.bytes[1]);
  t.family("rwin_limited_seconds", "counter", "Time of all directions, by what limited them.",
           "seconds");
  for (const analysis::Limit limit : analysis::kAllLimits)
    t.sample("rwin_limited_seconds_total", "limit", analysis::word(limit),
             static_cast<double>(total_.limit_us[static_cast<std::size_t>(limit)]) / 1e6);
  t.family("rwin_receiver_blocked_seconds", "counter",
           "Time that senders were held by a receive window.", "seconds");
  t.sample("rwin_receiver_blocked_seconds_total", static_cast<double>(total_.blocked_us) / 1e6);
  t.family("rwin_retransmitted_segments", "counter", "Data segments sent again.");
  t.sample("rwin_retransmitted_segments_total", total_.retransmitted);
  t.out += "# EOF\n";
  return t.out;
}

namespace {

int write_all(int fd, const std::string& text) {
  std::size_t done = 0;
  while (done < text.size()) {
    const ssize_t n =
        ::pwrite(fd, text.data() + done, text.size() - done, static_cast<off_t>(done));
    if (n >= 0) {
      done += static_cast<std::size_t>(n);
    } else if (errno != EINTR) {
      return errno;
    }
  }
  return ::ftruncate(fd, static_cast<off_t>(text.size())) == 0 ? 0 : errno;
}

int open_to_write(const std::string& path) {
  return ::open(path.c_str(), O_WRONLY | O_CREAT | O_CLOEXEC, 0644);
}

}  // namespace

MetricsFile::~MetricsFile() {
  if (fd_ >= 0) ::close(fd_);
}

std::optional<Failure> MetricsFile::open(const std::string& path, bool in_place) {
  path_ = path;
  if (in_place && (fd_ = open_to_write(path)) < 0)
    return Failure{ExitCode::failed,
                   fmt::format("cannot write {}: {}", path, std::strerror(errno)),
                   "choose a folder where you may write",
                   {},
                   -1};
  return write("# EOF\n");
}

std::optional<Failure> MetricsFile::write(const std::string& text) {
  int error = 0;
  if (fd_ >= 0) {
    error = write_all(fd_, text);
  } else {
    const std::string name = path_ + ".new";
    const int fd = open_to_write(name);
    error = fd < 0 ? errno : write_all(fd, text);
    if (fd >= 0 && ::close(fd) != 0 && error == 0) error = errno;
    if (error == 0 && std::rename(name.c_str(), path_.c_str()) != 0) error = errno;
  }
  if (error == 0) return std::nullopt;
  return Failure{ExitCode::failed,
                 fmt::format("cannot write {}: {}", path_, std::strerror(error)),
                 "choose a folder where you may write",
                 {},
                 -1};
}

}  // namespace rwin::app
