// rwin_bench_flood syns|terabyte [N]: writes a pcap to standard output that must not cost memory.
//   syns       N (5 million) SYNs from as many addresses in 50 s, and in the midst of them one
//   download that a window of 16 KiB
//              holds, 100 ms round trip
//   terabyte   one connection of a day in N (2^25) segments of 2^15 bytes: 2^40 bytes
#include <cstdio>
#include <cstdlib>
#include <string_view>

#include "bench/packet_writer.h"

namespace rwin::bench {
namespace {

class File {
 public:
  File() : writer_(stdout) {}
  void write(const Endpoints& ends, std::int64_t time_us, bool from_server, std::uint8_t flags,
             std::uint64_t seq, std::uint64_t ack, std::uint32_t payload, std::uint16_t window,
             std::int64_t answers_us) {
    Packet p;
    p.time = kStart + time_us;
    p.from_server = from_server;
    p.flags = flags;
    p.seq = static_cast<std::uint32_t>(seq);
    p.ack = static_cast<std::uint32_t>(ack);
    p.payload = payload;
    p.window = window;
    p.ts_value = static_cast<std::uint32_t>(time_us / 1000);
    p.ts_echo = static_cast<std::uint32_t>(answers_us / 1000);
    writer_.write(ends, p);
  }
  bool flush() { return writer_.flush(); }

 private:
  PacketWriter writer_;
};

constexpr Endpoints kTransfer{0xc000020a, 0xc6336407, 51544, 443, 0};

bool syns(std::uint64_t count) {
  constexpr std::int64_t kLength = 50'000'000, kRound = 100'000;
  constexpr std::uint32_t kSegment = 1'448, kWindow = 11;  // segments
  File file;
  std::uint64_t seq = 1, done = 0;
  file.write(kTransfer, 0, false, kSyn, 0, 0, 0, 16'384, 0);
  file.write(kTransfer, kRound, true, kSyn | kAck, 0, 1, 0, 65'160, 0);
  for (std::int64_t round = 2; round * kRound < kLength; ++round) {
    const std::int64_t start = round * kRound;
    for (std::uint32_t i = 0; i < kWindow; ++i) {
      file.write(kTransfer, start + i * 20, true, kAck, seq, 1, kSegment, 510,
                 start + i * 20 - kRound);
      seq += kSegment;
      file.write(kTransfer, start + i * 20 + 10, false, kAck, 1, seq, 0, 16'384, start + i * 20);
    }
    const auto until = static_cast<std::uint64_t>(round + 1) * count / (kLength / kRound);
    for (; done < until; ++done) {
      const auto host = static_cast<std::uint32_t>(0x0a000000 + done);
      const Endpoints ends{host, 0xc6336407, static_cast<std::uint16_t>(1024 + done % 60'000), 443,
                           7};
      file.write(ends, start + 1'000, false, kSyn, done * 7919, 0, 0, 65'535, 0);
    }
  }
  return file.flush();
}

bool terabyte(std::uint64_t count) {
  constexpr std::uint32_t kPayload = 1U << 15U;
  constexpr std::int64_t kDay = 86'400'000'000;
  Endpoints ends = kTransfer;
  ends.client_shift = 14;
  File file;
  file.write(ends, 0, false, kSyn, 0, 0, 0, 65'535, 0);
  file.write(ends, 50, true, kSyn | kAck, 0, 1, 0, 65'160, 0);
  std::uint64_t seq = 1;
  for (std::uint64_t i = 0; i < count; ++i) {
    const std::int64_t t =
        1'000 + static_cast<std::int64_t>(i) * kDay / static_cast<std::int64_t>(count);
    file.write(ends, t, true, kAck, seq, 1, kPayload, 510, i == 0 ? 0 : t - 1'000);
    seq += kPayload;
    file.write(ends, t + 50, false, kAck, 1, seq, 0, 60'000, t);
  }
  return file.flush();
}

}  // namespace
}  // namespace rwin::bench

int main(int argc, char** argv) {
  const std::string_view what = argc > 1 ? argv[1] : "";
  const std::uint64_t count = argc > 2 ? std::strtoull(argv[2], nullptr, 10) : 0;
  bool good = false;
  if (what == "syns") {
    good = rwin::bench::syns(count > 0 ? count : 5'000'000);
  } else if (what == "terabyte") {
    good = rwin::bench::terabyte(count > 0 ? count : 1U << 25U);
  } else {
    std::fputs("usage: rwin_bench_flood syns|terabyte [N] >FILE\n", stderr);
    return 2;
  }
  return good ? 0 : 1;
}
