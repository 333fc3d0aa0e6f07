#include "capture/host/sockets.h"

#ifdef RWIN_WITH_MNL

#include <libmnl/libmnl.h>
#include <linux/inet_diag.h>
#include <linux/sock_diag.h>
#include <linux/tcp.h>
#include <netinet/in.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <ctime>

namespace rwin::capture {
namespace {

constexpr std::uint32_t kListen = 10;                                   // net/tcp_states.h
constexpr std::uint32_t kAllStates = 0xfff & ~((1U << 6) | (1U << 7));  // without TIME_WAIT, CLOSE

analysis::Endpoint endpoint(int family, const std::uint32_t* words, std::uint16_t port) {
  analysis::Endpoint out;
  out.port = ntohs(port);
  constexpr std::array<std::uint8_t, 12> kMapped{0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0xff, 0xff};
  std::array<std::uint8_t, 16> bytes{};
  std::memcpy(bytes.data(), words, sizeof bytes);
  const bool mapped =
      family == AF_INET6 && std::equal(kMapped.begin(), kMapped.end(), bytes.begin());
  out.address.family = family == AF_INET || mapped ? 4 : 6;
  if (out.address.family == 6) {
    out.address.bytes = bytes;
  } else {
    std::memcpy(out.address.bytes.data(), bytes.data() + (mapped ? 12 : 0), 4);
  }
  return out;
}

// The kernel's structure may be longer or shorter than ours: what is missing reads 0.
void read_info(const nlattr* attribute, HostSocket& out) {
  tcp_info info{};
  std::memcpy(&info, mnl_attr_get_payload(attribute),
              std::min<std::size_t>(sizeof info, mnl_attr_get_payload_len(attribute)));
  out.has_info = true;
  out.busy_us = info.tcpi_busy_time;
  out.rwnd_limited_us = info.tcpi_rwnd_limited;
  out.sndbuf_limited_us = info.tcpi_sndbuf_limited;
  out.retransmits = info.tcpi_total_retrans;
  out.rtt_us = info.tcpi_rtt;
  out.receive_space = info.tcpi_rcv_space;
}

void read_memory(const nlattr* attribute, HostSocket& out) {
  std::array<std::uint32_t, SK_MEMINFO_VARS> memory{};
  std::memcpy(memory.data(), mnl_attr_get_payload(attribute),
              std::min<std::size_t>(sizeof memory, mnl_attr_get_payload_len(attribute)));
  out.receive_buffer = memory[SK_MEMINFO_RCVBUF];
  out.send_buffer = memory[SK_MEMINFO_SNDBUF];
}

int on_message(const nlmsghdr* header, void* data) {
  auto& sockets = *static_cast<std::vector<HostSocket>*>(data);
  if (mnl_nlmsg_get_payload_len(header) < sizeof(inet_diag_msg)) return MNL_CB_OK;
  const auto* message = static_cast<const inet_diag_msg*>(mnl_nlmsg_get_payload(header));
  HostSocket s;
  s.local = endpoint(message->idiag_family, message->id.idiag_src, message->id.idiag_sport);
  s.remote = endpoint(message->idiag_family, message->id.idiag_dst, message->id.idiag_dport);
  s.inode = message->idiag_inode;
  s.listening = message->idiag_state == kListen;
  const auto* tail = static_cast<const char*>(mnl_nlmsg_get_payload_tail(header));
  const auto* attribute =
      static_cast<const nlattr*>(mnl_nlmsg_get_payload_offset(header, sizeof(inet_diag_msg)));
  while (
      mnl_attr_ok(attribute, static_cast<int>(tail - reinterpret_cast<const char*>(attribute)))) {
    if (mnl_attr_get_type(attribute) == INET_DIAG_INFO) read_info(attribute, s);
    if (mnl_attr_get_type(attribute) == INET_DIAG_SKMEMINFO) read_memory(attribute, s);
    attribute = mnl_attr_next(attribute);
  }
  sockets.push_back(s);
  return MNL_CB_OK;
}

Error no_sock_diag() {
  return {ErrorCode::not_readable,
          std::string("the kernel does not tell of its sockets: ") + std::strerror(errno),
          "modprobe tcp_diag", -1};
}

}  // namespace

SocketTable::SocketTable() {
  mnl_socket* socket = mnl_socket_open2(NETLINK_SOCK_DIAG, SOCK_CLOEXEC);
  if (socket != nullptr && mnl_socket_bind(socket, 0, MNL_SOCKET_AUTOPID) < 0) {
    mnl_socket_close(socket);
    socket = nullptr;
  }
  socket_ = socket;
}

SocketTable::~SocketTable() {
  if (socket_ != nullptr) mnl_socket_close(static_cast<mnl_socket*>(socket_));
}

Result<std::vector<HostSocket>> SocketTable::read() {
  auto* socket = static_cast<mnl_socket*>(socket_);
  if (socket == nullptr) return no_sock_diag();
  std::vector<HostSocket> out;
  std::vector<char> buffer(32'768);
  for (const int family : {AF_INET, AF_INET6}) {
    nlmsghdr* header = mnl_nlmsg_put_header(buffer.data());
    header->nlmsg_type = SOCK_DIAG_BY_FAMILY;
    header->nlmsg_flags = NLM_F_REQUEST | NLM_F_DUMP;
    header->nlmsg_seq = ++sequence_;
    auto* request = static_cast<inet_diag_req_v2*>(
        mnl_nlmsg_put_extra_header(header, sizeof(inet_diag_req_v2)));
    request->sdiag_family = static_cast<std::uint8_t>(family);
    request->sdiag_protocol = IPPROTO_TCP;
    request->idiag_states = kAllStates;
    request->idiag_ext = (1U << (INET_DIAG_INFO - 1)) | (1U << (INET_DIAG_SKMEMINFO - 1));
    if (mnl_socket_sendto(socket, header, header->nlmsg_len) < 0) return no_sock_diag();
    int state = MNL_CB_OK;
    while (state > MNL_CB_STOP) {
      const ssize_t got = mnl_socket_recvfrom(socket, buffer.data(), buffer.size());
      if (got < 0 && errno == EINTR) continue;
      if (got < 0) return no_sock_diag();
      state = mnl_cb_run(buffer.data(), static_cast<std::size_t>(got), sequence_,
                         mnl_socket_get_portid(socket), on_message, &out);
      // The table changed while it was read: what came is good all the same.
      if (state < 0 && errno == EINTR) continue;
      if (state < 0 && family == AF_INET) return no_sock_diag();
    }
  }
  return out;
}

}  // namespace rwin::capture

#else

namespace rwin::capture {

SocketTable::SocketTable() = default;
SocketTable::~SocketTable() = default;

Result<std::vector<HostSocket>> SocketTable::read() {
  return Error{ErrorCode::unsupported,
               "this rwin was built without libmnl: no sockets of this host",
               "build it with RWIN_WITH_MNL=ON", -1};
}

}  // namespace rwin::capture

#endif
