// Sends N TCP packets of 66 bytes on an interface (sendmmsg on a packet socket), spread over F
// connections, as fast as it can or RATE a second; prints how many the kernel took and the seconds
// it took. With "data" each connection is a download: 100 bytes, then their ACK, and so on.
//
//   packet_gun INTERFACE N [F [RATE [data]]]
#include <arpa/inet.h>
#include <linux/if_ether.h>
#include <linux/if_packet.h>
#include <net/if.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <thread>
#include <vector>

namespace {

constexpr std::size_t kBatch = 512;
constexpr std::size_t kSize = 66;   // Ethernet, IPv4, TCP with time stamps
constexpr unsigned kPayload = 100;  // in the IP header only: what a capture of headers sees

using Packet = std::array<unsigned char, kSize>;

Packet first_packet() {
  Packet p{};
  std::memset(p.data(), 0xff, 6);
  p[6] = 2;
  p[12] = 8;     // IPv4
  p[14] = 0x45;  // version, header length
  p[17] = 52;    // total length
  p[22] = 64;    // TTL
  p[23] = 6;     // TCP
  const unsigned char addresses[] = {10, 251, 0, 2, 10, 251, 0, 1};
  std::memcpy(&p[26], addresses, sizeof addresses);
  p[46] = 0x80;  // header length 32
  p[47] = 0x10;  // ACK
  p[48] = 0x10;  // window
  p[54] = 1;     // two no-operations, time stamps
  p[55] = 1;
  p[56] = 8;
  p[57] = 10;
  return p;
}

struct Plan {
  unsigned long flows = 100;
  double rate = 0;  // packets a second, 0: as fast as it goes
  bool data = false;
};

void put16(unsigned char* at, unsigned value) {
  at[0] = static_cast<unsigned char>(value >> 8);
  at[1] = static_cast<unsigned char>(value);
}
void put32(unsigned char* at, unsigned long value) {
  put16(at, static_cast<unsigned>(value >> 16) & 0xffff);
  put16(at + 2, static_cast<unsigned>(value) & 0xffff);
}

// The k-th packet of all.
void fill(unsigned char* p, unsigned long k, const Plan& plan) {
  const unsigned port = static_cast<unsigned>(10'000 + k % plan.flows);
  const unsigned long turn = k / plan.flows;
  put16(p + 18, static_cast<unsigned>(k) & 0xffff);  // IP identification
  put32(p + 58, k / 1000);                           // time stamp
  if (!plan.data) {
    put16(p + 34, port);
    put16(p + 36, 9);
    put32(p + 38, turn);
    return;
  }
  const bool ack = turn % 2 != 0;
  p[29] = ack ? 1 : 2;  // the last bytes of the addresses
  p[33] = ack ? 2 : 1;
  put16(p + 16, ack ? 52 : 52 + kPayload);
  put16(p + 34, ack ? 9 : port);
  put16(p + 36, ack ? port : 9);
  put32(p + 38, ack ? 1 : turn / 2 * kPayload);
  put32(p + 42, ack ? (turn / 2 + 1) * kPayload : 1);
}

}  // namespace

int main(int argc, char** argv) {
  if (argc < 3) {
    std::fprintf(stderr, "usage: packet_gun INTERFACE N [F [RATE [data]]]\n");
    return 2;
  }
  const unsigned long count = std::strtoul(argv[2], nullptr, 10);
  Plan plan;
  if (argc > 3) plan.flows = std::max(1UL, std::strtoul(argv[3], nullptr, 10));
  if (argc > 4) plan.rate = std::strtod(argv[4], nullptr);
  plan.data = argc > 5;
  const int s = socket(AF_PACKET, SOCK_RAW, 0);
  sockaddr_ll address{};
  address.sll_family = AF_PACKET;
  address.sll_ifindex = static_cast<int>(if_nametoindex(argv[1]));
  if (s < 0 || bind(s, reinterpret_cast<sockaddr*>(&address), sizeof address) != 0) {
    std::perror(argv[1]);
    return 1;
  }
  const int one = 1;
  setsockopt(s, SOL_PACKET, PACKET_QDISC_BYPASS, &one, sizeof one);
  std::vector<Packet> packets(kBatch, first_packet());
  std::vector<iovec> parts(kBatch);
  std::vector<mmsghdr> messages(kBatch);
  for (std::size_t i = 0; i < kBatch; ++i) {
    parts[i] = {packets[i].data(), kSize};
    messages[i].msg_hdr.msg_iov = &parts[i];
    messages[i].msg_hdr.msg_iovlen = 1;
  }
  const auto begin = std::chrono::steady_clock::now();
  unsigned long sent = 0;
  while (sent < count) {
    const unsigned long n = std::min<unsigned long>(kBatch, count - sent);
    for (unsigned long i = 0; i < n; ++i) fill(packets[i].data(), sent + i, plan);
    if (plan.rate > 0)
      std::this_thread::sleep_until(
          begin + std::chrono::duration_cast<std::chrono::steady_clock::duration>(
                      std::chrono::duration<double>(static_cast<double>(sent) / plan.rate)));
    const int done = sendmmsg(s, messages.data(), static_cast<unsigned>(n), 0);
    if (done > 0) {
      sent += static_cast<unsigned long>(done);
    } else if (errno != EINTR && errno != ENOBUFS && errno != EAGAIN) {
      std::perror("sendmmsg");
      return 1;
    }
  }
  const std::chrono::duration<double> took = std::chrono::steady_clock::now() - begin;
  std::printf("%lu %.6f\n", sent, took.count());
  return 0;
}
