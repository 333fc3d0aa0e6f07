#include "capture/source/live_interface.h"

#include <net/if.h>
#include <sys/ioctl.h>

#include <cerrno>

#include "capture/source/filter.h"
#include "capture/source/stream.h"

namespace rwin::capture {
namespace {

constexpr int kBlockMs = 20;  // the kernel hands over a block after that at the latest

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
      // A command only where the name is a plain word: nothing is quoted here.
      error.hint = name.find_first_not_of(
                       "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_.@:") ==
                           std::string::npos
                       ? "ip link set dev " + name + " up"
                       : "bring it up";
      break;
    default:
      error.message += printable(detail);
      error.hint = "rwin -D lists the interfaces";
  }
  return error;
}

Error filter_error(const std::string& detail) {
  return {ErrorCode::bad_filter, "bad filter: " + printable(detail),
          "man pcap-filter has the words, for example: host 198.51.100.7 and port 443", -1};
}

// Closes more brackets than it opens: behind the carriers' own bracket that would compile.
bool closes_too_much(const std::string& words) {
  int depth = 0;
  for (const char c : words) {
    depth += c == '(' ? 1 : c == ')' ? -1 : 0;
    if (depth < 0) return true;
  }
  return false;
}

}  // namespace

void FreeProgram::operator()(bpf_program* program) const {
  pcap_freecode(program);
  delete program;
}

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
  auto program = compile(options.filter);
  if (!program.ok()) return program.error();
  return exchange(program.value());
}

// Compiled for the open interface: there the system takes VLAN tags out of the bytes.
Result<Program> LiveInterface::compile(const std::string& words) const {
  const std::string expression = live_filter(words, status_.link_type);
  auto program = std::make_unique<bpf_program>();
  if (!closes_too_much(words) &&
      pcap_compile(pcap_, program.get(), expression.c_str(), 1, PCAP_NETMASK_UNKNOWN) == 0)
    return Program(program.release());
  Filter user(words);
  if (user.active() && user.prepare(status_.link_type) != nullptr)
    return user.refusal(status_.link_type);
  return filter_error(pcap_geterr(pcap_));
}

Result<bool> LiveInterface::exchange(Program& program) {
  if (pcap_setfilter(pcap_, program.get()) != 0) return filter_error(pcap_geterr(pcap_));
  std::swap(program, program_);
  return true;
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

}  // namespace rwin::capture
