#include "capture/source/live.h"

#include <fcntl.h>
#include <net/if.h>
#include <pcap/pcap.h>
#include <poll.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstring>
#include <mutex>
#include <optional>

#include "capture/source/filter.h"
#include "capture/source/stream.h"

namespace rwin::capture {
namespace {

constexpr int kBlockMs = 20;  // the kernel hands over a block after that at the latest
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

Error open_error(int code, const std::string& name, const std::string& detail) {
  Error error{ErrorCode::not_readable, "cannot capture on " + printable(name) + ": ", "", -1};
  switch (code) {
    case PCAP_ERROR_PERM_DENIED:
    case PCAP_ERROR_PROMISC_PERM_DENIED:
      error.code = ErrorCode::missing_privilege;
      error.message += "permission missing (CAP_NET_RAW)";
      break;
    case PCAP_ERROR_NO_SUCH_DEVICE:
      error.message += "there is no such interface";
      error.hint = "rwin -D lists the interfaces";
      break;
    case PCAP_ERROR_IFACE_NOT_UP:
      error.message += "it is down";
      error.hint = "ip link set dev " + printable(name) + " up";
      break;
    default:
      error.message += printable(detail);
      error.hint = "rwin -D lists the interfaces";
  }
  return error;
}

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
  // Can these words be compiled for it? From any thread.
  [[nodiscard]] Result<bool> check_filter(const std::string& words) const;
  Result<bool> set_filter(const std::string& words);
  [[nodiscard]] int descriptor() const { return gone() ? -1 : pcap_get_selectable_fd(pcap_); }
  [[nodiscard]] bool gone() const { return status_.state == InterfaceState::gone; }

 private:
  struct Call {
    LiveInterface* self;
    const std::function<void(const RawPacket&)>* sink;
  };
  static void on_packet(u_char* call, const pcap_pkthdr* header, const u_char* bytes);

