#include "capture/source/live.h"

#include <net/if.h>
#include <pcap/pcap.h>
#include <poll.h>
#include <sys/eventfd.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

#include "capture/source/filter.h"
#include "capture/source/stream.h"

namespace rwin::capture {
namespace {

constexpr int kBlockMs = 20;  // the kernel hands over a block after that at the latest
constexpr std::size_t kMostAtOnce =
    65'536;  // packets of one read(), so that its caller sees the clock

struct Descriptor {
  int fd = -1;
  explicit Descriptor(int f) : fd(f) {}
  ~Descriptor() {
    if (fd >= 0) ::close(fd);
  }
  Descriptor(const Descriptor&) = delete;
  Descriptor& operator=(const Descriptor&) = delete;
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

class Interface {
 public:
  explicit Interface(std::string name) { status_.name = std::move(name); }
  ~Interface() {
    if (pcap_ != nullptr) pcap_close(pcap_);
  }
  Interface(const Interface&) = delete;
  Interface& operator=(const Interface&) = delete;

  Result<bool> open(const LiveOptions& options);
  // Packets at hand go to `sink`; their number.
  std::size_t read(std::size_t most, const std::function<void(const RawPacket&)>& sink);
  const InterfaceStatus& look(int socket);
  [[nodiscard]] int descriptor() const { return gone() ? -1 : pcap_get_selectable_fd(pcap_); }
  [[nodiscard]] bool gone() const { return status_.state == InterfaceState::gone; }

 private:
  struct Call {
    Interface* self;
    const std::function<void(const RawPacket&)>* sink;
  };
  static void on_packet(u_char* call, const pcap_pkthdr* header, const u_char* bytes);
  Result<bool> set_filter(const std::string& words);

  pcap_t* pcap_ = nullptr;
  InterfaceStatus status_;
  bool nanoseconds_ = false, any_ = false;
  Counter kernel_drops_, interface_drops_;
};

Result<bool> Interface::open(const LiveOptions& options) {
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

Result<bool> Interface::set_filter(const std::string& words) {
  Filter user(words);
  if (user.active() && user.prepare(status_.link_type) != nullptr)
    return user.refusal(status_.link_type);
  const std::string expression = live_filter(words, status_.link_type);
  bpf_program program{};
  if (pcap_compile(pcap_, &program, expression.c_str(), 1, PCAP_NETMASK_UNKNOWN) != 0 ||
      pcap_setfilter(pcap_, &program) != 0) {
    return Error{ErrorCode::bad_filter, "bad filter: " + printable(pcap_geterr(pcap_)),
                 "man pcap-filter has the words, for example: host 198.51.100.7 and port 443", -1};
  }
  pcap_freecode(&program);
  return true;
}

void Interface::on_packet(u_char* call, const pcap_pkthdr* header, const u_char* bytes) {
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

std::size_t Interface::read(std::size_t most, const std::function<void(const RawPacket&)>& sink) {
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

const InterfaceStatus& Interface::look(int socket) {
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
  PcapLive()
      : wake_(eventfd(0, EFD_NONBLOCK | EFD_CLOEXEC)),
        socket_(socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0)) {}

  Result<bool> open(const LiveOptions& options) {
    for (const std::string& name : options.interfaces) {
      auto interface = std::make_unique<Interface>(name);
      auto opened = interface->open(options);
      if (!opened.ok()) return opened;
      interfaces_.push_back(std::move(interface));
    }
    return true;
  }

  std::size_t read(int timeout_ms, const std::function<void(const RawPacket&)>& sink) override {
    std::vector<pollfd> waits{{wake_.fd, POLLIN, 0}};
    for (const auto& i : interfaces_) waits.push_back({i->descriptor(), POLLIN, 0});
    // A signal may end the waiting: the caller looks why.
    if (::poll(waits.data(), waits.size(), timeout_ms) > 0 && (waits[0].revents & POLLIN) != 0) {
      std::uint64_t value = 0;
      [[maybe_unused]] const auto got = ::read(wake_.fd, &value, sizeof value);
    }
    std::size_t n = 0;
    for (const auto& i : interfaces_) n += i->read(kMostAtOnce, sink);
    return n;
  }

  void wake() override {
    const std::uint64_t one = 1;
    [[maybe_unused]] const auto written = ::write(wake_.fd, &one, sizeof one);
  }

  std::vector<InterfaceStatus> status() override {
    std::vector<InterfaceStatus> out;
    for (const auto& i : interfaces_) out.push_back(i->look(socket_.fd));
    return out;
  }

  [[nodiscard]] bool ended() const override {
    for (const auto& i : interfaces_) {
      if (!i->gone()) return false;
    }
    return true;
  }

 private:
  std::vector<std::unique_ptr<Interface>> interfaces_;
  Descriptor wake_, socket_;
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
