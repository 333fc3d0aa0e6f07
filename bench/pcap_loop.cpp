// rwin_bench_pcap_loop FILE: libpcap's bare read loop, the yardstick for everything that reads
// captures.
#include <pcap/pcap.h>

#include <cstdint>
#include <cstdio>

namespace {

struct Totals {
  std::uint64_t packets = 0;
  std::uint64_t bytes = 0;
};

void count(u_char* user, const pcap_pkthdr* header, const u_char* /*bytes*/) {
  auto* totals = reinterpret_cast<Totals*>(user);
  ++totals->packets;
  totals->bytes += header->len;
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 2) {
    std::fputs("usage: rwin_bench_pcap_loop FILE\n", stderr);
    return 2;
  }
  char error[PCAP_ERRBUF_SIZE] = "";
  pcap_t* pcap = pcap_open_offline(argv[1], error);
  if (pcap == nullptr) {
    std::fprintf(stderr, "%s\n", error);
    return 1;
  }
  Totals totals;
  const int result = pcap_loop(pcap, -1, count, reinterpret_cast<u_char*>(&totals));
  if (result < 0) std::fprintf(stderr, "%s\n", pcap_geterr(pcap));
  std::printf("%llu packets, %llu bytes on the wire\n",
              static_cast<unsigned long long>(totals.packets),
              static_cast<unsigned long long>(totals.bytes));
  pcap_close(pcap);
  return result < 0 ? 1 : 0;
}