  pcap_t* pcap_ = nullptr;
  InterfaceStatus status_;
  bool nanoseconds_ = false, any_ = false;
  Counter kernel_drops_, interface_drops_;
};

Result<bool> LiveInterface::open(const LiveOptions& options) {
  char message[PCAP_ERRBUF_SIZE] = "";
  pcap_ = pcap_create(status_.name.c_str(), message);
  if (pcap_ == nullptr) return open_error(PCAP_ERROR, status_.name, message);
  any_ = status_.name == "any";
  pcap_set_snaplen(pcap_, options.snap_length);
  pcap_set_promisc(pcap_, options.promiscuous && !any_ ? 1 : 0);
  pcap_set_timeout(pcap_, kBlockMs);
  pcap_set_buffer_size(pcap_, options.buffer_bytes);
  // Refused where it cannot be done: then microseconds.
  pcap_set_tstamp_precision(pcap_, PCAP_TSTAMP_PRECISION_NANO);
  const int code = pcap_activate(pcap_);
  if (code < 0) return open_error(code, status_.name, pcap_geterr(pcap_));
  nanoseconds_ = pcap_get_tstamp_precision(pcap_) == PCAP_TSTAMP_PRECISION_NANO;
  if (any_) pcap_set_datalink(pcap_, DLT_LINUX_SLL2);  // before the filter; else it stays SLL
  status_.link_type = static_cast<std::uint32_t>(pcap_datalink(pcap_));
  if (!link_type_supported(status_.link_type)) {
    return Error{ErrorCode::unsupported,
                 "cannot capture on " + printable(status_.name) + ": link type " +
                     std::string(link_type_name(status_.link_type)) + " is not supported",
                 "capture on an Ethernet, Wi-Fi, PPP or IP tunnel interface, or on any", -1};
  }
  if (pcap_setnonblock(pcap_, 1, message) != 0)
    return open_error(PCAP_ERROR, status_.name, message);
  return set_filter(options.filter);
}

Result<bool> LiveInterface::check_filter(const std::string& words) const {
  Filter user(words);
  if (user.active() && user.prepare(status_.link_type) != nullptr)
    return user.refusal(status_.link_type);
  return true;
}

// Compiled on the open interface: there the system takes VLAN tags out of the bytes.
Result<bool> LiveInterface::set_filter(const std::string& words) {
  if (auto checked = check_filter(words); !checked.ok()) return checked;
  const std::string expression = live_filter(words, status_.link_type);
  bpf_program program{};
  const bool good = pcap_compile(pcap_, &program, expression.c_str(), 1, PCAP_NETMASK_UNKNOWN) == 0;
  const bool set = good && pcap_setfilter(pcap_, &program) == 0;
  if (good) pcap_freecode(&program);
  if (set) return true;
  return Error{ErrorCode::bad_filter, "bad filter: " + printable(pcap_geterr(pcap_)),
               "man pcap-filter has the words, for example: host 198.51.100.7 and port 443", -1};
}

void LiveInterface::on_packet(u_char* call, const pcap_pkthdr* header, const u_char* bytes) {
  const Call& c = *reinterpret_cast<const Call*>(call);
  const std::int64_t fraction =
      c.self->nanoseconds_ ? header->ts.tv_usec : header->ts.tv_usec * 1000;
  RawPacket packet;
  packet.time_ns = header->ts.tv_sec * 1'000'000'000LL + fraction;
  packet.link_type = c.self->status_.link_type;
  packet.captured = header->caplen;
  packet.original = header->len;
  packet.data = bytes;
  ++c.self->status_.packets;
  (*c.sink)(packet);
}

std::size_t LiveInterface::read(std::size_t most,
                                const std::function<void(const RawPacket&)>& sink) {
  std::size_t n = 0;
  Call call{this, &sink};
  while (!gone() && n < most) {
    const int got = pcap_dispatch(pcap_, -1, on_packet, reinterpret_cast<u_char*>(&call));
    // "The interface disappeared", or the device failed: nothing more comes from this handle.
    if (got < 0) status_.state = InterfaceState::gone;
    if (got <= 0) break;
    n += static_cast<std::size_t>(got);
  }
  return n;
}

const InterfaceStatus& LiveInterface::look(int socket) {
  if (gone()) return status_;
  pcap_stat stat{};
  if (pcap_stats(pcap_, &stat) == 0) {
    kernel_drops_.set(stat.ps_drop);
    interface_drops_.set(stat.ps_ifdrop);
    status_.kernel_drops = kernel_drops_.total();
    status_.interface_drops = interface_drops_.total();
  }
  if (any_) return status_;
  ifreq request{};
  status_.name.copy(request.ifr_name, IFNAMSIZ - 1);
  if (ioctl(socket, SIOCGIFFLAGS, &request) == 0) {
    status_.state = (request.ifr_flags & IFF_UP) != 0 ? InterfaceState::up : InterfaceState::down;
  } else if (errno == ENODEV) {
    status_.state = InterfaceState::gone;
  }
  return status_;
}

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
    for (const auto& i : interfaces_) {
      if (auto checked = i->check_filter(words); !checked.ok()) return checked;
    }
    {
      const std::lock_guard lock(mutex_);
      next_filter_ = words;
    }
    wake();
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
  // In the thread that reads: libpcap's handles belong to it.
  void use_new_filter() {
    std::optional<std::string> words;
    {
      const std::lock_guard lock(mutex_);
      words.swap(next_filter_);
    }
    if (!words) return;
    for (const auto& i : interfaces_) {
      if (i->gone()) continue;
      [[maybe_unused]] const auto set = i->set_filter(*words);  // checked before
    }
  }

  std::vector<std::unique_ptr<LiveInterface>> interfaces_;
  Bell bell_;
  int socket_;  // to ask for the state of interfaces
  std::mutex mutex_;
  std::optional<std::string> next_filter_;  // not yet in force
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
