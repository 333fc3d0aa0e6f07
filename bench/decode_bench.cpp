// Micro benchmarks: bytes of one record to a Segment, per link layer. Run: rwin_bench_decode
#include <benchmark/benchmark.h>

#include <cstdint>
#include <vector>

#include "capture/decode/decode.h"

namespace {

using Bytes = std::vector<std::uint8_t>;
using rwin::capture::RawPacket;

constexpr std::uint32_t kEthernet = 1, kRawIp = 12, kCooked = 113, kCooked2 = 276;

Bytes operator+(Bytes a, const Bytes& b) {
  a.insert(a.end(), b.begin(), b.end());
  return a;
}

const Bytes kMacs = {2, 0, 0, 0, 0, 1, 2, 0, 0, 0, 0, 2};
const Bytes kIpv4 = {0x45, 0, 0x05, 0xdc, 0, 1, 0x40, 0, 64, 6, 0, 0, 10, 0, 0, 1, 10, 0, 0, 2};
// Destination options (one block) before TCP.
const Bytes kIpv6 =
    Bytes{0x60, 0, 0, 0, 0x05, 0xb4, 60, 64} + Bytes(32, 1) + Bytes{6, 0, 1, 4, 0, 0, 0, 0};
const Bytes kTcpHead = {0x01, 0xbb, 0x80, 0, 0, 0, 0, 1, 0, 0, 0, 2};
const Bytes kTimestamps = {1, 1, 8, 10, 0, 0, 0, 9, 0, 0, 0, 8};
const Bytes kData = kTcpHead + Bytes{0x80, 0x10, 0x01, 0xf5, 0, 0, 0, 0} + kTimestamps + Bytes(62);
const Bytes kSack = kTcpHead + Bytes{0xb0, 0x10, 0x01, 0xf5, 0, 0, 0, 0} + kTimestamps +
                    Bytes{1, 1, 5, 10, 0, 0, 1, 0, 0, 0, 2, 0};
const Bytes kSyn = kTcpHead + Bytes{0xa0, 0x02, 0xfa, 0xf0, 0, 0, 0, 0, 2, 4, 5, 0xb4, 4, 2,
                                    8,    10,   0,    0,    0, 9, 0, 0, 0, 0, 1, 3,    3, 7};

void decode(benchmark::State& state, std::uint32_t link, const Bytes& bytes) {
  RawPacket packet;
  packet.link_type = link;
  packet.captured = static_cast<std::uint32_t>(bytes.size());
  packet.original = packet.captured + 1400;
  packet.data = bytes.data();
  rwin::analysis::Segment segment;
  for (auto _ : state) {
    auto status = rwin::capture::decode(packet, segment);
    benchmark::DoNotOptimize(status);
    benchmark::DoNotOptimize(segment);
    if (status != rwin::capture::DecodeStatus::ok) state.SkipWithError("not decoded");
  }
  state.SetItemsProcessed(state.iterations());
}

BENCHMARK_CAPTURE(decode, ethernet_data, kEthernet, kMacs + Bytes{8, 0} + kIpv4 + kData);
BENCHMARK_CAPTURE(decode, ethernet_sack, kEthernet, kMacs + Bytes{8, 0} + kIpv4 + kSack);
BENCHMARK_CAPTURE(decode, ethernet_syn, kEthernet, kMacs + Bytes{8, 0} + kIpv4 + kSyn);
BENCHMARK_CAPTURE(decode, ethernet_ipv6, kEthernet, kMacs + Bytes{0x86, 0xdd} + kIpv6 + kData);
BENCHMARK_CAPTURE(decode, qinq, kEthernet,
                  kMacs + Bytes{0x88, 0xa8, 0, 5, 0x81, 0, 0, 6, 8, 0} + kIpv4 + kData);
BENCHMARK_CAPTURE(decode, pppoe, kEthernet,
                  kMacs + Bytes{0x88, 0x64, 0x11, 0, 0, 1, 0x05, 0xde, 0, 0x21} + kIpv4 + kData);
BENCHMARK_CAPTURE(decode, cooked, kCooked,
                  Bytes{0, 0, 0, 1, 0, 6} + Bytes(8, 2) + Bytes{8, 0} + kIpv4 + kData);
BENCHMARK_CAPTURE(decode, cooked2, kCooked2, Bytes{8, 0} + Bytes(18) + kIpv4 + kData);
BENCHMARK_CAPTURE(decode, raw_ip, kRawIp, kIpv4 + kData);

}  // namespace

BENCHMARK_MAIN();
