#include "capture/source/live.h"

#include <fcntl.h>
#include <net/if.h>
#include <pcap/pcap.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <array>
#include <chrono>
#include <condition_variable>
#include <cstring>
#include <mutex>
#include <optional>

#include "capture/source/live_interface.h"
#include "capture/source/stream.h"

namespace rwin::capture {
namespace {

constexpr std::size_t kMostAtOnce =
    65'536;  // packets of one read(), so that its caller sees the clock

// What ends a poll() in another thread: a pipe whose two ends never block.
class Bell {
 public:
  Bell() {
    if (pipe(ends_.data()) != 0) ends_ = {-1, -1};
    for (const int end : ends_) {
      fcntl(end, F_SETFD, FD_CLOEXEC);
      fcntl(end, F_SETFL, O_NONBLOCK);
    }
  }
  ~Bell() {
    for (const int end : ends_) ::close(end);
  }
  Bell(const Bell&) = delete;
  Bell& operator=(const Bell&) = delete;

  // Safe in a signal handler. A full pipe rings as well.
  void ring() {
    const char byte = 1;
    [[maybe_unused]] const auto written = ::write(ends_[1], &byte, 1);
  }
  void silence() {
    std::array<char, 64> bytes{};
    while (::read(ends_[0], bytes.data(), bytes.size()) > 0) {
    }
  }
  [[nodiscard]] int descriptor() const { return ends_[0]; }

 private:
  std::array<int, 2> ends_{-1, -1};
};

class PcapLive final : public LiveSource {
 public:
  PcapLive() : socket_(socket(AF_INET, SOCK_DGRAM, 0)) { fcntl(socket_, F_SETFD, FD_CLOEXEC); }
  ~PcapLive() override {
    if (socket_ >= 0) ::close(socket_);
  }
  PcapLive(const PcapLive&) = delete;
  PcapLive& operator=(const PcapLive&) = delete;

  Result<bool> open(const LiveOptions& options) {
    for (const std::string& name : options.interfaces) {
      auto interface = std::make_unique<LiveInterface>(name);
      auto opened = interface->open(options);
      if (!opened.ok()) return opened;
      interfaces_.push_back(std::move(interface));
    }
    return true;
  }

  std::size_t read(int timeout_ms, const std::function<void(const RawPacket&)>& sink) override {
    std::vector<pollfd> waits{{bell_.descriptor(), POLLIN, 0}};
    for (const auto& i : interfaces_) waits.push_back({i->descriptor(), POLLIN, 0});
    // A signal may end the waiting: the caller looks why.
    if (::poll(waits.data(), waits.size(), timeout_ms) > 0 && (waits[0].revents & POLLIN) != 0)
      bell_.silence();
    std::size_t n = 0;
    for (const auto& i : interfaces_) n += i->read(kMostAtOnce, sink);
    use_new_filter();
    return n;
  }

  Result<bool> change_filter(const std::string& words) override {
    constexpr std::chrono::seconds kPatience(3);
    const std::lock_guard one_at_a_time(change_mutex_);
    Change change;
    for (const auto& i : interfaces_) {
      auto program = i->compile(words);
      if (!program.ok()) return program.error();
      change.programs.push_back(std::move(program.value()));
    }
    std::unique_lock lock(mutex_);
    next_ = &change;
    wake();
    const auto taken = [&] { return next_ == nullptr; };
    if (!changed_.wait_for(lock, kPatience, taken)) {
      next_ = nullptr;
      return Error{ErrorCode::not_readable, "the capture is too busy for another filter",
                   "the old one stays in force", -1};
    }
    if (change.fault) return *change.fault;
    return true;
  }

  void wake() override { bell_.ring(); }

  std::vector<InterfaceStatus> status() override {
    std::vector<InterfaceStatus> out;
    for (const auto& i : interfaces_) out.push_back(i->look(socket_));
    return out;
  }

  [[nodiscard]] bool ended() const override {
    for (const auto& i : interfaces_) {
      if (!i->gone()) return false;
    }
    return true;
  }

 private:
  // Filters that wait for the thread that reads, one for each interface.
  struct Change {
    std::vector<Program> programs;
    std::optional<Error> fault;
  };

  // In the thread that reads: libpcap's handles belong to it. All interfaces, or none.
  void use_new_filter() {
    const std::lock_guard lock(mutex_);
    if (next_ == nullptr) return;
    for (std::size_t k = 0; k < interfaces_.size() && !next_->fault; ++k) {
      if (interfaces_[k]->gone()) continue;
      const auto set = interfaces_[k]->exchange(next_->programs[k]);
      if (set.ok()) continue;
      next_->fault = set.error();
      for (std::size_t j = 0; j < k; ++j) {
        if (!interfaces_[j]->gone()) (void)interfaces_[j]->exchange(next_->programs[j]);
      }
    }
    next_ = nullptr;
    changed_.notify_all();
  }

  std::vector<std::unique_ptr<LiveInterface>> interfaces_;
  Bell bell_;
  int socket_;  // to ask for the state of interfaces
  std::mutex change_mutex_, mutex_;
  std::condition_variable changed_;
  Change* next_ = nullptr;  // not yet in force; mutex_
};

}  // namespace

Result<std::unique_ptr<LiveSource>> open_live(const LiveOptions& options) {
  auto live = std::make_unique<PcapLive>();
  if (const auto opened = live->open(options); !opened.ok()) return opened.error();
  return std::unique_ptr<LiveSource>(std::move(live));
}

Result<std::vector<InterfaceInfo>> list_interfaces() {
  char message[PCAP_ERRBUF_SIZE] = "";
  pcap_if_t* first = nullptr;
  if (pcap_findalldevs(&first, message) != 0) {
    return Error{ErrorCode::not_readable, "the interfaces cannot be listed: " + printable(message),
                 "ip link shows them", -1};
  }
  std::vector<InterfaceInfo> out;
  for (const pcap_if_t* i = first; i != nullptr; i = i->next) {
    // Network interfaces only: libpcap lists USB, Bluetooth and netfilter logs as well.
    const bool any = std::strcmp(i->name, "any") == 0;
    if (!any && if_nametoindex(i->name) == 0) continue;
    out.push_back({i->name, i->description != nullptr ? i->description : "",
                   (i->flags & PCAP_IF_UP) != 0, (i->flags & PCAP_IF_LOOPBACK) != 0});
  }
  pcap_freealldevs(first);
  return out;
}

}  // namespace rwin::capture
